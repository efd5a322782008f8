/* pool.h - pages of one size, taken and given back; the memory behind them comes in larger blocks. */
#ifndef AT_POOL_H
#define AT_POOL_H

#include <stddef.h>

#include "attend/attend.h"

typedef struct at_pool {
    size_t page_size;  /* a multiple of AT_ALIGNMENT                   */
    size_t block_size; /* of so many pages, and what stands at the end of a block */
    int64_t block_pages;
    struct at_pool_block *blocks; /* all, the newest first                        */
    char *fresh;                  /* pages of the newest block that were never taken */
    int64_t fresh_count;
    void *given_back; /* each begins with the address of the next        */
} at_pool;

/* block_pages pages at a time; ATTEND_TOO_LARGE when their size does not fit. */
attend_status at_pool_begin(attend_ctx *ctx, size_t page_size, int64_t block_pages, at_pool *pool);
/* Gives all memory back. */
void at_pool_end(attend_ctx *ctx, at_pool *pool);

/* One page, its contents undefined; those of one block follow one another. */
attend_status at_pool_take(attend_ctx *ctx, at_pool *pool, char **page);
void at_pool_give(at_pool *pool, char *page);

#endif
