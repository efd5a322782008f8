/* Another library of the process may have set another rounding, or denormals that become 0: the bits of a result do not
   depend on it, on no thread, and the caller finds its mode and its exception flags as they were. */
#include <fenv.h>

#include "random_call.h"

enum { ROUNDS = 60 };

/* Rounding upwards, denormals read and written as 0 where the processor can, and one flag raised. */
static fenv_t strange_mode(void) {
    fenv_t mode;
    fesetenv(FE_DFL_ENV);
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    fegetenv(&mode);
#ifdef __x86_64__
    mode.__mxcsr |= 0x8040; /* flush to zero, denormals are zero */
#endif
    return mode;
}

static random_call with_fresh_output(const random_call *call) {
    random_call fresh = *call;
    fresh.o = test_tensor((attend_dtype)call->o.dtype, call->o.shape[0], call->o.shape[1], call->o.shape[2],
                          call->o.shape[3]);
    return fresh;
}

static attend_in output_of(attend_ctx *ctx, const random_call *call) {
    random_call fresh = with_fresh_output(call);
    assert_works(ctx, random_call_forward(ctx, &fresh, NULL));
    return attend_read(fresh.o);
}

/* In that mode, which the library must leave as it was. */
static attend_in strange_output_of(attend_ctx *ctx, const random_call *call, const fenv_t *mode) {
    random_call fresh = with_fresh_output(call);
    fesetenv(mode);
    attend_status status = random_call_forward(ctx, &fresh, NULL);
    fenv_t after;
    fegetenv(&after);
    int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
    assert_works(ctx, status);
    assert_int_equal(rounding, FE_UPWARD);
    assert_int_equal(flags, FE_DIVBYZERO);
#ifdef __x86_64__
    assert_int_equal(after.__mxcsr, mode->__mxcsr);
#endif
    return attend_read(fresh.o);
}

static void test_forward(void **state) {
    (void)state;
    fenv_t mode = strange_mode();
    fesetenv(FE_DFL_ENV);
    attend_ctx *contexts[] = {test_context(1), test_context(3)};
    test_random rng = {71};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_BE_FAST | MAY_ALL);
        for (size_t c = 0; c < COUNT_OF(contexts); c++) {
            attend_in strange = strange_output_of(contexts[c], &call, &mode);
            attend_in plain = output_of(contexts[c], &call);
            assert_same_bits(&strange, &plain);
        }
    }
}

/* A smallest denormal float as the only value: flushed, it would be 0. */
static void test_denormals_are_kept(void **state) {
    fenv_t mode = strange_mode();
    const double one = 1, smallest = 0x1p-149;
    attend_problem problem = attend_problem_init();
    attend_in q = test_tensor_of(ATTEND_F32, 1, 1, 1, 1, &one), v = test_tensor_of(ATTEND_F32, 1, 1, 1, 1, &smallest);
    attend_out o = test_tensor(ATTEND_F32, 1, 1, 1, 1);
    assert_works(*state, attend_problem_from(*state, &q, &q, &v, &problem));
    fesetenv(&mode);
    attend_status status = attend_forward(*state, &problem, &q, &q, &v, NULL, &o, NULL);
    fesetenv(FE_DFL_ENV);
    assert_works(*state, status);
    assert_memory_equal(o.data, v.data, sizeof(float));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_forward),
        TEST(test_denormals_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
