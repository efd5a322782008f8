/* check_memory.h - blocks that are released together, when the case that they belong to is done. */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <stdbool.h>

#include "attend/attend.h"

typedef struct check_block check_block;

typedef struct check_memory {
    check_block *newest;
} check_memory;

/* A block of zeros, or NULL. */
void *check_memory_take(check_memory *memory, size_t size);
/* A dense tensor of zeros; false when there is no memory for it. */
bool check_memory_tensor(check_memory *memory, attend_dtype dtype, int32_t rank, const int64_t *shape,
                         attend_out *tensor);
void check_memory_release(check_memory *memory);

#endif
