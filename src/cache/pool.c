#include "cache/pool.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/size.h"

struct at_pool_block { /* at the end of its block */
    struct at_pool_block *next;
    void *memory;
};

attend_status at_pool_begin(attend_ctx *ctx, size_t page_size, int64_t block_pages, at_pool *pool) {
    memset(pool, 0, sizeof *pool);
    pool->page_size = page_size;
    pool->block_pages = block_pages;
    if (!at_size_mul(page_size, (size_t)block_pages, &pool->block_size) ||
        !at_size_add(pool->block_size, sizeof(struct at_pool_block), &pool->block_size))
        return at_fail(ctx, ATTEND_TOO_LARGE, "%lld pages of %zu bytes do not fit", (long long)block_pages, page_size);
    return ATTEND_OK;
}

void at_pool_end(attend_ctx *ctx, at_pool *pool) {
    for (struct at_pool_block *block = pool->blocks; block != NULL;) {
        struct at_pool_block *next = block->next;
        at_memory_release(ctx, block->memory, pool->block_size);
        block = next;
    }
}

static attend_status add_block(attend_ctx *ctx, at_pool *pool) {
    void *memory;
    AT_TRY(at_memory_allocate(ctx, pool->block_size, "pages of a cache", &memory));
    char *end = (char *)memory + (size_t)pool->block_pages * pool->page_size;
    struct at_pool_block *block = (struct at_pool_block *)(void *)end;
    block->memory = memory;
    block->next = pool->blocks;
    pool->blocks = block;
    pool->fresh = memory;
    pool->fresh_count = pool->block_pages;
    return ATTEND_OK;
}

attend_status at_pool_take(attend_ctx *ctx, at_pool *pool, char **page) {
    if (pool->given_back != NULL) {
        *page = pool->given_back;
        memcpy(&pool->given_back, *page, sizeof pool->given_back);
        return ATTEND_OK;
    }
    if (pool->fresh_count == 0)
        AT_TRY(add_block(ctx, pool));
    *page = pool->fresh;
    pool->fresh += pool->page_size;
    pool->fresh_count--;
    return ATTEND_OK;
}

void at_pool_give(at_pool *pool, char *page) {
    memcpy(page, &pool->given_back, sizeof pool->given_back);
    pool->given_back = page;
}
