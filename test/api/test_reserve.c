/* Memory: what attend_scratch_size says is what is allocated, attend_reserve is the last allocation, and nothing grows
   with queries times keys. */
#include "random_call.h"

static int64_t calls(void) { return test_context_memory()->calls; }
static size_t bytes_held(void) { return test_context_memory()->bytes; }

/* Taps of these shapes; the contents of the lists are garbage, which reserving does not read. */
static attend_taps some_taps(const attend_problem *p, int64_t top, int64_t rows, int64_t columns, int64_t kinds) {
    attend_taps taps = attend_taps_init();
    taps.lse = test_tensor(ATTEND_F32, p->batch, p->heads, p->queries, -1);
    taps.top_weight = test_tensor(ATTEND_F32, p->batch, p->heads, p->queries, top);
    taps.rows = attend_read(test_tensor(ATTEND_I32, 2, -1, -1, -1));
    taps.row_weights = test_tensor(ATTEND_F32, p->batch, p->heads, 2, p->keys);
    taps.grid_sum = test_tensor(ATTEND_F32, p->batch, p->heads, rows, columns);
    taps.segments = attend_read(test_tensor(ATTEND_I32, p->keys, -1, -1, -1));
    taps.segment_mass = test_tensor(ATTEND_F32, p->batch, p->heads, p->queries, kinds);
    return taps;
}

/* What a caller fills in before the call itself. */
static void fill_lists(const attend_taps *taps) {
    memset((void *)(uintptr_t)taps->rows.data, 0, 2 * sizeof(int32_t));
    memset((void *)(uintptr_t)taps->segments.data, 0, (size_t)taps->segments.shape[0] * sizeof(int32_t));
}

static void test_nothing_is_allocated_after_reserving(void **state) {
    (void)state;
    test_random rng = {101};
    for (int n = 0; n < 40; n++) {
        attend_ctx *ctx = test_context((int32_t)random_pick(&rng, 1, 8));
        random_call call = random_call_make(&rng, (n % 2 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS | MAY_BE_LONG) |
                                                      (MAY_ALL & ~MAY_BE_EMPTY));
        attend_taps taps = some_taps(&call.problem, random_pick(&rng, 0, 4), random_pick(&rng, 0, 4),
                                     random_pick(&rng, 0, 4), random_pick(&rng, 1, 4));
        size_t said, before = bytes_held();
        int64_t made = calls();
        assert_works(ctx, attend_scratch_size(ctx, &call.problem, &taps, &said));
        assert_int_equal(calls(), made); /* asking takes nothing */
        assert_works(ctx, attend_reserve(ctx, &call.problem, &taps));
        assert_int_equal(bytes_held() - before, said);
        made = calls();
        fill_lists(&taps);
        for (int k = 0; k < 3; k++)
            assert_works(ctx, random_call_forward(ctx, &call, &taps));
        assert_works(ctx, random_call_forward(ctx, &call, NULL));
        assert_works(ctx, attend_look(ctx, &call.problem, &call.q, &call.k, &call.extra, NULL, &taps));
        assert_int_equal(calls(), made);
    }
}

/* Without reserving, the first call takes the same, once. */
static void test_first_call_takes_what_was_said(void **state) {
    test_random rng = {102};
    random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
    size_t said, before = bytes_held();
    assert_works(*state, attend_scratch_size(*state, &call.problem, NULL, &said));
    assert_works(*state, random_call_forward(*state, &call, NULL));
    assert_int_equal(bytes_held() - before, said);
    assert_int_equal(calls(), 2); /* the context and its scratch */
}

static size_t scratch_of(attend_ctx *ctx, uint32_t flags, int64_t batch, int64_t queries, int64_t keys, int64_t width) {
    attend_problem problem = attend_problem_init();
    size_t bytes = 0;
    problem.flags = flags;
    problem.batch = batch;
    problem.heads = 4;
    problem.queries = queries;
    problem.keys = keys;
    problem.head_width = width;
    assert_works(ctx, attend_scratch_size(ctx, &problem, NULL, &bytes));
    return bytes;
}

/* A row for each thread: linear in the keys and the widths, and blind to queries, batch and heads. */
static void test_memory_is_linear(void **state) {
    (void)state;
    attend_ctx *one = test_context(1), *three = test_context(3);
    size_t base = scratch_of(one, ATTEND_READABLE, 1, 1, 1000, 64);
    assert_int_equal(scratch_of(one, ATTEND_READABLE, 1, 1 << 20, 1000, 64), base);
    assert_int_equal(scratch_of(one, ATTEND_READABLE, 1 << 20, 1, 1000, 64), base);
    assert_int_equal(scratch_of(three, ATTEND_READABLE, 1, 1 << 20, 1000, 64), 3 * base);
    size_t per_key =
        (scratch_of(one, ATTEND_READABLE, 1, 1, 1 << 20, 64) - scratch_of(one, ATTEND_READABLE, 1, 1, 1 << 19, 64)) /
        (1 << 19);
    assert_in_range(per_key, 1, 64);
    assert_true(scratch_of(one, ATTEND_READABLE, 1, 1, 1 << 21, 64) <= (per_key + 1) * (1 << 21) + 64 * 64);
    assert_int_equal(scratch_of(one, ATTEND_READABLE, 1, 1, 1000, 128) - base,
                     64 * 2 * sizeof(double)); /* a query and an output */
}

/* The fast path besides: for each thread a few rows and a chunk of keys, whatever the number of queries. */
static void test_fast_memory_is_blind_to_queries(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads++) {
        attend_ctx *ctx = test_context(threads);
        assert_int_equal(scratch_of(ctx, 0, 1, 1 << 20, 1000, 64), scratch_of(ctx, 0, 1, 1 << 10, 1000, 64));
        assert_int_equal(scratch_of(ctx, 0, 1 << 20, 100, 1000, 64), scratch_of(ctx, 0, 1 << 3, 100, 1000, 64));
        assert_true(scratch_of(ctx, 0, 1, 1, 1000, 64) < (size_t)threads << 20);
    }
}

/* A smaller call after a larger one fits in what is there; a larger one after it grows it once. */
static void test_scratch_is_reused(void **state) {
    attend_ctx *ctx = *state;
    attend_problem large = attend_problem_init();
    large.flags = ATTEND_READABLE;
    large.batch = large.heads = 2;
    large.queries = 3;
    large.head_width = 4;
    large.keys = 100;
    attend_problem small = large;
    small.keys = 10;
    assert_works(ctx, attend_reserve(ctx, &large, NULL));
    size_t held = bytes_held();
    int64_t made = calls();
    assert_works(ctx, attend_reserve(ctx, &small, NULL));
    assert_int_equal(bytes_held(), held);
    assert_int_equal(calls(), made);
    large.keys = 200;
    assert_works(ctx, attend_reserve(ctx, &large, NULL));
    assert_int_equal(calls(), made + 1);
    assert_true(bytes_held() > held);
}

static void test_problem_from(void **state) {
    test_random rng = {103};
    for (int n = 0; n < 50; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
        attend_problem filled = attend_problem_init(), want;
        filled.flags = ATTEND_LIMIT_BACK;
        filled.back = 3;
        filled.ahead = -2;
        filled.scale = 0.25;
        filled.softcap = 5;
        filled.batch = filled.query_offset = 77; /* overwritten */
        want = filled;
        want.batch = call.q.shape[0];
        want.heads = call.q.shape[1];
        want.kv_heads = call.k.shape[1];
        want.queries = call.q.shape[2];
        want.keys = call.k.shape[2];
        want.head_width = call.q.shape[3];
        want.value_width = call.v.shape[3];
        want.query_offset = want.keys - want.queries;
        assert_works(*state, attend_problem_from(*state, &call.q, &call.k, &call.v, &filled));
        assert_memory_equal(&filled, &want, sizeof want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_allocated_after_reserving),
        TEST(test_first_call_takes_what_was_said),
        TEST(test_memory_is_linear),
        TEST(test_fast_memory_is_blind_to_queries),
        TEST(test_scratch_is_reused),
        TEST(test_problem_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
