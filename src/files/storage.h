/* storage.h - how the elements of a tensor lie in a file, and turning them into the caller's types. */
#ifndef AT_STORAGE_H
#define AT_STORAGE_H

#include <stdbool.h>

#include "attend/attend.h"

/* What becomes of an element on its way to the caller. */
typedef enum at_storage_reading {
    AT_AS_IS,      /* the bytes are the caller's element */
    AT_I32_SIGNED, /* a signed integer that must fit ATTEND_I32 */
    AT_I32_UNSIGNED
} at_storage_reading;

typedef struct at_storage {
    const char *npy;         /* numpy's descr without its byte order */
    const char *safetensors; /* its dtype */
    size_t size;             /* bytes of one element in a file */
    attend_dtype dtype;      /* what the caller gets */
    at_storage_reading reading;
} at_storage;

/* NULL when no tensor of ours is stored so. */
const at_storage *at_storage_from_npy(const char *name, size_t length);
const at_storage *at_storage_from_safetensors(const char *name);
/* How a tensor of this type is written. */
const at_storage *at_storage_for(attend_dtype dtype);

/* Turns count elements into the caller's type; swapped: they are big-endian.  False when an integer does not fit
   ATTEND_I32: *count is then its index. */
bool at_storage_read(const at_storage *storage, bool swapped, const unsigned char *from, void *to, int64_t *count);

/* The integer at from as decimal text, for the message that it does not fit. */
typedef struct at_integer_text {
    char text[24];
} at_integer_text;
at_integer_text at_storage_integer(const at_storage *storage, bool swapped, const unsigned char *from);

#endif
