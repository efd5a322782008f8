/* files_support.h - building files byte by byte, and expecting a fault with its exact message. */
#ifndef FILES_SUPPORT_H
#define FILES_SUPPORT_H

#include "test_support.h"

#include "attend/files.h"
#include "files/directory.h"

/* ---- Bytes --------------------------------------------------------------------------------- */

typedef struct bytes {
    size_t size;
    unsigned char data[1 << 15];
} bytes;

static inline void append(bytes *file, const void *data, size_t size) {
    assert_true(size <= sizeof file->data - file->size);
    memcpy(file->data + file->size, data, size);
    file->size += size;
}

/* count bytes 0, 1, 2, ... */
static inline void append_numbers(bytes *file, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char value = (unsigned char)i;
        append(file, &value, 1);
    }
}

static inline void append_length(bytes *file, uint64_t length, int width) {
    for (int i = 0; i < width; i++) {
        unsigned char value = (unsigned char)(length >> (8 * i) & 0xff);
        append(file, &value, 1);
    }
}

/* An npy file of version major.0: the header as given, then data_size bytes. */
static inline void make_npy(bytes *file, int major, const char *header, size_t data_size) {
    unsigned char version[2] = {(unsigned char)major, 0};
    file->size = 0;
    append(file, "\x93NUMPY", 6);
    append(file, version, 2);
    append_length(file, strlen(header), major == 1 ? 2 : 4);
    append(file, header, strlen(header));
    append_numbers(file, data_size);
}

/* The same with the three usual keys. */
static inline void make_array(bytes *file, const char *descr, const char *order, const char *shape, size_t data_size) {
    char header[512];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape);
    make_npy(file, 1, header, data_size);
}

/* A safetensors file. */
static inline void make_safetensors(bytes *file, const char *header, size_t data_size) {
    file->size = 0;
    append_length(file, strlen(header), 8);
    append(file, header, strlen(header));
    append_numbers(file, data_size);
}

/* ---- Opening them -------------------------------------------------------------------------- */

/* A copy that ends where its allocation ends: a sanitizer sees a read past it. */
static inline void *exact_copy(const bytes *file) { return memcpy(test_block(file->size), file->data, file->size); }

static inline void expect_fault(attend_ctx *ctx, const bytes *content, attend_status wanted, const char *message) {
    attend_file *file = (attend_file *)(uintptr_t)1;
    attend_status status = at_file_from_bytes(ctx, "f", exact_copy(content), content->size, &file);
    assert_fails(ctx, status, wanted, message);
    assert_null(file);
}

static inline attend_file *open_bytes(attend_ctx *ctx, const bytes *content) {
    attend_file *file = NULL;
    attend_status status = at_file_from_bytes(ctx, "f", content->data, content->size, &file);
    assert_works(ctx, status);
    return file;
}

static inline attend_in find_tensor(attend_ctx *ctx, attend_file *file, const char *name) {
    attend_in tensor;
    attend_status status = attend_file_find(ctx, file, name, &tensor);
    assert_works(ctx, status);
    return tensor;
}

#endif
