#include "cache/cache.h"

#include <string.h>

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/size.h"

/* Pages are taken from the allocator together, so that small ones profit from large pages of the system too. */
static const size_t BLOCK_BYTES = (size_t)16 << 20;

static bool align(size_t *size) {
    return at_size_add(*size, AT_ALIGNMENT - 1, size) && (*size -= *size % AT_ALIGNMENT, true);
}

/* Appends the rows of one at_pages to a page of size bytes. */
static bool lay_out(at_pages *pages, size_t *size) {
    size_t rows, bytes;
    pages->place = *size;
    if (!at_size_mul((size_t)pages->heads, (size_t)pages->page, &rows) ||
        !at_size_mul(rows, (size_t)pages->width, &bytes) ||
        !at_size_mul(bytes, attend_dtype_size((attend_dtype)pages->dtype), &bytes) ||
        !at_size_add(*size, bytes, size) || !align(size))
        return false;
    pages->scales_place = *size;
    if (pages->dtype != ATTEND_I8)
        return true;
    return at_size_mul(rows, sizeof(float), &bytes) && at_size_add(*size, bytes, size) && align(size);
}

static at_pages pages_of(const attend_cache_config *config, int32_t dtype, int64_t width) {
    at_pages pages = {.dtype = dtype, .heads = config->kv_heads, .width = width};
    int64_t whole = (config->capacity + AT_PAGE - 1) / AT_PAGE * AT_PAGE;
    pages.page = config->page && config->page < whole ? config->page : whole;
    pages.row_pages = (whole + pages.page - 1) / pages.page;
    return pages;
}

/* The cache with its sizes, but without memory. */
static attend_status plan(attend_ctx *ctx, const attend_cache_config *config, attend_cache *draft, size_t *table) {
    size_t page = 0, lengths;
    memset(draft, 0, sizeof *draft);
    draft->ctx = ctx;
    draft->batch = config->batch, draft->kv_heads = config->kv_heads, draft->capacity = config->capacity;
    draft->paged = config->page != 0;
    draft->keys = pages_of(config, config->key_dtype, config->head_width);
    draft->values = pages_of(config, config->value_dtype, config->value_width);
    draft->keys.side_by_side = config->key_dtype == ATTEND_I8;
    if (!lay_out(&draft->keys, &page) || !lay_out(&draft->values, &page) || page > PTRDIFF_MAX ||
        !at_size_mul((size_t)config->batch, (size_t)draft->keys.row_pages, table) ||
        !at_size_mul(*table, sizeof(char *), table) || !at_size_mul((size_t)config->batch, sizeof(int32_t), &lengths) ||
        !at_size_add(*table, sizeof *draft, &draft->size) || !at_size_add(draft->size, lengths, &draft->size))
        return at_fail(ctx, ATTEND_TOO_LARGE,
                       "config: batch %lld, kv_heads %lld, capacity %lld, widths %lld and %lld "
                       "together do not fit",
                       (long long)config->batch, (long long)config->kv_heads, (long long)config->capacity,
                       (long long)config->head_width, (long long)config->value_width);
    page += page == 0 ? AT_ALIGNMENT : 0; /* widths of 0: a page still has an address */
    int64_t all = (int64_t)(*table / sizeof(char *)), together = page < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / page) : 1;
    return at_pool_begin(ctx, page, !draft->paged ? config->batch : together < all ? together : all, &draft->pool);
}

static attend_status take_all(attend_ctx *ctx, attend_cache *cache) {
    for (int64_t b = 0; !cache->paged && b < cache->batch; b++)
        AT_TRY(at_pool_take(ctx, &cache->pool, &cache->keys.table[b]));
    return ATTEND_OK;
}

attend_status at_cache_create(attend_ctx *ctx, const attend_cache_config *config, attend_cache **cache) {
    attend_cache draft;
    size_t table = 0;
    void *block;
    AT_TRY(plan(ctx, config, &draft, &table));
    AT_TRY(at_memory_allocate(ctx, draft.size, "a cache", &block));
    memset(block, 0, draft.size);
    draft.keys.table = draft.values.table = (char **)(void *)((char *)block + sizeof draft);
    draft.length = (int32_t *)(void *)((char *)block + sizeof draft + table);
    attend_cache *made = block;
    *made = draft;
    attend_status status = take_all(ctx, made);
    if (status != ATTEND_OK) {
        at_cache_destroy(made);
        return status;
    }
    *cache = made;
    return ATTEND_OK;
}

void at_cache_destroy(attend_cache *cache) {
    at_pool_end(cache->ctx, &cache->pool);
    at_memory_release(cache->ctx, cache, cache->size);
}

static int64_t pages_for(const attend_cache *cache, int64_t length) {
    return (length + cache->keys.page - 1) / cache->keys.page;
}

/* Gives back the pages of batch row b from number first on. */
static void give_back(attend_cache *cache, int64_t b, int64_t first) {
    char **table = cache->keys.table + b * cache->keys.row_pages;
    for (int64_t n = first; cache->paged && n < cache->keys.row_pages && table[n] != NULL; n++) {
        at_pool_give(&cache->pool, table[n]);
        table[n] = NULL;
    }
}

static attend_status make_room(attend_ctx *ctx, attend_cache *cache, int64_t b, int64_t length) {
    char **table = cache->keys.table + b * cache->keys.row_pages;
    for (int64_t n = pages_for(cache, cache->length[b]); cache->paged && n < pages_for(cache, length); n++)
        AT_TRY(at_pool_take(ctx, &cache->pool, &table[n]));
    return ATTEND_OK;
}

static int64_t count_of(const attend_in *counts, const attend_in *k, int64_t b) {
    return at_given_in(counts) ? (int64_t)at_get(counts, b, 0, 0, 0) : k->shape[2];
}

attend_status at_cache_append(attend_ctx *ctx, attend_cache *cache, const attend_in *k, const attend_in *v,
                              const attend_in *counts) {
    attend_status status = ATTEND_OK;
    for (int64_t b = 0; status == ATTEND_OK && b < cache->batch; b++)
        status = make_room(ctx, cache, b, cache->length[b] + count_of(counts, k, b));
    for (int64_t b = 0; status != ATTEND_OK && b < cache->batch; b++)
        give_back(cache, b, pages_for(cache, cache->length[b]));
    for (int64_t b = 0; status == ATTEND_OK && b < cache->batch; b++) {
        int64_t count = count_of(counts, k, b);
        for (int64_t g = 0; g < cache->kv_heads; g++)
            for (int64_t t = 0; t < count; t++) {
                at_cache_store(ctx->isa, &cache->keys, k, b, g, t, cache->length[b] + t);
                at_cache_store(ctx->isa, &cache->values, v, b, g, t, cache->length[b] + t);
            }
        cache->length[b] += (int32_t)count;
    }
    return status;
}

void at_cache_set_length(attend_cache *cache, int64_t b, int64_t length) {
    cache->length[b] = (int32_t)length;
    give_back(cache, b, pages_for(cache, length));
}

int64_t at_cache_longest(const attend_cache *cache) {
    int32_t longest = 0;
    for (int64_t b = 0; b < cache->batch; b++)
        longest = cache->length[b] > longest ? cache->length[b] : longest;
    return longest;
}

attend_in at_cache_lengths(const attend_cache *cache) {
    return attend_in_dense(cache->length, ATTEND_I32, 1, &cache->batch);
}

attend_in at_cache_tensor(const attend_cache *cache, const at_pages *pages) {
    attend_in tensor = {
        {cache->batch, cache->kv_heads, at_cache_longest(cache), pages->width}, {0}, AT_PAGED, 4, pages};
    if (cache->paged || pages->dtype == ATTEND_I8)
        return tensor;
    tensor.stride[0] = (int64_t)(cache->pool.page_size / attend_dtype_size((attend_dtype)pages->dtype));
    tensor.stride[1] = pages->page * pages->width;
    tensor.stride[2] = pages->width;
    tensor.stride[3] = 1;
    tensor.dtype = pages->dtype;
    tensor.data = pages->table == NULL || cache->batch == 0 ? (const void *)cache : pages->table[0] + pages->place;
    return tensor;
}
