/* attend_explain says what attend_forward then does. */
#include "random_call.h"

#include "base/context.h"

enum { ROUNDS = 150 };

static attend_status explain(attend_ctx *ctx, const random_call *call, attend_explanation *found) {
    return attend_explain(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, (attend_dtype)call->o.dtype,
                          found);
}

static void test_path(void **state) {
    test_random rng = {71};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | (MAY_ALL & ~MAY_BE_EMPTY));
        attend_explanation found = attend_explanation_init();
        assert_works(*state, explain(*state, &call, &found));
        assert_works(*state, random_call_forward(*state, &call, NULL));
        assert_string_equal(found.path, attend_ctx_path(*state));
        assert_int_equal(found.not_fast == NULL, strcmp(found.path, "fast") == 0);
    }
}

/* The blocks of all tasks hold every row once or, at the edges, less than once more; and parts are cut from chunks. */
static void test_cuts(void **state) {
    (void)state;
    test_random rng = {72};
    attend_ctx *contexts[] = {test_context(1), test_context(8)};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_BE_LONG | MUST_BE_SHORT_FLOATS);
        attend_explanation e = attend_explanation_init();
        assert_works(contexts[n % 2], explain(contexts[n % 2], &call, &e));
        int64_t rows = call.problem.batch * call.problem.heads * call.problem.queries;
        int64_t task_rows = (int64_t)e.block_heads * e.block_queries * e.task_blocks;
        assert_true(e.tasks * task_rows >= rows);
        assert_true(e.block_heads * e.block_queries <= e.block_most);
        assert_true(e.chunks * e.chunk >= call.problem.keys && (e.chunks - 1) * e.chunk < call.problem.keys);
        assert_true(e.splits >= 1 && e.splits <= (e.chunks > 1 ? e.chunks : 1));
        assert_true((e.not_split == NULL) == (e.splits > 1));
        assert_true(e.threads >= 1 && e.threads <= (n % 2 ? 8 : 1));
    }
}

/* The kernels for doubles are named after the set that they are of, whatever set the context has: none is computed with. */
static void test_kernels_for_doubles(void **state) {
    static const struct {
        attend_isa context, f32, f64;
    } sets[] = {{ATTEND_ISA_PORTABLE, ATTEND_ISA_PORTABLE, ATTEND_ISA_PORTABLE},
#ifdef __x86_64__
                {ATTEND_ISA_AVX2, ATTEND_ISA_AVX2, ATTEND_ISA_AVX2},
                {ATTEND_ISA_AVX512, ATTEND_ISA_AVX512, ATTEND_ISA_AVX2}
#endif
    };
    test_random rng = {75};
    random_call call = random_call_make(&rng, MUST_BE_SHORT_FLOATS);
    for (size_t n = 0; n < COUNT_OF(sets); n++)
        for (int wide = 0; wide < 2; wide++) {
            attend_ctx *ctx = *state;
            attend_explanation found = attend_explanation_init();
            call.o.dtype = wide ? ATTEND_F64 : ATTEND_F32;
            ctx->isa = sets[n].context;
            assert_works(ctx, explain(ctx, &call, &found));
            assert_int_equal(found.isa, wide ? sets[n].f64 : sets[n].f32);
        }
}

static void test_mistakes(void **state) {
    test_random rng = {73};
    random_call call = random_call_make(&rng, 0);
    attend_explanation found = attend_explanation_init();
    assert_fails(*state, explain(*state, &call, NULL), ATTEND_ARGUMENT, "explanation is NULL");
    found.struct_size = 0;
    assert_fails(*state, explain(*state, &call, &found), ATTEND_ARGUMENT,
                 "explanation.struct_size is 0: make the struct with its *_init function");
    found = attend_explanation_init();
    call.o.dtype = ATTEND_I8;
    assert_fails(*state, explain(*state, &call, &found), ATTEND_DTYPE,
                 "o.dtype is i8 but must be f32, f16, bf16 or f64");
    call.o.dtype = 99;
    assert_fails(*state, explain(*state, &call, &found), ATTEND_DTYPE, "o.dtype is 99, not an attend_dtype");
    call.q.data = NULL;
    found = attend_explanation_init();
    assert_fails(*state, explain(*state, &call, &found), ATTEND_ARGUMENT, "q.data is NULL");
}

/* Written by an older caller: what it does not know stays as it is. */
static void test_older_caller(void **state) {
    test_random rng = {74};
    random_call call = random_call_make(&rng, 0); /* f64 */
    attend_explanation found = attend_explanation_init();
    found.struct_size = offsetof(attend_explanation, threads);
    found.combine = "untouched";
    assert_works(*state, explain(*state, &call, &found));
    assert_string_equal(found.path, "readable");
    assert_string_equal(found.combine, "untouched");
    assert_int_equal(found.threads, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_path), TEST(test_cuts), TEST(test_kernels_for_doubles),
                                       TEST(test_mistakes), TEST(test_older_caller)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
