/* memory.h - memory from the context's allocator. */
#ifndef AT_MEMORY_H
#define AT_MEMORY_H

#include "attend/attend.h"

enum {
    AT_ALIGNMENT = 64,      /* a cache line, and the widest vector                          */
    AT_LARGE_PAGE = 2097152 /* what is at least two of them long begins on one: fewer pages to look up */
};

/* The allocator that a zero attend_config means. */
attend_allocator at_memory_default(void);

/* A block of size bytes aligned to AT_ALIGNMENT (a large one to AT_LARGE_PAGE), or ATTEND_MEMORY with what it was for. */
attend_status at_memory_allocate(attend_ctx *ctx, size_t size, const char *what, void **block);
void at_memory_release(attend_ctx *ctx, void *block, size_t size);

/* Scratch of at least size bytes, kept in the context until it is destroyed; contents undefined.  One
   call's scratch ends where the next call's begins, so take it once per public function. */
attend_status at_memory_scratch(attend_ctx *ctx, size_t size, void **block);

#endif
