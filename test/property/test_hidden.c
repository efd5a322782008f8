/* Hidden means hidden: what such a key or value holds changes no bit.  And what a query gets that sees no key.  Each
   way of hiding alone: mask, bias, causal, window, key count, neighbours in a packed batch. */
#include "random_call.h"
#include "reference.h"

typedef enum hiding { BY_MASK, BY_BIAS, BY_CAUSAL, BY_WINDOW, BY_COUNT, BY_PACKING, WAYS } hiding;

enum { B = 2, H = 4, G = 2, TQ = 5, TK = 9, D = 3, E = 4 };

static void hide_by_mask(test_random *rng, attend_extra *extra, bool as_bias) {
    attend_out grid = test_tensor(as_bias ? ATTEND_F32 : ATTEND_U8, B, H, TQ, TK);
    for (int64_t n = 0; n < B * H * TQ * TK; n++) {
        bool hidden = random_chance(rng, 50);
        test_set(&grid, n / (H * TQ * TK), n / (TQ * TK) % H, n / TK % TQ, n % TK,
                 as_bias ? (hidden ? -INFINITY : 0.25) : !hidden);
    }
    *(as_bias ? &extra->bias : &extra->mask) = attend_read(grid);
}

/* A call whose pairs are hidden in one way. */
static random_call hiding_call(test_random *rng, hiding way) {
    static const double counts[] = {4, 7}, query_starts[] = {0, 2, 5}, key_starts[] = {0, 4, 9};
    random_call call = {attend_problem_init(), attend_extra_init(), {.data = NULL},
                        {.data = NULL},        {.data = NULL},      {.data = NULL}};
    int64_t batch = way == BY_PACKING ? 1 : B;
    call.q = test_random_tensor(rng, ATTEND_F32, batch, H, TQ, D);
    call.k = test_random_tensor(rng, ATTEND_F32, batch, G, TK, D);
    call.v = test_random_tensor(rng, ATTEND_F32, batch, G, TK, E);
    call.o = test_tensor(ATTEND_F32, batch, H, TQ, E);
    attend_problem *p = &call.problem;
    *p = (attend_problem){sizeof *p, 0, batch, H, G, TQ, TK, D, E, 0, 0, 0, 0, 0};
    if (way == BY_MASK || way == BY_BIAS)
        hide_by_mask(rng, &call.extra, way == BY_BIAS);
    if (way == BY_CAUSAL || way == BY_WINDOW)
        p->flags = way == BY_CAUSAL ? ATTEND_CAUSAL : ATTEND_LIMIT_AHEAD | ATTEND_LIMIT_BACK;
    p->ahead = p->back = way == BY_WINDOW ? 1 : 0;
    if (way == BY_COUNT)
        call.extra.key_count = test_list(ATTEND_I32, B, counts);
    if (way == BY_PACKING) {
        call.extra.query_starts = test_list(ATTEND_I32, 3, query_starts);
        call.extra.key_starts = test_list(ATTEND_I32, 3, key_starts);
    }
    return call;
}

/* Whether any query of any head that reads key (b, g, j) sees it; those are left alone. */
static bool seen_by_query(const random_call *call, int64_t b, int64_t g, int64_t i, int64_t j) {
    for (int64_t h = g * (H / G); h < (g + 1) * (H / G); h++)
        if (reference_sees(&call->problem, &call->extra, b, h, i, j))
            return true;
    return false;
}

enum { RESULTS = 8 };

/* How the output is found: its type is that of the sums of the fast path. */
typedef struct path {
    attend_dtype dtype;
    uint32_t flags;
    const char *name;
} path;
static const path paths[] = {{ATTEND_F32, 0, "fast"},
                             {ATTEND_F64, 0, "fast"},
                             {ATTEND_F64, ATTEND_READABLE, "readable"}};

/* Everything that the call says of each query, axis 2 being the query. */
static void run_everything(attend_ctx *ctx, const random_call *call, const path *how, attend_in *results) {
    int64_t batch = call->problem.batch;
    random_call fresh = *call;
    attend_taps taps = attend_taps_init();
    fresh.problem.flags |= how->flags;
    fresh.o = test_tensor(how->dtype, batch, H, TQ, E);
    taps.rows = test_range(TQ);
    attend_out *lists[] = {&taps.lse, &taps.row_max, &taps.entropy};
    attend_out *grids[] = {&taps.row_raw, &taps.row_capped, &taps.row_biased, &taps.row_weights};
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        *lists[n] = test_tensor(ATTEND_F64, batch, H, TQ, -1);
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        *grids[n] = test_tensor(ATTEND_F64, batch, H, TQ, TK);
    assert_works(ctx, random_call_forward(ctx, &fresh, &taps));
    assert_string_equal(attend_ctx_path(ctx), how->name);
    results[0] = attend_read(fresh.o);
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        results[1 + n] = attend_read(*lists[n]);
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        results[4 + n] = attend_read(*grids[n]);
}

/* The call with the content in every key and value that query i does not see. */
static random_call spoilt_for(const random_call *call, int64_t i, double content) {
    random_call spoilt = *call;
    attend_out k = test_tensor(ATTEND_F32, call->problem.batch, G, TK, D);
    attend_out v = test_tensor(ATTEND_F32, call->problem.batch, G, TK, E);
    for (int64_t b = 0; b < call->problem.batch; b++)
        for (int64_t g = 0; g < G; g++)
            for (int64_t j = 0; j < TK; j++) {
                bool seen = seen_by_query(call, b, g, i, j);
                for (int64_t d = 0; d < D; d++)
                    test_set(&k, b, g, j, d, seen ? test_get(&call->k, b, g, j, d) : content);
                for (int64_t e = 0; e < E; e++)
                    test_set(&v, b, g, j, e, seen ? test_get(&call->v, b, g, j, e) : content);
            }
    spoilt.k = attend_read(k);
    spoilt.v = attend_read(v);
    return spoilt;
}

static void check_content(attend_ctx *ctx, const random_call *call, const path *how) {
    static const double contents[] = {NAN, INFINITY, -INFINITY, 3e38, 0};
    attend_in clean[RESULTS], spoilt[RESULTS];
    run_everything(ctx, call, how, clean);
    for (int64_t i = 0; i < TQ; i++)
        for (size_t c = 0; c < COUNT_OF(contents); c++) {
            random_call other = spoilt_for(call, i, contents[c]);
            run_everything(ctx, &other, how, spoilt);
            for (int n = 0; n < RESULTS; n++) {
                attend_in got = test_slice(spoilt[n], 2, i, 1), want = test_slice(clean[n], 2, i, 1);
                assert_same_bits(&got, &want);
            }
        }
}

static void test_content_does_not_matter(void **state) {
    test_random rng = {41};
    for (size_t p = 0; p < COUNT_OF(paths); p++)
        for (hiding way = 0; way < WAYS; way++) {
            random_call call = hiding_call(&rng, way);
            check_content(*state, &call, &paths[p]);
        }
}

/* The same for what is summed over the queries: keys past the count are hidden from all of them. */
static void test_hidden_from_all(void **state) {
    test_random rng = {42};
    random_call call = hiding_call(&rng, BY_COUNT), spoilt = spoilt_for(&call, 0, NAN);
    attend_in results[2][4];
    for (int n = 0; n < 2; n++) {
        attend_taps taps = attend_taps_init();
        taps.column_sum = test_tensor(ATTEND_F64, B, H, TK, -1);
        taps.grid_sum = test_tensor(ATTEND_F64, B, H, 2, 3);
        taps.grid_count = test_tensor(ATTEND_F64, B, H, 2, 3);
        taps.grid_max = test_tensor(ATTEND_F64, B, H, 2, 3);
        assert_works(*state, random_call_forward(*state, n ? &spoilt : &call, &taps));
        const attend_out *outs[] = {&taps.column_sum, &taps.grid_sum, &taps.grid_count, &taps.grid_max};
        for (size_t m = 0; m < COUNT_OF(outs); m++)
            results[n][m] = attend_read(*outs[m]);
    }
    for (size_t m = 0; m < COUNT_OF(results[0]); m++)
        assert_same_bits(&results[1][m], &results[0][m]);
}

/* A pair that the mask hides may have any bias; and one that is seen is never hidden by another's. */
static void test_bias_of_a_masked_pair(void **state) {
    test_random rng = {43};
    random_call call = hiding_call(&rng, BY_MASK);
    attend_out clean = test_tensor(ATTEND_F32, B, H, TQ, TK), spoilt = test_tensor(ATTEND_F32, B, H, TQ, TK);
    for (int64_t n = 0; n < B * H * TQ * TK; n++) {
        bool seen = ((const unsigned char *)call.extra.mask.data)[n] != 0;
        ((float *)clean.data)[n] = 0.5f;
        ((float *)spoilt.data)[n] = seen ? 0.5f : n % 2 ? (float)NAN : (float)INFINITY;
    }
    for (size_t p = 0; p < COUNT_OF(paths); p++) {
        attend_in results[2][RESULTS];
        call.extra.bias = attend_read(clean);
        run_everything(*state, &call, &paths[p], results[0]);
        call.extra.bias = attend_read(spoilt);
        run_everything(*state, &call, &paths[p], results[1]);
        for (int n = 0; n < RESULTS; n++)
            assert_same_bits(&results[1][n], &results[0][n]);
    }
}

/* A call in which query 2 sees nothing, in this way. */
static random_call empty_row_call(test_random *rng, hiding way) {
    static const double counts[] = {0, 0}, query_starts[] = {0, 2, 3, 5}, key_starts[] = {0, 4, 4, 9};
    static unsigned char mask[TQ] = {1, 1, 0, 1, 1};
    static float bias[TQ] = {0, 0, -INFINITY, 0, 0};
    random_call call = hiding_call(rng, way);
    const int64_t column[] = {TQ, 1};
    if (way == BY_MASK)
        call.extra.mask = attend_in_dense(mask, ATTEND_U8, 2, column);
    if (way == BY_BIAS)
        call.extra.bias = attend_in_dense(bias, ATTEND_F32, 2, column);
    if (way == BY_CAUSAL || way == BY_WINDOW)
        call.problem.query_offset = way == BY_CAUSAL ? -3 : TK;
    if (way == BY_COUNT)
        call.extra.key_count = test_list(ATTEND_I32, B, counts);
    if (way == BY_PACKING) {
        call.extra.query_starts = test_list(ATTEND_I32, 4, query_starts);
        call.extra.key_starts = test_list(ATTEND_I32, 4, key_starts);
    }
    return call;
}

static attend_taps all_query_taps(int64_t batch) {
    attend_taps taps = attend_taps_init();
    attend_out *lists[] = {&taps.lse, &taps.row_max, &taps.entropy, &taps.top_rest};
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        *lists[n] = test_tensor(ATTEND_F64, batch, H, TQ, -1);
    taps.top_index = test_tensor(ATTEND_I32, batch, H, TQ, 2);
    taps.top_weight = test_tensor(ATTEND_F64, batch, H, TQ, 2);
    return taps;
}

static void assert_empty_row(const random_call *call, const attend_taps *taps, int64_t b, int64_t h, double sink) {
    attend_in o = attend_read(call->o), lse = attend_read(taps->lse), row_max = attend_read(taps->row_max);
    attend_in entropy = attend_read(taps->entropy), index = attend_read(taps->top_index);
    attend_in weight = attend_read(taps->top_weight), rest = attend_read(taps->top_rest);
    for (int64_t e = 0; e < E; e++)
        assert_true(test_get(&o, b, h, 2, e) == 0);
    assert_true(test_get(&lse, b, h, 2, 0) == sink);
    assert_true(test_get(&row_max, b, h, 2, 0) == -INFINITY);
    assert_true(test_get(&entropy, b, h, 2, 0) == 0);
    assert_true(test_get(&rest, b, h, 2, 0) == (sink == -INFINITY ? 0 : 1));
    for (int64_t n = 0; n < 2; n++)
        assert_true(test_get(&index, b, h, 2, n) == -1 && test_get(&weight, b, h, 2, n) == 0);
}

/* Output 0, lse -infinity (with a sink: the sink), row_max -infinity, entropy 0, no top key; NaN never. */
static void test_empty_rows(void **state) {
    static const double sinks[] = {0.5, -2, 0, 40};
    test_random rng = {44};
    for (int with_sinks = 0; with_sinks < 2; with_sinks++)
        for (hiding way = 0; way < WAYS; way++) {
            random_call call = empty_row_call(&rng, way);
            int64_t batch = call.problem.batch;
            attend_taps taps = all_query_taps(batch);
            if (with_sinks)
                call.extra.sinks = test_list(ATTEND_F64, H, sinks);
            assert_works(*state, random_call_forward(*state, &call, &taps));
            for (int64_t row = 0; row < batch * H; row++)
                assert_empty_row(&call, &taps, row / H, row % H, with_sinks ? (float)sinks[row % H] : -INFINITY);
            attend_in weights = random_call_weights(*state, &call);
            for (int64_t n = 0; n < batch * H * TK; n++)
                assert_true(test_get(&weights, n / (H * TK), n / TK % H, 2, n % TK) == 0);
        }
}

/* No keys at all: every row is empty. */
static void test_no_keys(void **state) {
    test_random rng = {45};
    random_call call = hiding_call(&rng, BY_CAUSAL);
    attend_taps taps = all_query_taps(B);
    call.problem.flags = 0;
    call.problem.keys = 0;
    call.k = test_slice(call.k, 2, 0, 0);
    call.v = test_slice(call.v, 2, 0, 0);
    assert_works(*state, random_call_forward(*state, &call, &taps));
    for (int64_t row = 0; row < B * H; row++)
        assert_empty_row(&call, &taps, row / H, row % H, -INFINITY);
}

/* NaN in query 1 makes row 1 NaN and no other. */
static void check_nan_query(attend_ctx *ctx, const random_call *call, const path *how) {
    random_call broken = *call;
    attend_in clean[RESULTS], spoilt[RESULTS];
    attend_out q = test_tensor(ATTEND_F32, call->problem.batch, H, TQ, D);
    for (int64_t n = 0; n < call->problem.batch * H * TQ * D; n++)
        ((float *)q.data)[n] = n / D % TQ == 1 ? (float)NAN : ((const float *)call->q.data)[n];
    broken.q = attend_read(q);
    run_everything(ctx, call, how, clean);
    run_everything(ctx, &broken, how, spoilt);
    for (int n = 0; n < RESULTS; n++)
        for (int64_t i = 0; i < TQ; i++) {
            attend_in got = test_slice(spoilt[n], 2, i, 1), want = test_slice(clean[n], 2, i, 1);
            if (i != 1)
                assert_same_bits(&got, &want);
        }
    for (int64_t row = 0; row < call->problem.batch * H; row++) {
        bool sees = test_get(&clean[1], row / H, row % H, 1, 0) != -INFINITY;
        assert_int_equal(isnan(test_get(&spoilt[0], row / H, row % H, 1, 0)) != 0, sees);
        assert_int_equal(isnan(test_get(&spoilt[1], row / H, row % H, 1, 0)) != 0, sees);
    }
}

static void test_nan_in_a_query_stays_in_its_row(void **state) {
    test_random rng = {46};
    for (size_t p = 0; p < COUNT_OF(paths); p++)
        for (hiding way = 0; way < WAYS; way++) {
            random_call call = hiding_call(&rng, way);
            check_nan_query(*state, &call, &paths[p]);
        }
}

/* NaN in a key or value that is seen reaches the rows that see it, and only those. */
static void test_nan_in_a_seen_key(void **state) {
    test_random rng = {47};
    for (int in_value = 0; in_value < 2; in_value++) {
        random_call call = hiding_call(&rng, BY_CAUSAL);
        attend_out spoilt = test_tensor(ATTEND_F32, B, G, TK, in_value ? E : D);
        for (int64_t n = 0; n < B * G * TK * (in_value ? E : D); n++)
            ((float *)spoilt.data)[n] = n / (in_value ? E : D) % TK == 2 ? (float)NAN : 0.5f;
        *(in_value ? &call.v : &call.k) = attend_read(spoilt);
        assert_works(*state, random_call_forward(*state, &call, NULL));
        attend_in o = attend_read(call.o);
        for (int64_t row = 0; row < B * H * TQ; row++)
            assert_int_equal(isnan(test_get(&o, row / (H * TQ), row / TQ % H, row % TQ, 0)) != 0, row % TQ >= 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_content_does_not_matter),
        TEST(test_hidden_from_all),
        TEST(test_bias_of_a_masked_pair),
        TEST(test_empty_rows),
        TEST(test_no_keys),
        TEST(test_nan_in_a_query_stays_in_its_row),
        TEST(test_nan_in_a_seen_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
