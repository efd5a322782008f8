/* directory.h - what is in an open file: for each tensor its name, and where and how it lies in the bytes.
   The readers (npy.c, safetensors.c) fill it in and check all of it; file.c hands tensors out. */
#ifndef AT_DIRECTORY_H
#define AT_DIRECTORY_H

#include <stdbool.h>

#include "attend/files.h"
#include "base/os.h"
#include "files/fault.h"
#include "files/storage.h"

typedef struct at_entry {
    const char *name;
    const at_storage *storage;
    bool swapped; /* big-endian */
    int32_t rank;
    int64_t shape[ATTEND_RANK_MAX];
    int64_t stride[ATTEND_RANK_MAX]; /* in elements, as they lie in the file */
    int64_t count;                   /* elements */
    size_t begin;                    /* first byte, from the start of the file */
    size_t bytes;
    void *copy; /* (count) of storage->dtype, made when the bytes cannot be used in place */
} at_entry;

struct attend_file {
    attend_ctx *ctx;
    at_printable label; /* the path as messages print it */
    at_os_file source;  /* the bytes */
    int64_t count;      /* tensors */
    at_entry *entries;  /* (count), in the order of the file */
    at_entry **sorted;  /* (count), by name */
    char *names;        /* (names_size), every name with its terminating zero */
    size_t names_size;
};

enum {
    AT_NPY_PREFIX_MAX = 12,
    AT_NPY_HEADER_MAX = 10000,
    AT_SAFETENSORS_HEADER_MAX = 100000000,
    AT_SAFETENSORS_PREFIX = 8,
    AT_TENSOR_NAME_MAX = 1024
};

#define AT_SAFETENSORS_METADATA "__metadata__" /* the one key of a header that is not a tensor */

/* The readers.  Each finds the file opened with count 0 and leaves entries and count. */
attend_status at_npy_open(attend_file *file);
attend_status at_safetensors_open(attend_file *file);

/* Room for count tensors whose names take names_size bytes with their terminating zeros. */
attend_status at_directory_allocate(attend_file *file, int64_t count, size_t names_size);
void at_directory_release(attend_file *file);

/* Elements of a shape.  False when they, as the widest type, do not fit in memory arithmetic; an axis of size 0
   counts as 1 for that, so that the strides of an empty tensor fit as well (NumPy does the same). */
bool at_shape_count(int32_t rank, const int64_t *shape, int64_t *count);

/* Fills in count, bytes and stride from storage, rank and shape.  ATTEND_TOO_LARGE when they do not fit. */
attend_status at_entry_measure(const attend_file *file, at_entry *entry, bool fortran_order);

/* Failures that begin with the file's label, and the byte or the tensor they are about. */
__attribute__((format(printf, 3, 4))) attend_status at_file_fault(const attend_file *file, attend_status status,
                                                                  const char *format, ...);
__attribute__((format(printf, 4, 5))) attend_status at_byte_fault(const attend_file *file, attend_status status,
                                                                  size_t byte, const char *format, ...);
__attribute__((format(printf, 4, 5))) attend_status at_tensor_fault(const attend_file *file, attend_status status,
                                                                    const char *name, const char *format, ...);

/* A file of bytes that stay the caller's, for tests and fuzzers; path is only printed. */
attend_status at_file_from_bytes(attend_ctx *ctx, const char *path, const void *bytes, size_t size, attend_file **file);

/* Whether name may be the name of a tensor; if not, the text says why ("holds control character U+001B") and
   the status is that of a reader. */
typedef struct at_name_fault {
    attend_status status;
    char text[64];
} at_name_fault;
bool at_name_is_good(const char *name, at_name_fault *fault);

#endif
