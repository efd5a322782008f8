/* The two toys of the founding texts through attend_chain, full and causal. The numbers come from 60-digit arithmetic,
   rounded once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attend/attend.h"

enum { TOKENS_MAX = 4, WIDTH = 2, CELLS_MAX = TOKENS_MAX * TOKENS_MAX };

static const double tolerance = 1e-12;

/* What a chain must give; rows are queries. Hidden cells of the causal ones are -infinity in masked. */
typedef struct toy_numbers {
    int64_t tokens;
    uint32_t flags;
    double q[TOKENS_MAX * WIDTH], k[TOKENS_MAX * WIDTH], v[TOKENS_MAX * WIDTH]; /* (T, 2) */
    double scores[CELLS_MAX], masked[CELLS_MAX], weights[CELLS_MAX];            /* (T, T) */
    double lse[TOKENS_MAX];
    double output[TOKENS_MAX * WIDTH]; /* (T, 2) */
} toy_numbers;

static const toy_numbers napkin_full = {
    .tokens = 3,
    .q = {1, 0, 0, 1, 1, 1},
    .k = {1, 0, 0, 1, 1, 1},
    .v = {2, 0, 0, 2, 2, 2},
    .scores = {1, 0, 1, 0, 1, 1, 1, 1, 2},
    .masked = {0.7071067811865476, 0, 0.7071067811865476, 0, 0.7071067811865476, 0.7071067811865476, 0.7071067811865476,
               0.7071067811865476, 1.4142135623730951},
    .weights = {0.4011120926797859, 0.19777581464042818, 0.4011120926797859, 0.19777581464042818, 0.4011120926797859,
                0.4011120926797859, 0.24825507825772308, 0.24825507825772308, 0.5034898434845538},
    .lse = {1.6206211390568515, 1.6206211390568515, 2.100405301228165},
    .output = {1.6044483707191437, 1.1977758146404283, 1.1977758146404283, 1.6044483707191437, 1.5034898434845538,
               1.5034898434845538},
};

static const toy_numbers napkin_causal = {
    .tokens = 3,
    .flags = ATTEND_CAUSAL,
    .q = {1, 0, 0, 1, 1, 1},
    .k = {1, 0, 0, 1, 1, 1},
    .v = {2, 0, 0, 2, 2, 2},
    .scores = {1, 0, 1, 0, 1, 1, 1, 1, 2},
    .masked = {0.7071067811865476, -INFINITY, -INFINITY, 0, 0.7071067811865476, -INFINITY, 0.7071067811865476,
               0.7071067811865476, 1.4142135623730951},
    .weights = {1, 0, 0, 0.33023845067334306, 0.6697615493266569, 0, 0.24825507825772308, 0.24825507825772308,
                0.5034898434845538},
    .lse = {0.7071067811865476, 1.1079403076572498, 2.100405301228165},
    .output = {2, 0, 0.6604769013466861, 1.3395230986533138, 1.5034898434845538, 1.5034898434845538},
};

static const toy_numbers cat_full = {
    .tokens = 4,
    .q = {0, 1, 1, 1, 2, 0, 1, 0},
    .k = {0, 1, 2, 0, 1, 1, 0, 2},
    .v = {1, 0, 4, 0, 0, 2, 1, 1},
    .scores = {1, 0, 1, 2, 1, 2, 2, 2, 0, 4, 2, 0, 0, 2, 1, 0},
    .masked = {0.7071067811865476, 0, 0.7071067811865476, 1.4142135623730951, 0.7071067811865476, 1.4142135623730951,
               1.4142135623730951, 1.4142135623730951, 0, 2.8284271247461903, 1.4142135623730951, 0, 0,
               1.4142135623730951, 0.7071067811865476, 0},
    .weights = {0.22118101637021303, 0.10905743430313004, 0.22118101637021303, 0.4485805329564439, 0.14115631124284958,
                0.2862812295857168, 0.2862812295857168, 0.2862812295857168, 0.043417704390054976, 0.7345767021916112,
                0.1785878890282788, 0.043417704390054976, 0.12282952007783793, 0.505228569985892, 0.24911238985843212,
                0.12282952007783793},
    .lse = {2.2158806153144996, 2.664994193448241, 3.1368879858040195, 2.096957900645167},
    .output = {1.1059912865391772, 0.8909425656968699, 1.5725624591714336, 0.8588436887571504, 3.0251422175465548,
               0.4005934824466126, 2.266573320099244, 0.6210542997947022},
};

static const toy_numbers cat_causal = {
    .tokens = 4,
    .flags = ATTEND_CAUSAL,
    .q = {0, 1, 1, 1, 2, 0, 1, 0},
    .k = {0, 1, 2, 0, 1, 1, 0, 2},
    .v = {1, 0, 4, 0, 0, 2, 1, 1},
    .scores = {1, 0, 1, 2, 1, 2, 2, 2, 0, 4, 2, 0, 0, 2, 1, 0},
    .masked = {0.7071067811865476, -INFINITY, -INFINITY, -INFINITY, 0.7071067811865476, 1.4142135623730951, -INFINITY,
               -INFINITY, 0, 2.8284271247461903, 1.4142135623730951, -INFINITY, 0, 1.4142135623730951,
               0.7071067811865476, 0},
    .weights = {1, 0, 0, 0, 0.33023845067334306, 0.6697615493266569, 0, 0, 0.045388362913794646, 0.7679179361387025,
                0.18669370094750282, 0, 0.12282952007783793, 0.505228569985892, 0.24911238985843212,
                0.12282952007783793},
    .lse = {0.7071067811865476, 1.8150470888437975, 3.0924995302760134, 2.096957900645167},
    .output = {1, 0, 3.0092846479799706, 0, 3.1170601074686046, 0.37338740189500563, 2.266573320099244,
               0.6210542997947022},
};

static attend_in dense_in(const double *data, const toy_numbers *toy) {
    int64_t shape[ATTEND_RANK_MAX] = {1, 1, toy->tokens, WIDTH};
    return attend_in_dense(data, ATTEND_F64, ATTEND_RANK_MAX, shape);
}

static attend_out dense_out(double *data, int64_t rows, int64_t columns) {
    int64_t shape[ATTEND_RANK_MAX] = {1, 1, rows, columns};
    return attend_out_dense(data, ATTEND_F64, ATTEND_RANK_MAX, shape);
}

/* What the chain gave, in the layout of the toy. */
typedef struct chain_result {
    double compare[CELLS_MAX], masked[CELLS_MAX], weights[CELLS_MAX], lse[TOKENS_MAX], output[TOKENS_MAX * WIDTH];
} chain_result;

static void run_chain(const toy_numbers *toy, chain_result *result) {
    attend_ctx *ctx = NULL;
    assert_int_equal(attend_ctx_create(NULL, &ctx), ATTEND_OK);
    attend_in q = dense_in(toy->q, toy), k = dense_in(toy->k, toy), v = dense_in(toy->v, toy);
    attend_problem problem = attend_problem_init();
    assert_int_equal(attend_problem_from(ctx, &q, &k, &v, &problem), ATTEND_OK);
    problem.flags = toy->flags;
    int64_t tokens = toy->tokens, row_shape[3] = {1, 1, tokens};
    attend_steps steps = attend_steps_init();
    steps.compare = dense_out(result->compare, tokens, tokens);
    steps.mask = dense_out(result->masked, tokens, tokens);
    steps.normalize = dense_out(result->weights, tokens, tokens);
    steps.lse = attend_out_dense(result->lse, ATTEND_F64, 3, row_shape);
    steps.combine = dense_out(result->output, tokens, WIDTH);
    attend_status status = attend_chain(ctx, &problem, &q, &k, &v, NULL, &steps);
    assert_string_equal(attend_message(ctx), "");
    assert_int_equal(status, ATTEND_OK);
    attend_ctx_destroy(ctx);
}

static void assert_numbers(const double *got, const double *want, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int equal = isinf(want[i]) ? got[i] == want[i] : fabs(got[i] - want[i]) <= tolerance;
        if (!equal)
            print_error("number %d is %.17g, not %.17g\n", (int)i, got[i], want[i]);
        assert_true(equal);
    }
}

static void check_toy(const toy_numbers *toy) {
    chain_result result;
    run_chain(toy, &result);
    assert_numbers(result.compare, toy->scores, toy->tokens * toy->tokens);
    assert_numbers(result.masked, toy->masked, toy->tokens * toy->tokens);
    assert_numbers(result.weights, toy->weights, toy->tokens * toy->tokens);
    assert_numbers(result.lse, toy->lse, toy->tokens);
    assert_numbers(result.output, toy->output, toy->tokens * WIDTH);
}

static void napkin_in_full(void **state) {
    (void)state;
    check_toy(&napkin_full);
}

static void napkin_causal_rows(void **state) {
    (void)state;
    check_toy(&napkin_causal);
}

static void cat_in_full(void **state) {
    (void)state;
    check_toy(&cat_full);
}

static void cat_causal_rows(void **state) {
    (void)state;
    check_toy(&cat_causal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(napkin_in_full),
        cmocka_unit_test(napkin_causal_rows),
        cmocka_unit_test(cat_in_full),
        cmocka_unit_test(cat_causal_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
