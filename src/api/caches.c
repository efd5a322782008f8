/* The cache, and decode on it: import what the caller gave, check it, call one thing. */
#include <string.h>

#include "api/paths.h"
#include "base/check.h"
#include "base/context.h"
#include "base/float_mode.h"
#include "cache/cache.h"
#include "problem/problem.h"

/* ---- create ---- */

static attend_status check_at_least(attend_ctx *ctx, const char *name, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
        return at_fail(ctx, ATTEND_ARGUMENT, "config.%s is %lld (allowed %lld to %lld)", name, (long long)value,
                       (long long)least, (long long)most);
    return ATTEND_OK;
}

static attend_status check_storage(attend_ctx *ctx, const char *name, int32_t *dtype) {
    *dtype = *dtype ? *dtype : ATTEND_F32;
    if (*dtype != ATTEND_F32 && *dtype != ATTEND_F16 && *dtype != ATTEND_BF16 && *dtype != ATTEND_I8)
        return at_fail(ctx, ATTEND_DTYPE, "config.%s is %d, %s, but must be f32, f16, bf16 or i8", name, (int)*dtype,
                       attend_dtype_name((attend_dtype)*dtype));
    return ATTEND_OK;
}

static attend_status check_config(attend_ctx *ctx, attend_cache_config *config) {
    static const int64_t SIZE_MAX_ = (int64_t)1 << 60; /* as for the sizes of a problem */
    config->value_width = config->value_width ? config->value_width : config->head_width;
    AT_TRY(check_at_least(ctx, "batch", config->batch, 1, SIZE_MAX_));
    AT_TRY(check_at_least(ctx, "kv_heads", config->kv_heads, 1, SIZE_MAX_));
    AT_TRY(check_at_least(ctx, "head_width", config->head_width, 0, SIZE_MAX_));
    AT_TRY(check_at_least(ctx, "value_width", config->value_width, 0, SIZE_MAX_));
    AT_TRY(check_at_least(ctx, "capacity", config->capacity, 1, INT32_MAX));
    AT_TRY(check_at_least(ctx, "page", config->page, 0, INT32_MAX));
    if (config->page % AT_PAGE != 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "config.page is %lld, not a multiple of %d", (long long)config->page,
                       AT_PAGE);
    AT_TRY(check_storage(ctx, "key_dtype", &config->key_dtype));
    return check_storage(ctx, "value_dtype", &config->value_dtype);
}

attend_status attend_cache_create(attend_ctx *ctx, const attend_cache_config *config, attend_cache **cache) {
    attend_cache_config given;
    AT_TRY(at_begin(ctx));
    if (cache == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "cache is NULL");
    *cache = NULL;
    if (config == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "config is NULL");
    AT_TRY(at_import(ctx, "config", config, &given, sizeof given));
    AT_TRY(at_import_reserved(ctx, "config", given.reserved));
    AT_TRY(check_config(ctx, &given));
    return at_cache_create(ctx, &given, cache);
}

void attend_cache_destroy(attend_cache *cache) {
    if (cache != NULL)
        at_cache_destroy(cache);
}

/* ---- append, truncate, length, view ---- */

static attend_status check_owner(attend_ctx *ctx, const attend_cache *cache) {
    if (cache == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "cache is NULL");
    if (cache->ctx != ctx)
        return at_fail(ctx, ATTEND_ARGUMENT, "cache was made by another context, and only that one may change it");
    return ATTEND_OK;
}

/* Every batch row has room for its tokens. */
static attend_status check_room(attend_ctx *ctx, const attend_cache *cache, const attend_in *counts, int64_t tokens) {
    for (int64_t b = 0; b < cache->batch; b++) {
        int64_t count = at_given_in(counts) ? (int64_t)at_get(counts, b, 0, 0, 0) : tokens;
        if (count < 0 || count > tokens)
            return at_fail(ctx, ATTEND_ARGUMENT, "counts[%lld] is %lld (allowed 0 to %lld)", (long long)b,
                           (long long)count, (long long)tokens);
        if (count > cache->capacity - cache->length[b])
            return at_fail(ctx, ATTEND_FULL, "cache row %lld holds %lld of %lld keys: %lld more do not fit",
                           (long long)b, (long long)cache->length[b], (long long)cache->capacity, (long long)count);
    }
    return ATTEND_OK;
}

attend_status attend_cache_append(attend_ctx *ctx, attend_cache *cache, const attend_in *k, const attend_in *v,
                                  const attend_in *counts) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in key, value, count;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(check_owner(ctx, cache));
    at_axis batch = {cache->batch, "cache.batch"}, heads = {cache->kv_heads, "cache.kv_heads"};
    at_axis key_shape[] = {batch, heads, {AT_ANY, ""}, {cache->keys.width, "cache.head_width"}};
    AT_TRY(at_argument_in(&arguments, "k", k, AT_NUMBERS, 4, key_shape, &key));
    at_axis value_shape[] = {batch, heads, {key.shape[2], "k.shape[2]"}, {cache->values.width, "cache.value_width"}};
    AT_TRY(at_argument_in(&arguments, "v", v, AT_NUMBERS, 4, value_shape, &value));
    AT_TRY(at_argument_in_if(&arguments, "counts", counts, AT_INDICES, 1, &batch, &count));
    AT_TRY(check_room(ctx, cache, &count, key.shape[2]));
    return at_cache_append(ctx, cache, &key, &value, &count);
}

attend_status attend_cache_truncate(attend_ctx *ctx, attend_cache *cache, int64_t row, int64_t length) {
    AT_TRY(at_begin(ctx));
    AT_TRY(check_owner(ctx, cache));
    if (row < -1 || row >= cache->batch)
        return at_fail(ctx, ATTEND_ARGUMENT, "row is %lld (allowed -1 to %lld)", (long long)row,
                       (long long)cache->batch - 1);
    int64_t first = row < 0 ? 0 : row, end = row < 0 ? cache->batch : row + 1;
    for (int64_t b = first; b < end; b++)
        if (length < 0 || length > cache->length[b])
            return at_fail(ctx, ATTEND_ARGUMENT, "length is %lld, but cache row %lld holds %lld keys",
                           (long long)length, (long long)b, (long long)cache->length[b]);
    for (int64_t b = first; b < end; b++)
        at_cache_set_length(cache, b, length);
    return ATTEND_OK;
}

int64_t attend_cache_length(const attend_cache *cache, int64_t row) {
    return cache == NULL || row < 0 || row >= cache->batch ? -1 : cache->length[row];
}

static attend_status check_view(attend_ctx *ctx, const char *name, const at_pages *pages, const attend_in *view) {
    if (view != NULL && pages->dtype == ATTEND_I8)
        return at_fail(ctx, ATTEND_UNSUPPORTED, "%s: the cache stores i8, which no tensor views", name);
    return ATTEND_OK;
}

attend_status attend_cache_view(attend_ctx *ctx, const attend_cache *cache, attend_in *k, attend_in *v) {
    AT_TRY(at_begin(ctx));
    if (cache == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "cache is NULL");
    if (cache->paged)
        return at_fail(ctx, ATTEND_UNSUPPORTED, "cache lies in pages of %lld keys, which no tensor views",
                       (long long)cache->keys.page);
    AT_TRY(check_view(ctx, "k", &cache->keys, k));
    AT_TRY(check_view(ctx, "v", &cache->values, v));
    if (k != NULL)
        *k = at_cache_tensor(cache, &cache->keys);
    if (v != NULL)
        *v = at_cache_tensor(cache, &cache->values);
    return ATTEND_OK;
}

/* ---- decode ---- */

/* What the cache knows, the caller does not say. */
static attend_status check_unsaid(attend_ctx *ctx, const attend_problem *problem, const attend_extra *extra) {
    if (problem->keys != 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.keys is %lld but must be 0: the cache knows its keys",
                       (long long)problem->keys);
    if (problem->query_offset != 0)
        return at_fail(ctx, ATTEND_ARGUMENT,
                       "problem.query_offset is %lld but must be 0: the queries are the last tokens of the cache",
                       (long long)problem->query_offset);
    const char *given = extra->key_count.data      ? "key_count"
                        : extra->query_starts.data ? "query_starts"
                        : extra->key_starts.data   ? "key_starts"
                                                   : NULL;
    if (given != NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "extra.%s is given, but the cache knows its keys", given);
    return ATTEND_OK;
}

static attend_status check_fit(attend_ctx *ctx, const at_problem *problem, const attend_cache *cache) {
    const struct {
        const char *name;
        int64_t asked, held;
    } sizes[] = {{"batch", problem->batch, cache->batch},
                 {"kv_heads", problem->kv_heads, cache->kv_heads},
                 {"head_width", problem->head_width, cache->keys.width},
                 {"value_width", problem->value_width, cache->values.width}};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
        if (sizes[n].asked != sizes[n].held)
            return at_fail(ctx, ATTEND_SHAPE, "problem.%s is %lld but cache.%s is %lld", sizes[n].name,
                           (long long)sizes[n].asked, sizes[n].name, (long long)sizes[n].held);
    return ATTEND_OK;
}

/* The caller's problem, with the keys of the cache. */
static attend_status import_decode(at_arguments *arguments, const attend_problem *problem, const attend_cache *cache,
                                   const attend_extra *extra, at_problem *resolved) {
    attend_ctx *ctx = arguments->ctx;
    attend_problem asked;
    attend_extra given;
    if (problem == NULL || cache == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s is NULL", problem == NULL ? "problem" : "cache");
    AT_TRY(at_import(ctx, "problem", problem, &asked, sizeof asked));
    AT_TRY(at_import(ctx, "extra", extra, &given, sizeof given));
    AT_TRY(check_unsaid(ctx, &asked, &given));
    asked.keys = at_cache_longest(cache);
    AT_TRY(at_problem_import(arguments, &asked, extra, resolved));
    AT_TRY(check_fit(ctx, resolved, cache));
    resolved->key_count = at_cache_lengths(cache);
    resolved->queries_last = true;
    return ATTEND_OK;
}

/* Keys or values; where they are a plain tensor, they are an argument like any other, which no output may overlap. */
static attend_status take(at_arguments *arguments, const attend_cache *cache, const char *name, const at_pages *pages,
                          attend_in *tensor) {
    attend_in held = at_cache_tensor(cache, pages);
    at_axis any = {AT_ANY, ""}, shape[] = {any, any, any, any};
    *tensor = held;
    return held.dtype == AT_PAGED ? ATTEND_OK : at_argument_in(arguments, name, &held, AT_NUMBERS, 4, shape, tensor);
}

attend_status attend_decode(attend_ctx *ctx, const attend_problem *problem, const attend_in *q,
                            const attend_cache *cache, const attend_extra *extra, const attend_out *o,
                            const attend_taps *taps) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    at_tensors tensors;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(import_decode(&arguments, problem, cache, extra, &resolved));
    AT_TRY(at_problem_query(&arguments, &resolved, q, &tensors.q));
    AT_TRY(take(&arguments, cache, "cache's keys", &cache->keys, &tensors.k));
    AT_TRY(take(&arguments, cache, "cache's values", &cache->values, &tensors.v));
    return at_paths_take(&arguments, &resolved, &tensors, o, taps);
}
