/* Every tap against brute force from the weights of the naive reference. */
#include "random_call.h"
#include "reference.h"

enum { ROUNDS = 300 };

static attend_dtype any_type(test_random *rng) {
    static const attend_dtype types[] = {ATTEND_F64, ATTEND_F32, ATTEND_F16, ATTEND_BF16};
    return types[random_pick(rng, 0, 3)];
}

static reference reference_of(const random_call *call) {
    return reference_attention(&call->problem, &call->q, &call->k, &call->v, &call->extra);
}

/* An output of the tap's shape, in any type and layout; index -1 ends the shape. */
static attend_out tap_tensor(test_random *rng, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t shape[] = {a, b, c, d};
    return test_strided(rng, dtype, d < 0 ? 3 : 4, shape, false);
}

static void assert_tap(attend_out tap, const double *want, double error) {
    attend_in got = attend_read(tap);
    assert_rounded(&got, want, error);
}

static void test_one_number_for_each_query(void **state) {
    test_random rng = {71};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        const attend_problem *p = &call.problem;
        attend_taps taps = attend_taps_init();
        taps.lse = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, p->queries, -1);
        taps.row_max = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, p->queries, -1);
        taps.entropy = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, p->queries, -1);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        assert_tap(taps.lse, r.lse, 1e-12);
        assert_tap(taps.row_max, r.row_max, 1e-12);
        assert_tap(taps.entropy, r.entropy, 1e-12);
    }
}

/* 0 <= entropy <= log of what may be chosen, exactly 0 for one key, the whole logarithm for equal ones. */
static void test_entropy_bounds(void **state) {
    test_random rng = {72};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
        const attend_problem *p = &call.problem;
        attend_taps taps = attend_taps_init();
        taps.entropy = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        for (int64_t row = 0; row < r.B * r.H * r.Tq; row++) {
            int64_t outcomes = r.sink_mass[row] > 0;
            double entropy = ((const double *)taps.entropy.data)[row];
            for (int64_t j = 0; j < r.Tk; j++)
                outcomes += r.seen[row * r.Tk + j];
            assert_true(entropy >= 0 && entropy <= log(outcomes ? (double)outcomes : 1) + 1e-12);
            assert_true(outcomes > 1 || entropy == 0);
        }
    }
}

/* One row of given scores: q = 1, scale 1, so that the scores are the keys; returns entropy and lse. */
static void run_scores(attend_ctx *ctx, int64_t count, const double *scores, double *entropy, double *lse) {
    const double one = 1;
    attend_in q = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one), k = test_tensor_of(ATTEND_F64, 1, 1, count, 1, scores);
    attend_out o = test_tensor(ATTEND_F64, 1, 1, 1, 1);
    attend_problem problem = attend_problem_init();
    attend_taps taps = attend_taps_init();
    taps.entropy = test_tensor(ATTEND_F64, 1, 1, 1, -1);
    taps.lse = test_tensor(ATTEND_F64, 1, 1, 1, -1);
    assert_works(ctx, attend_problem_from(ctx, &q, &k, &k, &problem));
    problem.scale = 1;
    assert_works(ctx, attend_forward(ctx, &problem, &q, &k, &k, NULL, &o, &taps));
    *entropy = *(const double *)taps.entropy.data;
    *lse = *(const double *)taps.lse.data;
}

/* Without cancellation: lse - (mean score) would lose all digits here. */
static void test_entropy_of_sharp_and_distant_rows(void **state) {
    double entropy, lse;
    const double sharp[] = {0, -40};
    run_scores(*state, 2, sharp, &entropy, &lse);
    assert_true(fabs(entropy / (exp(-40) * 41) - 1) < 1e-12); /* e^-40 (1 + 40), and higher orders */
    const double far[] = {1e15, 1e15};
    run_scores(*state, 2, far, &entropy, &lse);
    assert_close(entropy, log(2), 1e-15);
    const double widest[] = {1.5e308, -1.5e308}; /* their distance overflows */
    run_scores(*state, 2, widest, &entropy, &lse);
    assert_true(entropy == 0 && lse == 1.5e308);
    const double tiny[] = {4.9e-324, 0, -4.9e-324};
    run_scores(*state, 3, tiny, &entropy, &lse);
    assert_close(entropy, log(3), 1e-15);
}

/* The heaviest keys by sorting the whole row. */
static void sorted_top(const reference *r, int64_t row, int64_t top, double *weights, double *indices) {
    bool *taken = test_block((size_t)r->Tk);
    for (int64_t n = 0; n < top; n++) {
        int64_t best = -1;
        for (int64_t j = 0; j < r->Tk; j++)
            if (r->seen[row * r->Tk + j] && !taken[j] &&
                (best < 0 || r->weights[row * r->Tk + j] > r->weights[row * r->Tk + best]))
                best = j;
        indices[n] = (double)best;
        weights[n] = best < 0 ? 0 : r->weights[row * r->Tk + best];
        if (best >= 0)
            taken[best] = true;
    }
}

static void test_top(void **state) {
    test_random rng = {73};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_SCALE);
        const attend_problem *p = &call.problem;
        int64_t top = random_pick(&rng, 0, 12), rows = p->batch * p->heads * p->queries;
        double *weights = test_block((size_t)(rows * top) * 8), *indices = test_block((size_t)(rows * top) * 8);
        double *rest = test_block((size_t)rows * 8);
        attend_taps taps = attend_taps_init();
        int given = (int)random_pick(&rng, 1, 3);
        if (given & 1)
            taps.top_index = tap_tensor(&rng, ATTEND_I32, p->batch, p->heads, p->queries, top);
        if (given & 2)
            taps.top_weight = tap_tensor(&rng, ATTEND_F64, p->batch, p->heads, p->queries, top);
        taps.top_rest = tap_tensor(&rng, ATTEND_F64, p->batch, p->heads, p->queries, -1);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        for (int64_t row = 0; row < rows; row++) {
            sorted_top(&r, row, top, weights + row * top, indices + row * top);
            rest[row] = r.lse[row] == -INFINITY ? 0 : 1;
            for (int64_t k = 0; k < top; k++)
                rest[row] -= weights[row * top + k];
        }
        if (given & 1)
            assert_tap(taps.top_index, indices, 0);
        if (given & 2)
            assert_tap(taps.top_weight, weights, 1e-12);
        assert_tap(taps.top_rest, rest, 1e-12);
    }
}

/* Equal weights: the lower key first, whichever comes in between. */
static void test_top_ties(void **state) {
    const double scores[] = {1, 2, 1, 2, 0, 2}, want[] = {1, 3, 5, 0, 2, 4, -1, -1};
    const double one = 1;
    attend_in q = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one), k = test_tensor_of(ATTEND_F64, 1, 1, 6, 1, scores);
    attend_problem problem = attend_problem_init();
    attend_out o = test_tensor(ATTEND_F64, 1, 1, 1, 1);
    assert_works(*state, attend_problem_from(*state, &q, &k, &k, &problem));
    for (int64_t top = 0; top <= 8; top++) {
        attend_taps taps = attend_taps_init();
        taps.top_index = test_tensor(ATTEND_I32, 1, 1, 1, top);
        assert_works(*state, attend_forward(*state, &problem, &q, &k, &k, NULL, &o, &taps));
        assert_tap(taps.top_index, want, 0);
    }
}

static void test_rows(void **state) {
    test_random rng = {74};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
        const attend_problem *p = &call.problem;
        int64_t count = random_pick(&rng, 0, 4), place = 0;
        attend_out rows = test_tensor(ATTEND_I32, count, -1, -1, -1);
        for (int64_t k = 0; k < count; k++)
            test_set(&rows, k, 0, 0, 0, (double)random_pick(&rng, 0, p->queries - 1)); /* also the same one twice */
        attend_taps taps = attend_taps_init();
        taps.rows = attend_read(rows);
        attend_out *outs[] = {&taps.row_raw, &taps.row_capped, &taps.row_biased, &taps.row_weights};
        double *want[4];
        for (int t = 0; t < 4; t++) {
            *outs[t] = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, count, p->keys);
            want[t] = test_block((size_t)(p->batch * p->heads * count * p->keys) * 8);
        }
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        for (int64_t head = 0; head < r.B * r.H; head++)
            for (int64_t k = 0; k < count; k++)
                for (int64_t j = 0; j < r.Tk; j++, place++) {
                    int64_t i = ((const int32_t *)rows.data)[k], pair = (head * r.Tq + i) * r.Tk + j;
                    want[0][place] = r.seen[pair] ? r.raw[pair] : -INFINITY;
                    want[1][place] = r.seen[pair] ? r.capped[pair] : -INFINITY;
                    want[2][place] = r.masked[pair];
                    want[3][place] = r.weights[pair];
                }
        for (int t = 0; t < 4; t++)
            assert_tap(*outs[t], want[t], 1e-12);
    }
}

static void test_column_sums(void **state) {
    test_random rng = {75};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        const attend_problem *p = &call.problem;
        attend_taps taps = attend_taps_init();
        taps.column_sum = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, p->keys, -1);
        taps.column_first = random_pick(&rng, 0, p->queries);
        taps.column_count = random_pick(&rng, 0, p->queries - taps.column_first);
        int64_t end = taps.column_count ? taps.column_first + taps.column_count : p->queries;
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        double *want = test_block((size_t)(r.B * r.H * r.Tk) * sizeof *want);
        for (int64_t head = 0; head < r.B * r.H; head++)
            for (int64_t i = taps.column_first; i < end; i++)
                for (int64_t j = 0; j < r.Tk; j++)
                    want[head * r.Tk + j] += r.weights[(head * r.Tq + i) * r.Tk + j];
        assert_tap(taps.column_sum, want, 1e-12);
    }
}

/* Band y covers floor(y total / count) to floor((y+1) total / count) - 1. */
static bool in_band(int64_t position, int64_t y, int64_t total, int64_t count) {
    return position >= y * total / count && position < (y + 1) * total / count;
}

static void pool(const reference *r, int64_t rows, int64_t columns, double *sum, double *count, double *most) {
    int64_t cell = 0;
    for (int64_t head = 0; head < r->B * r->H; head++)
        for (int64_t y = 0; y < rows; y++)
            for (int64_t x = 0; x < columns; x++, cell++)
                for (int64_t pair = 0; pair < r->Tq * r->Tk; pair++) {
                    int64_t at = head * r->Tq * r->Tk + pair;
                    if (!in_band(pair / r->Tk, y, r->Tq, rows) || !in_band(pair % r->Tk, x, r->Tk, columns) ||
                        !r->seen[at])
                        continue;
                    sum[cell] += r->weights[at];
                    count[cell] += 1;
                    most[cell] = fmax(most[cell], r->weights[at]);
                }
}

/* Grids finer and coarser than the pairs; any of the three alone. */
static void test_grids(void **state) {
    test_random rng = {76};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        const attend_problem *p = &call.problem;
        int64_t rows = random_pick(&rng, 0, 8), columns = random_pick(&rng, 0, 12);
        size_t size = (size_t)(p->batch * p->heads * rows * columns) * sizeof(double);
        double *want[] = {test_block(size), test_block(size), test_block(size)};
        attend_taps taps = attend_taps_init();
        attend_out *outs[] = {&taps.grid_sum, &taps.grid_count, &taps.grid_max};
        int64_t given = random_pick(&rng, 1, 7);
        for (int t = 0; t < 3; t++)
            if (given >> t & 1)
                *outs[t] = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, rows, columns);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        pool(&r, rows, columns, want[0], want[1], want[2]);
        for (int t = 0; t < 3; t++)
            if (given >> t & 1)
                assert_tap(*outs[t], want[t], 1e-12);
    }
}

static void test_segments(void **state) {
    test_random rng = {77};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        const attend_problem *p = &call.problem;
        int64_t kinds = random_pick(&rng, 1, 4);
        attend_out segments = test_tensor(ATTEND_I32, p->keys, -1, -1, -1);
        for (int64_t j = 0; j < p->keys; j++)
            test_set(&segments, j, 0, 0, 0, (double)random_pick(&rng, 0, kinds - 1));
        attend_taps taps = attend_taps_init();
        taps.segments = attend_read(segments);
        taps.segment_mass = tap_tensor(&rng, any_type(&rng), p->batch, p->heads, p->queries, kinds);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_of(&call);
        double *want = test_block((size_t)(r.B * r.H * r.Tq * kinds) * sizeof *want);
        for (int64_t pair = 0; pair < r.B * r.H * r.Tq * r.Tk; pair++)
            want[pair / r.Tk * kinds + ((const int32_t *)segments.data)[pair % r.Tk]] += r.weights[pair];
        assert_tap(taps.segment_mass, want, 1e-12);
    }
}

/* Three queries over four keys; the values of query 1 are NaN.  Its row says so everywhere, and no other. */
static void test_row_that_holds_nan(void **state) {
    const double q_values[] = {1, NAN, 2}, k_values[] = {1, 2, 3, 4};
    attend_in q = test_tensor_of(ATTEND_F64, 1, 1, 3, 1, q_values);
    attend_in k = test_tensor_of(ATTEND_F64, 1, 1, 4, 1, k_values);
    attend_out o = test_tensor(ATTEND_F64, 1, 1, 3, 1);
    attend_problem problem = attend_problem_init();
    attend_taps taps = attend_taps_init();
    attend_out *lists[] = {&taps.lse, &taps.row_max, &taps.entropy, &taps.top_rest, &taps.top_weight};
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        *lists[n] = test_tensor(ATTEND_F64, 1, 1, 3, n < 4 ? -1 : 2);
    taps.top_index = test_tensor(ATTEND_I32, 1, 1, 3, 2);
    taps.column_sum = test_tensor(ATTEND_F64, 1, 1, 4, -1);
    taps.grid_max = test_tensor(ATTEND_F64, 1, 1, 1, 2); /* one band for all queries: the NaN row is in the middle */
    taps.grid_sum = test_tensor(ATTEND_F64, 1, 1, 1, 2);
    assert_works(*state, attend_problem_from(*state, &q, &k, &k, &problem));
    assert_works(*state, attend_forward(*state, &problem, &q, &k, &k, NULL, &o, &taps));
    for (int i = 0; i < 3; i++) {
        for (size_t n = 0; n < 4; n++)
            assert_int_equal(isnan(((const double *)lists[n]->data)[i]) != 0, i == 1);
        for (int n = 0; n < 2; n++) {
            assert_int_equal(isnan(((const double *)taps.top_weight.data)[2 * i + n]) != 0, i == 1);
            assert_int_equal(((const int32_t *)taps.top_index.data)[2 * i + n], i == 1 ? -1 : 3 - n);
        }
    }
    for (int x = 0; x < 2; x++)
        assert_true(isnan(((const double *)taps.grid_max.data)[x]) && isnan(((const double *)taps.grid_sum.data)[x]));
    for (int j = 0; j < 4; j++)
        assert_true(isnan(((const double *)taps.column_sum.data)[j]));
}

/* Outputs that share an axis must agree on it even when the first one has none of it. */
static void test_empty_tap_beside_a_full_one(void **state) {
    test_random rng = {78};
    random_call call = random_call_make(&rng, 0);
    const attend_problem *p = &call.problem;
    attend_taps taps = attend_taps_init();
    taps.top_index = test_tensor(ATTEND_I32, p->batch, p->heads, p->queries, 0);
    taps.top_weight = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, 3);
    assert_fails(*state, random_call_forward(*state, &call, &taps), ATTEND_SHAPE,
                 "taps.top_weight.shape[3] is 3 but top_index.shape[3] is 0");
    taps = attend_taps_init();
    taps.grid_sum = test_tensor(ATTEND_F64, p->batch, p->heads, 0, 3);
    taps.grid_max = test_tensor(ATTEND_F64, p->batch, p->heads, 2, 3);
    assert_fails(*state, random_call_forward(*state, &call, &taps), ATTEND_SHAPE,
                 "taps.grid_max.shape[2] is 2 but the other grid's shape[2] is 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_one_number_for_each_query),
        TEST(test_entropy_bounds),
        TEST(test_entropy_of_sharp_and_distant_rows),
        TEST(test_top),
        TEST(test_top_ties),
        TEST(test_rows),
        TEST(test_column_sums),
        TEST(test_grids),
        TEST(test_segments),
        TEST(test_row_that_holds_nan),
        TEST(test_empty_tap_beside_a_full_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
