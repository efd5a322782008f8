/* The bits of a row depend on its own inputs alone: not on threads, on who else is in the call, on how many queries it
   has, on padding, or on what is looked at. */
#include "random_call.h"

enum { ROUNDS = 100 };

static attend_in output_of(attend_ctx *ctx, const random_call *call) {
    random_call fresh = *call;
    fresh.o = test_tensor((attend_dtype)call->o.dtype, call->o.shape[0], call->o.shape[1], call->o.shape[2],
                          call->o.shape[3]);
    assert_works(ctx, random_call_forward(ctx, &fresh, NULL));
    return attend_read(fresh.o);
}

static void test_threads(void **state) {
    (void)state;
    attend_ctx *contexts[] = {test_context(1), test_context(2), test_context(3), test_context(8)};
    test_random rng = {51};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_ALL);
        attend_in alone = output_of(contexts[0], &call);
        for (size_t c = 1; c < COUNT_OF(contexts); c++) {
            attend_in together = output_of(contexts[c], &call);
            assert_same_bits(&together, &alone);
        }
    }
}

/* Batch row b of an optional list, or of a mask or bias that has a row for each. */
static attend_in row_of(attend_in tensor, int64_t b, int32_t rank) {
    return tensor.data && tensor.rank == rank && tensor.shape[0] > 1 ? test_slice(tensor, 0, b, 1) : tensor;
}

static void test_company_in_the_batch(void **state) {
    test_random rng = {52};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | (MAY_ALL & ~(MAY_PACK | MAY_BE_EMPTY)));
        attend_in whole = output_of(*state, &call);
        for (int64_t b = 0; b < call.problem.batch; b++) {
            random_call one = call;
            one.problem.batch = 1;
            one.q = test_slice(call.q, 0, b, 1);
            one.k = test_slice(call.k, 0, b, 1);
            one.v = test_slice(call.v, 0, b, 1);
            one.o.shape[0] = 1;
            one.extra.mask = row_of(call.extra.mask, b, 4);
            one.extra.bias = row_of(call.extra.bias, b, 4);
            one.extra.key_count = row_of(call.extra.key_count, b, 1);
            one.extra.query_offsets = row_of(call.extra.query_offsets, b, 1);
            attend_in got = output_of(*state, &one), want = test_slice(whole, 0, b, 1);
            assert_same_bits(&got, &want);
        }
    }
}

/* One query at a time, as a cache does it: the offset says where it stands. */
static void test_number_of_queries(void **state) {
    test_random rng = {53};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call =
            random_call_make(&rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_STRIDE | MAY_TYPE | MAY_BE_FAST);
        attend_in whole = output_of(*state, &call);
        for (int64_t i = 0; i < call.problem.queries; i++) {
            random_call one = call;
            one.problem.queries = 1;
            one.problem.query_offset += i;
            one.q = test_slice(call.q, 2, i, 1);
            one.o.shape[2] = 1;
            attend_in got = output_of(*state, &one), want = test_slice(whole, 2, i, 1);
            assert_same_bits(&got, &want);
        }
    }
}

/* Keys behind the count, before a window, or masked away: longer tensors, same bits. */
static void test_padding(void **state) {
    test_random rng = {54};
    for (int n = 0; n < ROUNDS; n++) {
        random_call padded =
            random_call_make(&rng, MAY_BE_FAST | MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_TYPE);
        random_call trimmed = padded;
        int64_t kept = random_pick(&rng, 0, padded.problem.keys);
        double *counts = test_block((size_t)padded.problem.batch * sizeof *counts);
        for (int64_t b = 0; b < padded.problem.batch; b++)
            counts[b] = (double)kept;
        padded.extra.key_count = test_list(ATTEND_I32, padded.problem.batch, counts);
        trimmed.problem.keys = kept;
        trimmed.k = test_slice(padded.k, 2, 0, kept);
        trimmed.v = test_slice(padded.v, 2, 0, kept);
        attend_in got = output_of(*state, &padded), want = output_of(*state, &trimmed);
        assert_same_bits(&got, &want);
    }
}

/* A packed batch is its sequences one by one. */
static void test_packing(void **state) {
    test_random rng = {55};
    for (int n = 0; n < 3 * ROUNDS; n++) {
        random_call call =
            random_call_make(&rng, MAY_BE_FAST | MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_PACK | MAY_COUNT);
        if (call.extra.query_starts.data == NULL)
            continue;
        attend_in whole = output_of(*state, &call);
        const int32_t *q_starts = call.extra.query_starts.data, *k_starts = call.extra.key_starts.data;
        for (int64_t s = 0; s + 1 < call.extra.query_starts.shape[0]; s++) {
            random_call one = call;
            one.problem.queries = q_starts[s + 1] - q_starts[s];
            one.problem.keys = k_starts[s + 1] - k_starts[s];
            one.q = test_slice(call.q, 2, q_starts[s], one.problem.queries);
            one.k = test_slice(call.k, 2, k_starts[s], one.problem.keys);
            one.v = test_slice(call.v, 2, k_starts[s], one.problem.keys);
            one.o.shape[2] = one.problem.queries;
            one.extra.query_starts.data = one.extra.key_starts.data = NULL;
            if (call.extra.key_count.data) {
                double count = fmin(((const int32_t *)call.extra.key_count.data)[s], (double)one.problem.keys);
                one.extra.key_count = test_list(ATTEND_I32, 1, &count);
            }
            if (call.extra.query_offsets.data)
                one.extra.query_offsets = test_slice(call.extra.query_offsets, 0, s, 1);
            attend_in got = output_of(*state, &one), want = test_slice(whole, 2, q_starts[s], one.problem.queries);
            assert_same_bits(&got, &want);
        }
    }
}

static attend_taps all_taps(const attend_problem *p) {
    attend_taps taps = attend_taps_init();
    attend_out *lists[] = {&taps.lse, &taps.row_max, &taps.entropy, &taps.top_rest};
    attend_out *rows[] = {&taps.row_raw, &taps.row_capped, &taps.row_biased, &taps.row_weights};
    attend_out *grids[] = {&taps.grid_sum, &taps.grid_count, &taps.grid_max};
    attend_out segments = test_tensor(ATTEND_I32, p->keys, -1, -1, -1);
    for (int64_t j = 0; j < p->keys; j++)
        test_set(&segments, j, 0, 0, 0, (double)(j % 3));
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        *lists[n] = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    for (size_t n = 0; n < COUNT_OF(rows); n++)
        *rows[n] = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        *grids[n] = test_tensor(ATTEND_F64, p->batch, p->heads, 2, 3);
    taps.rows = test_range(p->queries);
    taps.top_index = test_tensor(ATTEND_I32, p->batch, p->heads, p->queries, 4);
    taps.top_weight = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, 4);
    taps.column_sum = test_tensor(ATTEND_F64, p->batch, p->heads, p->keys, -1);
    taps.segments = attend_read(segments);
    taps.segment_mass = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, 3);
    return taps;
}

/* Looking changes nothing; and what is seen does not depend on threads either. */
static void test_taps(void **state) {
    attend_ctx *others[] = {test_context(1), test_context(8)};
    test_random rng = {56};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_ALL);
        attend_in plain = output_of(*state, &call), o = attend_read(call.o);
        attend_taps first = all_taps(&call.problem);
        assert_works(*state, random_call_forward(*state, &call, &first));
        assert_same_bits(&o, &plain);
        for (size_t c = 0; c < COUNT_OF(others); c++) {
            attend_taps again = all_taps(&call.problem);
            assert_works(others[c], random_call_forward(others[c], &call, &again));
            const attend_out *left[] = {&first.lse,        &first.row_max,     &first.entropy,     &first.top_rest,
                                        &first.top_index,  &first.top_weight,  &first.row_raw,     &first.row_capped,
                                        &first.row_biased, &first.row_weights, &first.column_sum,  &first.grid_sum,
                                        &first.grid_count, &first.grid_max,    &first.segment_mass};
            for (size_t t = 0; t < COUNT_OF(left); t++) {
                size_t place = (size_t)((const char *)left[t] - (const char *)&first);
                attend_in want = attend_read(*left[t]), got = attend_read(*(attend_out *)((char *)&again + place));
                assert_same_bits(&got, &want);
            }
        }
    }
}

/* A row whose scores are all -infinity in a chunk, beside one whose scores are infinite or near the end of the floats:
   together and alone. */
static void test_infinite_company(void **state) {
    const float large[] = {INFINITY, 3e38f};
    const int64_t counts[] = {1, 257, 300};
    for (size_t l = 0; l < COUNT_OF(large); l++)
        for (size_t c = 0; c < COUNT_OF(counts); c++) {
            int64_t keys = counts[c];
            const double queries[] = {-10, 10, 1};
            random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
            attend_out k = test_tensor(ATTEND_F32, 1, 1, keys, 1), v = test_tensor(ATTEND_F32, 1, 1, keys, 1);
            for (int64_t j = 0; j < keys; j++) {
                test_set(&k, 0, 0, j, 0, j == keys - 1 ? large[l] : 1);
                test_set(&v, 0, 0, j, 0, 5);
            }
            call.q = test_tensor_of(ATTEND_F32, 1, 1, 3, 1, queries);
            call.k = attend_read(k), call.v = attend_read(v);
            call.o = test_tensor(ATTEND_F32, 1, 1, 3, 1);
            assert_works(*state, attend_problem_from(*state, &call.q, &call.k, &call.v, &call.problem));
            attend_in together = output_of(*state, &call);
            for (int64_t i = 0; i < 3; i++) {
                random_call one = call;
                one.problem.queries = 1;
                one.q = test_slice(call.q, 2, i, 1);
                one.o.shape[2] = 1;
                attend_in got = output_of(*state, &one), want = test_slice(together, 2, i, 1);
                assert_same_bits(&got, &want);
            }
        }
}

/* Nothing times nothing seen is still nothing seen. */
static void test_row_max_of_an_empty_row_with_scale_zero(void **state) {
    const double one = 1;
    attend_problem problem = attend_problem_init();
    attend_in q = test_tensor_of(ATTEND_F32, 1, 1, 1, 1, &one), k = attend_read(test_tensor(ATTEND_F32, 1, 1, 0, 1));
    attend_out o = test_tensor(ATTEND_F32, 1, 1, 1, 1);
    attend_taps taps = attend_taps_init();
    taps.row_max = test_tensor(ATTEND_F64, 1, 1, 1, -1);
    assert_works(*state, attend_problem_from(*state, &q, &k, &k, &problem));
    problem.flags |= ATTEND_EXACT_SCALE;
    problem.scale = 0;
    assert_works(*state, attend_forward(*state, &problem, &q, &k, &k, NULL, &o, &taps));
    assert_true(*(double *)taps.row_max.data == -INFINITY);
    assert_true(*(float *)o.data == 0);
}

/* The same call twice. */
static void test_repetition(void **state) {
    test_random rng = {57};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_ALL);
        attend_in first = output_of(*state, &call), second = output_of(*state, &call);
        assert_same_bits(&second, &first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_threads),
        TEST(test_company_in_the_batch),
        TEST(test_number_of_queries),
        TEST(test_padding),
        TEST(test_packing),
        TEST(test_taps),
        TEST(test_repetition),
        TEST(test_infinite_company),
        TEST(test_row_max_of_an_empty_row_with_scale_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
