/* cache.h - keys and values of one layer, growing: pages from a pool, and a table that says which page holds which rows
   of which batch row.  Without pages the table has one entry for each batch row, as long as the capacity. */
#ifndef AT_CACHE_H
#define AT_CACHE_H

#include "cache/pool.h"
#include "tensor/pages.h"
#include "tensor/tensor.h"

struct attend_cache {
    attend_ctx *ctx; /* whose memory it is */
    size_t size;     /* of this block, with the table and the lengths behind it */
    int64_t batch, kv_heads, capacity;
    bool paged;
    at_pages keys, values;
    at_pool pool;
    int32_t *length; /* (B) */
};

/* What attend_cache_config says, with defaults filled in and checked. */
attend_status at_cache_create(attend_ctx *ctx, const attend_cache_config *config, attend_cache **cache);
void at_cache_destroy(attend_cache *cache);

/* Copies the first tokens of k (B,G,T,D) and v (B,G,T,E) behind the rows that are there: counts i32 (B) of them, or T
   where counts are missing.  There is room.  On failure nothing has changed. */
attend_status at_cache_append(attend_ctx *ctx, attend_cache *cache, const attend_in *k, const attend_in *v,
                              const attend_in *counts);
/* The new end of batch row b, and the pages behind it given back. */
void at_cache_set_length(attend_cache *cache, int64_t b, int64_t length);

/* Stores row [b,h,from] of tensor as row j of pages (store.c). */
void at_cache_store(attend_isa isa, const at_pages *pages, const attend_in *tensor, int64_t b, int64_t h, int64_t from,
                    int64_t j);

/* Keys or values as a tensor (B, G, longest length, width): plain where it can be, else AT_PAGED. */
attend_in at_cache_tensor(const attend_cache *cache, const at_pages *pages);
int64_t at_cache_longest(const attend_cache *cache);
/* The lengths as a tensor i32 (B). */
attend_in at_cache_lengths(const attend_cache *cache);

#endif
