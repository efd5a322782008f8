/* file_properties.h - what must hold of any bytes that are opened as a file of tensors. */
#ifndef FILE_PROPERTIES_H
#define FILE_PROPERTIES_H

#define _XOPEN_SOURCE 700 /* pipe */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attend/files.h"
#include "files/directory.h"
#include "must.h"

/* ---- Elements ------------------------------------------------------------------------------ */

static inline int64_t elements(const attend_in *tensor) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        count *= tensor->shape[axis];
    return count;
}

/* The bytes of element number index in C order. */
static inline const unsigned char *element(const attend_in *tensor, int64_t index) {
    int64_t offset = 0;
    for (int32_t axis = tensor->rank - 1; axis >= 0; index /= tensor->shape[axis], axis--)
        offset += index % tensor->shape[axis] * tensor->stride[axis];
    return (const unsigned char *)tensor->data + offset * (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
}

static inline void must_be_same(const attend_in *a, const attend_in *b) {
    must(a->rank == b->rank && a->dtype == b->dtype);
    must(memcmp(a->shape, b->shape, (size_t)a->rank * sizeof a->shape[0]) == 0);
    for (int64_t i = 0; i < elements(a); i++)
        must(memcmp(element(a, i), element(b, i), attend_dtype_size((attend_dtype)a->dtype)) == 0);
}

/* ---- Written and read back ----------------------------------------------------------------- */

enum { PIPE_ROOM = 60000 }; /* a pipe takes 65536 bytes before its writer waits */

static inline void must_survive_writing(const attend_in *tensor, attend_file_format format) {
    static unsigned char written[PIPE_ROOM + 4096];
    static const char *const names[] = {"w"};
    char path[32];
    int ends[2];
    attend_file *file = NULL;
    attend_in back;
    attend_ctx *ctx = the_context();
    must(pipe(ends) == 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    must(attend_file_write(ctx, path, format, names, tensor, 1) == ATTEND_OK);
    close(ends[1]);
    size_t size = 0;
    for (ssize_t count = 1; count > 0; size += (size_t)count)
        must((count = read(ends[0], written + size, sizeof written - size)) >= 0);
    close(ends[0]);
    must(at_file_from_bytes(ctx, "f", written, size, &file) == ATTEND_OK);
    must(attend_file_find(ctx, file, format == ATTEND_NPY ? "" : "w", &back) == ATTEND_OK);
    must_be_same(tensor, &back);
    attend_file_close(file);
}

/* ---- All of a file ------------------------------------------------------------------------- */

static inline void must_be_readable(attend_file *file, const char *name) {
    attend_in tensor;
    attend_status status = attend_file_find(the_context(), file, name, &tensor);
    must(status == ATTEND_OK || status == ATTEND_UNSUPPORTED);
    if (status != ATTEND_OK)
        return;
    must(tensor.data != NULL && tensor.rank >= 0 && tensor.rank <= ATTEND_RANK_MAX);
    must((uintptr_t)tensor.data % attend_dtype_size((attend_dtype)tensor.dtype) == 0);
    must_be_same(&tensor, &tensor);
    if (elements(&tensor) <= PIPE_ROOM / 8) {
        must_survive_writing(&tensor, ATTEND_NPY);
        must_survive_writing(&tensor, ATTEND_SAFETENSORS);
    }
}

/* A file opens and can be read fully, or the status is a reader's and the message says which file. */
static inline void try_file(const void *data, size_t size) {
    attend_ctx *ctx = the_context();
    attend_file *file = NULL;
    attend_status status = at_file_from_bytes(ctx, "f", data, size, &file);
    if (status != ATTEND_OK) {
        must(status == ATTEND_FORMAT || status == ATTEND_UNSUPPORTED || status == ATTEND_TOO_LARGE);
        must(file == NULL && strncmp(attend_message(ctx), "f: ", 3) == 0);
        return;
    }
    must(attend_message(ctx)[0] == '\0');
    for (int64_t i = 0; i < attend_file_count(file); i++)
        must_be_readable(file, attend_file_name(file, i));
    attend_file_close(file);
}

#endif
