/* The library against the naive reference, on random calls: sizes, options, types, layouts. */
#include "random_call.h"
#include "reference.h"

static void compare_one(attend_ctx *ctx, test_random *rng, unsigned may) {
    random_call call = random_call_make(rng, may);
    const attend_problem *p = &call.problem;
    attend_out lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    attend_taps taps = attend_taps_init();
    taps.lse = lse;
    assert_works(ctx, random_call_forward(ctx, &call, &taps));
    reference want = reference_attention(p, &call.q, &call.k, &call.v, &call.extra);
    attend_in got = attend_read(call.o), got_lse = attend_read(lse);
    assert_rounded(&got, want.output, 1e-12);
    assert_rounded(&got_lse, want.lse, 1e-12);
}

static void test_everything(void **state) {
    test_random rng = {1};
    for (int n = 0; n < 2000; n++)
        compare_one(*state, &rng, MAY_ALL);
}

/* One kind of option at a time, so that a failure names it. */
static void test_each_option_alone(void **state) {
    for (unsigned may = 1; may < MAY_ALL; may <<= 1) {
        test_random rng = {may};
        for (int n = 0; n < 100; n++)
            compare_one(*state, &rng, may);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_each_option_alone), TEST(test_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
