/* Which path attend_forward takes, and that both agree at the ends of the floats. */
#include "test_support.h"

#include <float.h>

#include "kernel/select.h"

typedef struct small_call {
    float q[1], k[2], v[2], bias[2];
    double scale, softcap;
} small_call;

typedef struct small_result {
    float o;
    double lse;
    const char *path;
} small_result;

/* One query, two keys, width 1. */
static small_result run(attend_isa isa, const small_call *call, uint32_t flags) {
    const int64_t query[] = {1, 1, 1, 1}, keys[] = {1, 1, 2, 1}, row[] = {1, 1, 1, 2};
    attend_config config = attend_config_init();
    attend_problem problem = attend_problem_init();
    attend_extra extra = attend_extra_init();
    attend_taps taps = attend_taps_init();
    small_result result = {0, 0, ""};
    attend_ctx *ctx;
    config.isa = (int32_t)isa;
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    attend_in q = attend_in_dense(call->q, ATTEND_F32, 4, query), k = attend_in_dense(call->k, ATTEND_F32, 4, keys);
    attend_in v = attend_in_dense(call->v, ATTEND_F32, 4, keys);
    attend_out o = attend_out_dense(&result.o, ATTEND_F32, 4, query);
    taps.lse = attend_out_dense(&result.lse, ATTEND_F64, 3, query);
    extra.bias = attend_in_dense(call->bias, ATTEND_F32, 4, row);
    assert_works(ctx, attend_problem_from(ctx, &q, &k, &v, &problem));
    problem.scale = call->scale;
    problem.softcap = call->softcap;
    problem.flags = flags;
    assert_works(ctx, attend_forward(ctx, &problem, &q, &k, &v, &extra, &o, &taps));
    result.path = attend_ctx_path(ctx);
    attend_ctx_destroy(ctx);
    return result;
}

static void assert_agree(const small_call *call, const char *path) {
    small_result want = run(ATTEND_ISA_PORTABLE, call, ATTEND_READABLE);
    assert_string_equal(want.path, "readable");
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        if (at_kernels_of((attend_isa)isa) == NULL)
            continue;
        small_result got = run((attend_isa)isa, call, 0);
        assert_string_equal(got.path, path);
        assert_true(fabs((double)got.o - (double)want.o) <= 1e-6 * fabs((double)want.o));
        assert_true(fabs(got.lse - want.lse) <= 1e-6 * fabs(want.lse));
    }
}

/* A bias near the largest float is an ordinary number: a row full of it is a row of equal weights. */
static void test_bias_at_the_ends(void **state) {
    static const float biases[][2] = {{-3e38f, -3e38f}, {3e38f, 3e38f},       {-3.4e38f, -2.4e38f}, {-3.4e38f, 0},
                                      {1e30f, 1e30f},   {-FLT_MAX, -FLT_MAX}, {3.4e38f, -3.4e38f}};
    (void)state;
    for (size_t n = 0; n < COUNT_OF(biases); n++) {
        small_call call = {{1}, {1, 2}, {1, 2}, {biases[n][0], biases[n][1]}, 0, 0};
        assert_agree(&call, "fast");
    }
}

/* What f32 cannot hold goes to the readable path. */
static void test_scale_and_softcap_at_the_ends(void **state) {
    static const double scales[] = {3e38, 1e-40, -1e300, 0, 0}, caps[] = {0, 5, 0, 3.5e38, 1e-46};
    (void)state;
    for (size_t n = 0; n < COUNT_OF(scales); n++) {
        small_call call = {{1}, {1, 2}, {1, 2}, {0, 0}, scales[n], caps[n]};
        assert_agree(&call, "readable");
    }
}

/* One NaN, whatever the instruction set made of it. */
static void test_not_a_number(void **state) {
    small_call call = {{-NAN}, {1, 2}, {1, 2}, {0, 0}, 0, 0};
    uint32_t bits, first = 0;
    (void)state;
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        if (at_kernels_of((attend_isa)isa) == NULL)
            continue;
        small_result got = run((attend_isa)isa, &call, 0);
        memcpy(&bits, &got.o, sizeof bits);
        first = first == 0 ? bits : first;
        assert_true(isnan(got.o) && isnan(got.lse));
        assert_int_equal(bits, first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_bias_at_the_ends),
        TEST(test_scale_and_softcap_at_the_ends),
        TEST(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
