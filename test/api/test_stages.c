/* The stages one at a time give the numbers of attend_chain, and those that are seen the numbers of attend_forward. */
#include "random_call.h"
#include "reference.h"

typedef struct grids {
    attend_out raw, scores, masked, weights, lse, o;
} grids;

/* All in double, so that storing changes nothing. */
static grids make_grids(const random_call *call) {
    const attend_problem *p = &call->problem;
    grids g;
    attend_out *all[] = {&g.raw, &g.scores, &g.masked, &g.weights};
    for (size_t n = 0; n < COUNT_OF(all); n++)
        *all[n] = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    g.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    g.o = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, call->o.shape[3]);
    return g;
}

static grids one_by_one(attend_ctx *ctx, const random_call *call) {
    const attend_problem *p = &call->problem;
    const attend_extra *extra = &call->extra;
    grids g = make_grids(call);
    attend_in raw = attend_read(g.raw), scores = attend_read(g.scores), masked = attend_read(g.masked);
    attend_in weights = attend_read(g.weights);
    assert_works(ctx, attend_compare(ctx, p, &call->q, &call->k, &g.raw));
    assert_works(ctx, attend_scale(ctx, p, &raw, extra, &g.scores));
    assert_works(ctx, attend_mask(ctx, p, &scores, extra, &g.masked));
    assert_works(ctx, attend_normalize(ctx, p, &masked, extra, &g.weights, &g.lse));
    assert_works(ctx, attend_combine(ctx, p, &weights, &call->v, extra, &g.o));
    return g;
}

static grids in_a_row(attend_ctx *ctx, const random_call *call) {
    grids g = make_grids(call);
    attend_steps steps = attend_steps_init();
    steps.compare = g.raw;
    steps.scale = g.scores;
    steps.mask = g.masked;
    steps.normalize = g.weights;
    steps.lse = g.lse;
    steps.combine = g.o;
    assert_works(ctx, attend_chain(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &steps));
    return g;
}

static void assert_same_grids(const grids *got, const grids *want) {
    const attend_out *left[] = {&got->raw, &got->scores, &got->masked, &got->weights, &got->lse, &got->o};
    const attend_out *right[] = {&want->raw, &want->scores, &want->masked, &want->weights, &want->lse, &want->o};
    for (size_t n = 0; n < COUNT_OF(left); n++) {
        attend_in a = attend_read(*left[n]), b = attend_read(*right[n]);
        assert_same_bits(&a, &b);
    }
}

static void assert_values(attend_out got, const double *want) {
    attend_in view = attend_read(got);
    assert_rounded(&view, want, 1e-12);
}

static void test_chain_and_stages_and_forward(void **state) {
    test_random rng = {81};
    for (int n = 0; n < 400; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        grids alone = one_by_one(*state, &call), together = in_a_row(*state, &call);
        assert_same_grids(&together, &alone);
        attend_in forward = random_call_output(*state, &call), chain = attend_read(together.o);
        assert_same_bits(&chain, &forward);
        reference r = reference_attention(&call.problem, &call.q, &call.k, &call.v, &call.extra);
        assert_values(together.raw, r.raw); /* hidden pairs included */
        assert_values(together.masked, r.masked);
        assert_values(together.weights, r.weights);
        assert_values(together.lse, r.lse);
        if (call.extra.query_starts.data == NULL) /* else the distance to another sequence's keys means nothing */
            assert_values(together.scores, r.scores);
    }
}

/* Any subset of the steps, each in its own type and layout: the others do not change it. */
static void test_some_steps(void **state) {
    test_random rng = {82};
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64};
    for (int n = 0; n < 200; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_PACK);
        grids whole = in_a_row(*state, &call);
        attend_steps steps = attend_steps_init();
        attend_out *outs[] = {&steps.compare, &steps.scale, &steps.mask, &steps.normalize, &steps.combine};
        const attend_out *want[] = {&whole.raw, &whole.scores, &whole.masked, &whole.weights, &whole.o};
        int64_t given = random_pick(&rng, 1, 31);
        for (int t = 0; t < 5; t++)
            if (given >> t & 1)
                *outs[t] = test_strided(&rng, types[random_pick(&rng, 0, 3)], 4, want[t]->shape, false);
        assert_works(*state, attend_chain(*state, &call.problem, &call.q, &call.k, &call.v, &call.extra, &steps));
        for (int t = 0; t < 5; t++)
            if (given >> t & 1)
                assert_values(*outs[t], want[t]->data);
    }
}

/* Of the optional inputs, normalize looks at the sinks alone; a row of -infinity gives 0. */
static void test_normalize_alone(void **state) {
    const double none = -INFINITY, scores[] = {none, none, none, 1, none, 3}, sink = 2;
    attend_problem problem = attend_problem_init();
    problem.batch = problem.heads = problem.head_width = 1;
    problem.queries = 2;
    problem.keys = 3;
    attend_in masked = test_tensor_of(ATTEND_F64, 1, 1, 2, 3, scores);
    attend_out weights = test_tensor(ATTEND_F64, 1, 1, 2, 3), lse = test_tensor(ATTEND_F64, 1, 1, 2, -1);
    double e = exp(2), plain[] = {0, 0, 0, 1 / (1 + e), 0, e / (1 + e)}, plain_lse[] = {-INFINITY, 1 + log(1 + e)};
    assert_works(*state, attend_normalize(*state, &problem, &masked, NULL, &weights, &lse));
    assert_values(weights, plain);
    assert_values(lse, plain_lse);
    attend_extra extra = attend_extra_init();
    extra.sinks = test_list(ATTEND_F64, 1, &sink);
    const unsigned char nothing = 0;
    extra.mask = attend_in_dense(&nothing, ATTEND_U8, 0, NULL);
    double total = 1 + exp(1) + e, sunk[] = {0, 0, 0, 1 / total, 0, e / total}, sunk_lse[] = {2, 1 + log(total)};
    assert_works(*state, attend_normalize(*state, &problem, &masked, &extra, &weights, &lse));
    assert_values(weights, sunk);
    assert_values(lse, sunk_lse);
    assert_works(*state, attend_normalize(*state, &problem, &masked, &extra, &weights, NULL));
    assert_values(weights, sunk);
}

/* The rule decides what combine reads, not the weight: a hidden NaN is skipped, a seen one with weight 0 is not. */
static void test_combine_alone(void **state) {
    const double weights[] = {0.5, 0, 0.5, 0}, values[] = {1, NAN, 3, 100};
    const unsigned char seen[] = {1, 0, 1, 1};
    const int64_t keys = 4;
    attend_problem problem = attend_problem_init();
    attend_extra extra = attend_extra_init();
    problem.batch = problem.heads = problem.head_width = problem.queries = 1;
    problem.keys = keys;
    attend_in p = test_tensor_of(ATTEND_F64, 1, 1, 1, 4, weights), v = test_tensor_of(ATTEND_F64, 1, 1, 4, 1, values);
    attend_out o = test_tensor(ATTEND_F64, 1, 1, 1, 1);
    extra.mask = attend_in_dense(seen, ATTEND_U8, 1, &keys);
    assert_works(*state, attend_combine(*state, &problem, &p, &v, &extra, &o));
    assert_true(*(const double *)o.data == 2);
    assert_works(*state, attend_combine(*state, &problem, &p, &v, NULL, &o));
    assert_true(isnan(*(const double *)o.data));
}

/* The order of scale: times scale, softcap, then what is added, which is not capped. */
static void test_scale_alone(void **state) {
    const double raw[] = {6, -6}, slope = 0.5, bias = 10;
    attend_problem problem = attend_problem_init();
    attend_extra extra = attend_extra_init();
    problem.batch = problem.heads = problem.head_width = problem.queries = 1;
    problem.keys = 2;
    problem.scale = 0.5;
    problem.softcap = 2;
    problem.query_offset = 5;
    extra.slopes = test_list(ATTEND_F64, 1, &slope);
    extra.bias = test_list(ATTEND_F64, 1, &bias);
    attend_in from = test_tensor_of(ATTEND_F64, 1, 1, 1, 2, raw);
    attend_out to = test_tensor(ATTEND_F64, 1, 1, 1, 2);
    const double want[] = {2 * tanh(1.5) - 0.5 * 5 + 10, -2 * tanh(1.5) - 0.5 * 4 + 10};
    assert_works(*state, attend_scale(*state, &problem, &from, &extra, &to));
    assert_values(to, want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_chain_and_stages_and_forward),
        TEST(test_some_steps),
        TEST(test_normalize_alone),
        TEST(test_combine_alone),
        TEST(test_scale_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
