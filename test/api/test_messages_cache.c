/* Each message about a cache: one call that triggers it, and its exact text; the cache is what it was. */
#include "test_support.h"

enum { B = 2, H = 6, G = 3, D = 7, E = 8, CAPACITY = 300, T = 5 };

static attend_cache_config config_of(void) {
    attend_cache_config config = attend_cache_config_init();
    config.batch = B, config.kv_heads = G, config.head_width = D, config.value_width = E, config.capacity = CAPACITY;
    return config;
}

#define REFUSE_CONFIG(change, status, text)                                               \
    do {                                                                                  \
        attend_cache_config config = config_of();                                         \
        attend_cache *cache = (attend_cache *)&config;                                    \
        change;                                                                           \
        assert_fails(*state, attend_cache_create(*state, &config, &cache), status, text); \
        assert_null(cache);                                                               \
    } while (0)

static void test_config(void **state) {
    attend_cache *made;
    attend_cache_config good = config_of();
    assert_int_equal(attend_cache_create(NULL, &good, &made), ATTEND_ARGUMENT);
    assert_fails(*state, attend_cache_create(*state, &good, NULL), ATTEND_ARGUMENT, "cache is NULL");
    assert_fails(*state, attend_cache_create(*state, NULL, &made), ATTEND_ARGUMENT, "config is NULL");
    REFUSE_CONFIG(config.struct_size = 0, ATTEND_ARGUMENT,
                  "config.struct_size is 0: make the struct with its *_init function");
    REFUSE_CONFIG(config.reserved = 7, ATTEND_NEWER,
                  "config.reserved is 7: an option that this library (0.1.0) does not know");
    REFUSE_CONFIG(config.batch = 0, ATTEND_ARGUMENT, "config.batch is 0 (allowed 1 to 1152921504606846976)");
    REFUSE_CONFIG(config.kv_heads = -1, ATTEND_ARGUMENT, "config.kv_heads is -1 (allowed 1 to 1152921504606846976)");
    REFUSE_CONFIG(config.head_width = -1, ATTEND_ARGUMENT,
                  "config.head_width is -1 (allowed 0 to 1152921504606846976)");
    REFUSE_CONFIG(config.value_width = -2, ATTEND_ARGUMENT,
                  "config.value_width is -2 (allowed 0 to 1152921504606846976)");
    REFUSE_CONFIG(config.capacity = 0, ATTEND_ARGUMENT, "config.capacity is 0 (allowed 1 to 2147483647)");
    REFUSE_CONFIG(config.capacity = (int64_t)1 << 31, ATTEND_ARGUMENT,
                  "config.capacity is 2147483648 (allowed 1 to 2147483647)");
    REFUSE_CONFIG(config.page = -256, ATTEND_ARGUMENT, "config.page is -256 (allowed 0 to 2147483647)");
    REFUSE_CONFIG(config.page = 300, ATTEND_ARGUMENT, "config.page is 300, not a multiple of 256");
    REFUSE_CONFIG(config.key_dtype = ATTEND_F64, ATTEND_DTYPE,
                  "config.key_dtype is 4, f64, but must be f32, f16, bf16 or i8");
    REFUSE_CONFIG(config.value_dtype = 99, ATTEND_DTYPE,
                  "config.value_dtype is 99, unknown, but must be f32, f16, bf16 or i8");
    REFUSE_CONFIG(config.head_width = (int64_t)1 << 60, ATTEND_TOO_LARGE,
                  "config: batch 2, kv_heads 3, capacity 300, widths 1152921504606846976 and 8 together do not fit");
    REFUSE_CONFIG(config.kv_heads = (int64_t)1 << 58, ATTEND_TOO_LARGE,
                  "config: batch 2, kv_heads 288230376151711744, capacity 300, widths 7 and 8 together do not fit");
    REFUSE_CONFIG(config.batch = (int64_t)1 << 50, ATTEND_TOO_LARGE,
                  "1125899906842624 pages of 92160 bytes do not fit");
}

/* A cache with T tokens in each row, of which the refused call must leave every byte. */
typedef struct held {
    attend_cache *cache;
    attend_in k, v, seen; /* seen: its keys before */
} held;

static held held_make(attend_ctx *ctx, int64_t page) {
    test_random rng = {77};
    held h;
    attend_cache_config config = config_of();
    config.page = page;
    h.k = test_random_tensor(&rng, ATTEND_F32, B, G, T, D);
    h.v = test_random_tensor(&rng, ATTEND_F32, B, G, T, E);
    assert_works(ctx, attend_cache_create(ctx, &config, &h.cache));
    assert_works(ctx, attend_cache_append(ctx, h.cache, &h.k, &h.v, NULL));
    return h;
}

static void held_unchanged(attend_ctx *ctx, const held *h) {
    attend_in k, v;
    assert_int_equal(attend_cache_length(h->cache, 0), T);
    assert_int_equal(attend_cache_length(h->cache, 1), T);
    assert_works(ctx, attend_cache_view(ctx, h->cache, &k, &v));
    assert_same_bits(&k, &h->k);
    assert_same_bits(&v, &h->v);
}

#define REFUSE_HELD(change, call, status, text)   \
    do {                                          \
        held h = held_make(*state, 0);            \
        attend_in k = h.k, v = h.v;               \
        (void)k, (void)v;                         \
        change;                                   \
        assert_fails(*state, call, status, text); \
        held_unchanged(*state, &h);               \
        attend_cache_destroy(h.cache);            \
    } while (0)

static void test_append(void **state) {
    static const double negative[] = {-1, 0}, many[] = {1, 6};
    attend_in below = test_list(ATTEND_I32, B, negative), above = test_list(ATTEND_I32, B, many);
    attend_in three = test_list(ATTEND_I32, 1, many);
    attend_ctx *other = test_context(1);
#define APPEND attend_cache_append(*state, h.cache, &k, &v, NULL)
    REFUSE_HELD(, attend_cache_append(*state, NULL, &k, &v, NULL), ATTEND_ARGUMENT, "cache is NULL");
    REFUSE_HELD(, attend_cache_append(*state, h.cache, NULL, &v, NULL), ATTEND_ARGUMENT, "k is NULL");
    REFUSE_HELD(, attend_cache_append(*state, h.cache, &k, NULL, NULL), ATTEND_ARGUMENT, "v is NULL");
    REFUSE_HELD(k.shape[0] = 1, APPEND, ATTEND_SHAPE, "k.shape[0] is 1 but cache.batch is 2");
    REFUSE_HELD(k.shape[1] = 2, APPEND, ATTEND_SHAPE, "k.shape[1] is 2 but cache.kv_heads is 3");
    REFUSE_HELD(k.shape[3] = 6, APPEND, ATTEND_SHAPE, "k.shape[3] is 6 but cache.head_width is 7");
    REFUSE_HELD(v.shape[2] = 4, APPEND, ATTEND_SHAPE, "v.shape[2] is 4 but k.shape[2] is 5");
    REFUSE_HELD(v.shape[3] = 9, APPEND, ATTEND_SHAPE, "v.shape[3] is 9 but cache.value_width is 8");
    REFUSE_HELD(k.dtype = ATTEND_I8, APPEND, ATTEND_DTYPE, "k.dtype is i8 but must be f32, f16, bf16 or f64");
    REFUSE_HELD(, attend_cache_append(*state, h.cache, &k, &v, &three), ATTEND_SHAPE,
                "counts.shape[0] is 1 but cache.batch is 2");
    REFUSE_HELD(, attend_cache_append(*state, h.cache, &k, &v, &below), ATTEND_ARGUMENT,
                "counts[0] is -1 (allowed 0 to 5)");
    REFUSE_HELD(, attend_cache_append(*state, h.cache, &k, &v, &above), ATTEND_ARGUMENT,
                "counts[1] is 6 (allowed 0 to 5)");
    REFUSE_HELD(k.shape[2] = v.shape[2] = 296; k.stride[2] = v.stride[2] = 0, APPEND, ATTEND_FULL,
                                               "cache row 0 holds 5 of 300 keys: 296 more do not fit");
    held h = held_make(*state, 0);
    assert_fails(other, attend_cache_append(other, h.cache, &h.k, &h.v, NULL), ATTEND_ARGUMENT,
                 "cache was made by another context, and only that one may change it");
    held_unchanged(*state, &h);
    attend_cache_destroy(h.cache);
}

/* One row is full, the other is not: neither changes. */
static void test_append_is_whole_or_nothing(void **state) {
    for (int64_t page = 0; page <= 256; page += 256) {
        held h = held_make(*state, page);
        double counts[] = {0, 295};
        attend_in list = test_list(ATTEND_I32, B, counts), k = h.k, v = h.v, one_k = h.k, one_v = h.v;
        k.shape[2] = v.shape[2] = 295, k.stride[2] = v.stride[2] = 0;
        one_k.shape[2] = one_v.shape[2] = 1;
        assert_works(*state, attend_cache_append(*state, h.cache, &k, &v, &list));
        assert_fails(*state, attend_cache_append(*state, h.cache, &one_k, &one_v, NULL), ATTEND_FULL,
                     "cache row 1 holds 300 of 300 keys: 1 more do not fit");
        assert_int_equal(attend_cache_length(h.cache, 0), 5);
        assert_int_equal(attend_cache_length(h.cache, 1), 300);
        attend_cache_destroy(h.cache);
    }
}

static void test_truncate_and_length(void **state) {
    REFUSE_HELD(, attend_cache_truncate(*state, h.cache, 2, 0), ATTEND_ARGUMENT, "row is 2 (allowed -1 to 1)");
    REFUSE_HELD(, attend_cache_truncate(*state, h.cache, -2, 0), ATTEND_ARGUMENT, "row is -2 (allowed -1 to 1)");
    REFUSE_HELD(, attend_cache_truncate(*state, h.cache, 1, 6), ATTEND_ARGUMENT,
                "length is 6, but cache row 1 holds 5 keys");
    REFUSE_HELD(, attend_cache_truncate(*state, h.cache, -1, -1), ATTEND_ARGUMENT,
                "length is -1, but cache row 0 holds 5 keys");
    REFUSE_HELD(, attend_cache_truncate(*state, NULL, -1, 0), ATTEND_ARGUMENT, "cache is NULL");
    held h = held_make(*state, 0);
    assert_works(*state, attend_cache_truncate(*state, h.cache, 1, 2));
    assert_fails(*state, attend_cache_truncate(*state, h.cache, -1, 3), ATTEND_ARGUMENT,
                 "length is 3, but cache row 1 holds 2 keys");
    assert_true(attend_cache_length(h.cache, 0) == 5 && attend_cache_length(h.cache, 1) == 2);
    assert_true(attend_cache_length(h.cache, 2) == -1 && attend_cache_length(h.cache, -1) == -1);
    assert_int_equal(attend_cache_length(NULL, 0), -1);
    attend_cache_destroy(h.cache);
    attend_cache_destroy(NULL);
}

static void test_view(void **state) {
    attend_in k, v;
    attend_cache_config config = config_of();
    attend_cache *cache;
    assert_fails(*state, attend_cache_view(*state, NULL, &k, &v), ATTEND_ARGUMENT, "cache is NULL");
    config.page = 256;
    assert_works(*state, attend_cache_create(*state, &config, &cache));
    assert_fails(*state, attend_cache_view(*state, cache, &k, NULL), ATTEND_UNSUPPORTED,
                 "cache lies in pages of 256 keys, which no tensor views");
    assert_fails(*state, attend_cache_view(*state, cache, NULL, NULL), ATTEND_UNSUPPORTED,
                 "cache lies in pages of 256 keys, which no tensor views");
    attend_cache_destroy(cache);
    config.page = 0, config.value_dtype = ATTEND_I8;
    assert_works(*state, attend_cache_create(*state, &config, &cache));
    assert_works(*state, attend_cache_view(*state, cache, &k, NULL));
    assert_fails(*state, attend_cache_view(*state, cache, NULL, &v), ATTEND_UNSUPPORTED,
                 "v: the cache stores i8, which no tensor views");
    attend_cache_destroy(cache);
}

typedef struct asked {
    held h;
    attend_problem problem;
    attend_extra extra;
    attend_in q;
    attend_out o;
} asked;

static asked asked_make(attend_ctx *ctx) {
    test_random rng = {78};
    asked a = {.h = held_make(ctx, 0), .problem = attend_problem_init(), .extra = attend_extra_init()};
    attend_problem *p = &a.problem;
    p->batch = B, p->heads = H, p->kv_heads = G, p->queries = 2, p->head_width = D, p->value_width = E;
    a.q = test_random_tensor(&rng, ATTEND_F32, B, H, 2, D);
    a.o = test_tensor(ATTEND_F32, B, H, 2, E);
    return a;
}

#define REFUSE_DECODE(change, status, text)                                                                       \
    do {                                                                                                          \
        asked a = asked_make(*state);                                                                             \
        const attend_cache *cache = a.h.cache;                                                                    \
        change;                                                                                                   \
        assert_fails(*state, attend_decode(*state, &a.problem, &a.q, cache, &a.extra, &a.o, NULL), status, text); \
        held_unchanged(*state, &a.h);                                                                             \
        attend_cache_destroy(a.h.cache);                                                                          \
    } while (0)

static void test_decode(void **state) {
    static const double list[] = {1, 1};
    attend_in two = test_list(ATTEND_I32, 2, list);
    REFUSE_DECODE(cache = NULL, ATTEND_ARGUMENT, "cache is NULL");
    REFUSE_DECODE(a.problem.keys = 5, ATTEND_ARGUMENT, "problem.keys is 5 but must be 0: the cache knows its keys");
    REFUSE_DECODE(a.problem.query_offset = 3, ATTEND_ARGUMENT,
                  "problem.query_offset is 3 but must be 0: the queries are the last tokens of the cache");
    REFUSE_DECODE(a.extra.key_count = two, ATTEND_ARGUMENT, "extra.key_count is given, but the cache knows its keys");
    REFUSE_DECODE(a.extra.query_starts = two, ATTEND_ARGUMENT,
                  "extra.query_starts is given, but the cache knows its keys");
    REFUSE_DECODE(a.extra.key_starts = two, ATTEND_ARGUMENT, "extra.key_starts is given, but the cache knows its keys");
    REFUSE_DECODE(a.problem.batch = 3, ATTEND_SHAPE, "problem.batch is 3 but cache.batch is 2");
    REFUSE_DECODE(a.problem.kv_heads = 2, ATTEND_SHAPE, "problem.kv_heads is 2 but cache.kv_heads is 3");
    REFUSE_DECODE(a.problem.head_width = 9, ATTEND_SHAPE, "problem.head_width is 9 but cache.head_width is 7");
    REFUSE_DECODE(a.problem.value_width = 0, ATTEND_SHAPE, "problem.value_width is 7 but cache.value_width is 8");
    REFUSE_DECODE(a.q.shape[3] = 6, ATTEND_SHAPE, "q.shape[3] is 6 but head_width is 7");
    REFUSE_DECODE(a.o.data = NULL, ATTEND_ARGUMENT, "o.data is NULL");
    REFUSE_DECODE(a.extra.mask = a.q; a.extra.mask.dtype = ATTEND_U8;
                  a.extra.mask.shape[3] = 4, ATTEND_SHAPE, "extra.mask.shape[3] is 4 but keys is 5 (1 would repeat)");
    asked a = asked_make(*state);
    assert_fails(*state, attend_decode(*state, NULL, &a.q, a.h.cache, NULL, &a.o, NULL), ATTEND_ARGUMENT,
                 "problem is NULL");
    attend_in k, v;
    assert_works(*state, attend_cache_view(*state, a.h.cache, &k, &v));
    memcpy(&a.o.data, &v.data, sizeof a.o.data);
    assert_fails(*state, attend_decode(*state, &a.problem, &a.q, a.h.cache, NULL, &a.o, NULL), ATTEND_ALIAS,
                 "o overlaps cache's values in memory");
    held_unchanged(*state, &a.h);
    attend_cache_destroy(a.h.cache);
}

/* An empty cache answers as no keys do. */
static void test_nothing_yet(void **state) {
    asked a = asked_make(*state);
    attend_in o = attend_read(a.o);
    assert_works(*state, attend_cache_truncate(*state, a.h.cache, -1, 0));
    assert_works(*state, attend_decode(*state, &a.problem, &a.q, a.h.cache, NULL, &a.o, NULL));
    for (int64_t n = 0; n < test_count(&o); n++)
        assert_true(((const float *)o.data)[n] == 0);
    attend_cache_destroy(a.h.cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_config),
        TEST(test_append),
        TEST(test_append_is_whole_or_nothing),
        TEST(test_truncate_and_length),
        TEST(test_view),
        TEST(test_decode),
        TEST(test_nothing_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
