/* A cache, and an allocator that says no at each of its requests: nothing is lost, nothing has changed, and the same call
   works when there is memory again. */
#include "test_support.h"

enum { B = 2, G = 2, D = 64, PAGES = 80 };

/* Pages so large that a block of memory holds but 15 of them. */
static attend_cache_config config_of(int64_t page) {
    attend_cache_config config = attend_cache_config_init();
    config.batch = B, config.kv_heads = G, config.head_width = D, config.page = page;
    config.capacity = 4096 * (page ? PAGES : 1);
    return config;
}

static void test_create(void **state) {
    (void)state;
    for (int64_t page = 0; page <= 4096; page += 4096)
        for (int64_t request = 1; request <= (page ? 1 : 2);
             request++) { /* the cache; the block, when there are no pages */
            test_memory memory = {0};
            attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 1, &memory);
            attend_cache_config config = config_of(page);
            attend_cache *cache = (attend_cache *)&config;
            memory.fail_at = memory.calls + request;
            assert_int_equal(attend_cache_create(ctx, &config, &cache), ATTEND_MEMORY);
            assert_memory_equal(attend_message(ctx), "no memory for ", strlen("no memory for "));
            assert_null(cache);
            assert_int_equal(memory.live, 1);
            assert_works(ctx, attend_cache_create(ctx, &config, &cache));
            assert_int_equal(memory.live, page ? 2 : 3);
            attend_cache_destroy(cache);
            attend_ctx_destroy(ctx);
            assert_true(memory.live == 0 && memory.bytes == 0);
        }
}

/* Some pages of an append can be had and others not. */
static void test_append(void **state) {
    (void)state;
    test_memory memory = {0};
    attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 1, &memory);
    attend_cache_config config = config_of(4096);
    attend_cache *cache;
    float row[D] = {1};
    int64_t few[] = {B, G, 10, D}, many[] = {B, G, 4096 * 20, D};
    attend_in start = attend_in_dense(row, ATTEND_F32, 4, few), rest = attend_in_dense(row, ATTEND_F32, 4, many);
    for (int axis = 0; axis < 3; axis++)
        start.stride[axis] = rest.stride[axis] = 0;
    assert_works(ctx, attend_cache_create(ctx, &config, &cache));
    assert_works(ctx, attend_cache_append(ctx, cache, &start, &start, NULL));
    int64_t blocks = memory.live;
    memory.fail_at = memory.calls + 2;
    for (int again = 0; again < 2; again++) {
        memory.for_good = true;
        assert_int_equal(attend_cache_append(ctx, cache, &rest, &rest, NULL), ATTEND_MEMORY);
        assert_memory_equal(attend_message(ctx),
                            "no memory for pages of a cache: ", strlen("no memory for pages of a cache: "));
        assert_true(attend_cache_length(cache, 0) == 10 && attend_cache_length(cache, 1) == 10);
        assert_int_equal(memory.live, blocks + 1); /* pages that were taken wait for the next append */
    }
    memory.fail_at = 0;
    assert_works(ctx, attend_cache_append(ctx, cache, &rest, &rest, NULL));
    assert_int_equal(attend_cache_length(cache, 1), 10 + many[2]);
    blocks = memory.live;
    for (int again = 0; again < 3; again++) { /* given back, taken again: no more memory */
        assert_works(ctx, attend_cache_truncate(ctx, cache, -1, 10));
        assert_works(ctx, attend_cache_append(ctx, cache, &rest, &rest, NULL));
        assert_int_equal(memory.live, blocks);
    }
    attend_cache_destroy(cache);
    attend_ctx_destroy(ctx);
    assert_true(memory.live == 0 && memory.bytes == 0);
}

/* attend_reserve with as many keys as the cache can hold is enough for decode. */
static void test_decode_after_reserve(void **state) {
    (void)state;
    static const int32_t types[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_I8};
    for (size_t type = 0; type < COUNT_OF(types); type++)
        for (int64_t queries = 1; queries < 100; queries += 30) {
            test_memory memory = {0};
            test_random rng = {79};
            attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 1, &memory);
            attend_cache_config config = config_of(0);
            attend_cache *cache;
            attend_problem p = attend_problem_init();
            config.capacity = 400, config.key_dtype = config.value_dtype = types[type];
            attend_in k = test_random_tensor(&rng, ATTEND_F32, B, G, 300, D);
            attend_in q = test_random_tensor(&rng, ATTEND_F32, B, 2 * G, queries, D);
            attend_out o = test_tensor(ATTEND_F32, B, 2 * G, queries, D);
            p.batch = B, p.heads = 2 * G, p.kv_heads = G, p.queries = queries, p.head_width = D,
            p.keys = config.capacity;
            assert_works(ctx, attend_cache_create(ctx, &config, &cache));
            assert_works(ctx, attend_reserve(ctx, &p, NULL));
            int64_t calls = memory.calls;
            p.keys = 0;
            assert_works(ctx, attend_cache_append(ctx, cache, &k, &k, NULL));
            assert_works(ctx, attend_decode(ctx, &p, &q, cache, NULL, &o, NULL));
            assert_int_equal(memory.calls, calls);
            attend_cache_destroy(cache);
            attend_ctx_destroy(ctx);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_create), TEST(test_append), TEST(test_decode_after_reserve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
