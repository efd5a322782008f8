/* Strides carry the layout: any of them gives the numbers of the dense one, and nothing but the output is written. */
#include "random_call.h"

static attend_in dense_output(attend_ctx *ctx, const random_call *call) {
    random_call dense = *call;
    dense.q = test_copy(&call->q, (attend_dtype)call->q.dtype);
    dense.k = test_copy(&call->k, (attend_dtype)call->k.dtype);
    dense.v = test_copy(&call->v, (attend_dtype)call->v.dtype);
    attend_in *extras[] = {&dense.extra.mask, &dense.extra.bias, &dense.extra.slopes, &dense.extra.sinks};
    for (size_t n = 0; n < COUNT_OF(extras); n++)
        if (extras[n]->data)
            *extras[n] = test_copy(extras[n], (attend_dtype)extras[n]->dtype);
    dense.o = test_tensor((attend_dtype)call->o.dtype, call->o.shape[0], call->o.shape[1], call->o.shape[2],
                          call->o.shape[3]);
    assert_works(ctx, random_call_forward(ctx, &dense, NULL));
    return attend_read(dense.o);
}

static void test_any_layout_equals_dense(void **state) {
    test_random rng = {61};
    for (int n = 0; n < 500; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_ALL);
        attend_in want = dense_output(*state, &call), got = attend_read(call.o);
        assert_works(*state, random_call_forward(*state, &call, NULL));
        assert_same_bits(&got, &want);
    }
}

enum { B = 2, T = 5, H = 3, D = 4, SLOTS = 4, BUFFER = B * T * SLOTS * H * D };

/* Slot 0..3 (q, k, v, o) of a buffer (B, T, slots, H, D) as (B, H, T, D). */
static attend_out slot_of(float *buffer, int64_t slot) {
    attend_out view = {{B, H, T, D}, {T * SLOTS * H * D, D, SLOTS * H * D, 1}, ATTEND_F32, 4, buffer + slot * H * D};
    return view;
}

/* Queries, keys, values and the output interleaved token by token: only the output's slots change. */
static void test_interleaved_buffer(void **state) {
    test_random rng = {62};
    float *buffer = test_block(BUFFER * sizeof *buffer), *before = test_block(BUFFER * sizeof *before);
    for (int n = 0; n < BUFFER; n++)
        buffer[n] = (float)random_real(&rng);
    memcpy(before, buffer, BUFFER * sizeof *buffer);
    attend_in q = attend_read(slot_of(buffer, 0)), k = attend_read(slot_of(buffer, 1));
    attend_in v = attend_read(slot_of(buffer, 2));
    attend_out o = slot_of(buffer, 3);
    random_call call = {attend_problem_init(), attend_extra_init(), q, k, v, o};
    assert_works(*state, attend_problem_from(*state, &q, &k, &v, &call.problem));
    call.problem.flags = ATTEND_CAUSAL;
    attend_in want = dense_output(*state, &call), got = attend_read(o);
    assert_works(*state, random_call_forward(*state, &call, NULL));
    assert_same_bits(&got, &want);
    for (int n = 0; n < BUFFER; n++)
        if (n / (H * D) % SLOTS != 3)
            assert_true(buffer[n] == before[n]);
}

/* An output with gaps: what lies between its elements keeps its bytes. */
static void test_gaps_of_the_output(void **state) {
    test_random rng = {63};
    float *block = test_block(4000 * sizeof *block);
    for (int n = 0; n < 4000; n++)
        block[n] = -77;
    attend_in in = test_random_tensor(&rng, ATTEND_F32, 2, 2, 3, 4);
    attend_out o = {{2, 2, 3, 4}, {-900, 300, 50, -3}, ATTEND_F32, 4, block + 1800}; /* walks both ways from there */
    attend_problem problem = attend_problem_init();
    assert_works(*state, attend_problem_from(*state, &in, &in, &in, &problem));
    assert_works(*state, attend_forward(*state, &problem, &in, &in, &in, NULL, &o, NULL));
    for (int64_t n = 0; n < 48; n++)
        test_set(&o, n / 24, n / 12 % 2, n / 4 % 3, n % 4, -77);
    for (int n = 0; n < 4000; n++)
        assert_true(block[n] == -77);
}

/* Presets that other libraries use, as permuted views of one set of numbers. */
static void test_usual_layouts(void **state) {
    test_random rng = {64};
    attend_in bthd = test_random_tensor(&rng, ATTEND_F32, B, T, H, D); /* tokens before heads */
    attend_in tbhd = test_random_tensor(&rng, ATTEND_F32, T, B, H, D); /* tokens first */
    attend_in bhdt = test_random_tensor(&rng, ATTEND_F32, B, H, D, T); /* keys by columns */
    static const int32_t from_bthd[] = {0, 2, 1, 3}, from_tbhd[] = {1, 2, 0, 3}, from_bhdt[] = {0, 1, 3, 2};
    random_call call = {attend_problem_init(),           attend_extra_init(),
                        attend_permute(bthd, from_bthd), attend_permute(bhdt, from_bhdt),
                        attend_permute(tbhd, from_tbhd), {.data = NULL}};
    call.o = test_tensor(ATTEND_F32, B, H, T, D);
    assert_works(*state, attend_problem_from(*state, &call.q, &call.k, &call.v, &call.problem));
    assert_true(call.problem.batch == B && call.problem.heads == H && call.problem.queries == T);
    attend_in want = dense_output(*state, &call), got = attend_read(call.o);
    assert_works(*state, random_call_forward(*state, &call, NULL));
    assert_same_bits(&got, &want);
}

/* Stride 0 repeats: one key for all, one query for all. */
static void test_repeated_inputs(void **state) {
    test_random rng = {65};
    attend_in one = test_random_tensor(&rng, ATTEND_F32, 1, 1, 1, D);
    attend_in many = {{B, H, T, D}, {0, 0, 0, 1}, ATTEND_F32, 4, one.data};
    attend_out o = test_tensor(ATTEND_F32, B, H, T, D);
    attend_problem problem = attend_problem_init();
    assert_works(*state, attend_problem_from(*state, &many, &many, &many, &problem));
    problem.flags = ATTEND_READABLE;
    assert_works(*state, attend_forward(*state, &problem, &many, &many, &many, NULL, &o, NULL));
    attend_in got = attend_read(o);
    assert_tensors_close(&got, &many, 1e-15); /* the mean of equal values */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_any_layout_equals_dense), TEST(test_interleaved_buffer), TEST(test_gaps_of_the_output),
        TEST(test_usual_layouts),           TEST(test_repeated_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
