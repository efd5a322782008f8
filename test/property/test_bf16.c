/* Keys of bf16 are met by kernels of many kinds, by dot products of pairs where the processor has them: one row has one
   result, whichever it is, whatever is beside it, and however small its numbers are. */
#include "random_call.h"

#ifndef ATTEND_TEST_ROUNDS /* fewer where the processor is emulated */
#define ATTEND_TEST_ROUNDS 120
#endif
enum { ROUNDS = ATTEND_TEST_ROUNDS };

typedef struct sizes {
    int64_t heads, kv_heads, queries, keys, width;
    bool small, strided, causal;
    double scale;
} sizes;

/* Rows whose numbers, or whose products with each other, are denormal. */
static attend_in tensor_of(test_random *rng, const sizes *s, int64_t heads, int64_t rows) {
    int64_t gap = s->strided ? random_pick(rng, 1, 3) : 0;
    attend_out all = test_tensor(ATTEND_BF16, 1, heads, rows, s->width + gap);
    for (int64_t n = 0; n < heads * rows; n++) {
        int power = s->small && random_chance(rng, 90) ? (int)random_pick(rng, -135, -50) : 1;
        for (int64_t d = 0; d < s->width + gap; d++)
            test_set(&all, 0, n / rows, n % rows, d, ldexp(random_real(rng), power));
    }
    return test_slice(attend_read(all), 3, 0, s->width);
}

static sizes random_sizes(test_random *rng) {
    int64_t kv_heads = random_pick(rng, 1, 2);
    sizes s = {.kv_heads = kv_heads, .heads = kv_heads * random_pick(rng, 1, 3)};
    s.queries = random_pick(rng, 1, 70);
    s.keys = random_pick(rng, 1, 600);
    s.width = random_pick(rng, 1, 100) * (random_chance(rng, 60) ? 2 : 1);
    s.small = random_chance(rng, 30);
    s.strided = random_chance(rng, 30);
    s.causal = random_chance(rng, 50);
    s.scale = random_chance(rng, 15) ? -0.3 : 0;
    return s;
}

static random_call call_of(attend_ctx *ctx, test_random *rng, const sizes *s) {
    random_call call = {attend_problem_init(),
                        attend_extra_init(),
                        tensor_of(rng, s, s->heads, s->queries),
                        tensor_of(rng, s, s->kv_heads, s->keys),
                        tensor_of(rng, s, s->kv_heads, s->keys),
                        test_tensor(ATTEND_F32, 1, s->heads, s->queries, s->width)};
    assert_works(ctx, attend_problem_from(ctx, &call.q, &call.k, &call.v, &call.problem));
    call.problem.flags = s->causal ? ATTEND_CAUSAL : 0;
    call.problem.query_offset = s->keys - s->queries;
    call.problem.scale = s->scale;
    return call;
}

/* The output; what is found on the way to it; and the raw scores of all queries, which are made once more. */
typedef struct results {
    attend_in output, row_max, scores;
} results;

static results results_of(attend_ctx *ctx, const random_call *call) {
    random_call fresh = *call;
    attend_taps taps = attend_taps_init();
    fresh.o = test_tensor(ATTEND_F32, 1, call->problem.heads, call->problem.queries, call->problem.head_width);
    taps.row_max = test_tensor(ATTEND_F64, 1, call->problem.heads, call->problem.queries, -1);
    taps.rows = test_range(call->problem.queries);
    taps.row_raw = test_tensor(ATTEND_F32, 1, call->problem.heads, call->problem.queries, call->problem.keys);
    assert_works(ctx, random_call_forward(ctx, &fresh, &taps));
    results found = {attend_read(fresh.o), attend_read(taps.row_max), attend_read(taps.row_raw)};
    return found;
}

static void test_every_instruction_set(void **state) {
    (void)state;
    test_random rng = test_seed(91);
    attend_ctx *plain = test_context_of(ATTEND_ISA_PORTABLE, 1, test_context_memory());
    for (int n = 0; n < ROUNDS; n++) {
        sizes s = random_sizes(&rng);
        random_call call = call_of(plain, &rng, &s);
        results want = results_of(plain, &call);
        for (int32_t isa = ATTEND_ISA_AVX2; isa <= ATTEND_ISA_NEON; isa++) {
            if (attend_isa_refusal((attend_isa)isa) != NULL)
                continue;
            attend_ctx *ctx = test_context_of(isa, 1, test_context_memory());
            results got = results_of(ctx, &call);
            assert_same_bits(&got.output, &want.output);
            assert_same_bits(&got.row_max, &want.row_max);
            assert_same_bits(&got.scores, &want.scores);
            attend_ctx_destroy(ctx);
        }
    }
    attend_ctx_destroy(plain);
}

/* One query alone goes through the kernels of decode. */
static void test_one_query_at_a_time(void **state) {
    test_random rng = test_seed(92);
    for (int n = 0; n < ROUNDS / 4; n++) {
        sizes s = random_sizes(&rng);
        random_call call = call_of(*state, &rng, &s);
        results whole = results_of(*state, &call);
        for (int64_t i = 0; i < s.queries; i += 7) {
            random_call one = call;
            one.problem.queries = 1;
            one.problem.query_offset += i;
            one.q = test_slice(call.q, 2, i, 1);
            results got = results_of(*state, &one);
            attend_in output = test_slice(whole.output, 2, i, 1), scores = test_slice(whole.scores, 2, i, 1);
            attend_in row_max = test_slice(whole.row_max, 2, i, 1);
            assert_same_bits(&got.output, &output);
            assert_same_bits(&got.row_max, &row_max);
            assert_same_bits(&got.scores, &scores);
        }
    }
}

/* Which of the calls above take dot products: those that could, where the processor has them. */
static void test_explained(void **state) {
    test_random rng = test_seed(93);
    sizes fitting = {1, 1, 40, 100, 64, false, false, false, 0}, odd = fitting, few = fitting, negative = fitting;
    odd.width = 63, few.queries = 3, negative.scale = -1;
    const sizes *kinds[] = {&fitting, &odd, &few, &negative};
    bool taken[COUNT_OF(kinds)];
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        random_call call = call_of(*state, &rng, kinds[n]);
        attend_explanation found = attend_explanation_init();
        assert_works(*state,
                     attend_explain(*state, &call.problem, &call.q, &call.k, &call.v, &call.extra, ATTEND_F32, &found));
        taken[n] = found.not_pairs == NULL;
        assert_int_equal(taken[n], strcmp(found.compare, "compare_pairs") == 0);
    }
    assert_true(!taken[1] && !taken[2] && !taken[3]);
    if (!taken[0])
        print_message("no dot products of bf16 here\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_every_instruction_set), TEST(test_one_query_at_a_time),
                                       TEST(test_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
