#include "check_memory.h"

#include <stdlib.h>

struct check_block {
    check_block *older;
    max_align_t bytes[];
};

void *check_memory_take(check_memory *memory, size_t size) {
    size_t whole;
    check_block *block = NULL;
    if (!__builtin_add_overflow(sizeof *block, size, &whole))
        block = calloc(1, whole);
    if (block == NULL)
        return NULL;
    block->older = memory->newest;
    memory->newest = block;
    return block->bytes;
}

bool check_memory_tensor(check_memory *memory, attend_dtype dtype, int32_t rank, const int64_t *shape,
                         attend_out *tensor) {
    size_t size = attend_dtype_size(dtype);
    for (int32_t axis = 0; axis < rank; axis++)
        if (__builtin_mul_overflow(size, (size_t)shape[axis], &size))
            return false;
    *tensor = attend_out_dense(check_memory_take(memory, size), dtype, rank, shape);
    return tensor->data != NULL;
}

void check_memory_release(check_memory *memory) {
    while (memory->newest != NULL) {
        check_block *block = memory->newest;
        memory->newest = block->older;
        free(block);
    }
}
