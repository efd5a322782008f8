/* The comparisons that store every grid: the chain of stages, and each stage alone. */
#include <math.h>

#include "check_compare.h"

/* Room for every step. */
static attend_status make_steps(check_case *at, attend_steps *steps) {
    const attend_problem *problem = &at->call->problem;
    int64_t grid[] = {problem->batch, problem->heads, problem->queries, problem->keys};
    *steps = attend_steps_init();
    CHECK_TRY(check_tensor(at, 4, grid, &steps->compare));
    CHECK_TRY(check_tensor(at, 4, grid, &steps->scale));
    CHECK_TRY(check_tensor(at, 4, grid, &steps->mask));
    CHECK_TRY(check_tensor(at, 4, grid, &steps->normalize));
    CHECK_TRY(check_tensor(at, 3, grid, &steps->lse));
    return check_tensor(at, 4, at->whole.o.shape, &steps->combine);
}

attend_status check_run_chain(check_case *at, attend_steps *steps) {
    const forward_call *call = at->call;
    CHECK_TRY(make_steps(at, steps));
    return attend_chain(at->ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, steps);
}

static attend_status run_stages(check_case *at, attend_steps *steps) {
    const forward_call *call = at->call;
    CHECK_TRY(make_steps(at, steps));
    attend_in raw = attend_read(steps->compare), scores = attend_read(steps->scale);
    attend_in masked = attend_read(steps->mask), weights = attend_read(steps->normalize);
    CHECK_TRY(attend_compare(at->ctx, &call->problem, &call->q, &call->k, &steps->compare));
    CHECK_TRY(attend_scale(at->ctx, &call->problem, &raw, &call->extra, &steps->scale));
    CHECK_TRY(attend_mask(at->ctx, &call->problem, &scores, &call->extra, &steps->mask));
    CHECK_TRY(attend_normalize(at->ctx, &call->problem, &masked, &call->extra, &steps->normalize, &steps->lse));
    return attend_combine(at->ctx, &call->problem, &weights, &call->v, &call->extra, &steps->combine);
}

static double step_bits(const attend_out *a, const attend_out *b) {
    attend_in left = attend_read(*a), right = attend_read(*b);
    return check_tensors(&left, &right, check_bits);
}

attend_status check_stages(check_case *at, finding *found) {
    attend_steps chain, alone;
    CHECK_TRY(check_run_chain(at, &chain));
    CHECK_TRY(run_stages(at, &alone));
    found->error = fmax(step_bits(&chain.compare, &alone.compare), step_bits(&chain.scale, &alone.scale));
    found->error = fmax(found->error, step_bits(&chain.mask, &alone.mask));
    found->error = fmax(found->error, step_bits(&chain.normalize, &alone.normalize));
    found->error = fmax(found->error, step_bits(&chain.lse, &alone.lse));
    found->error = fmax(found->error, step_bits(&chain.combine, &alone.combine));
    found->compared = true;
    return ATTEND_OK;
}

attend_status check_chain(check_case *at, finding *found) {
    attend_steps steps;
    CHECK_TRY(check_run_chain(at, &steps));
    outcome chain = {attend_read(steps.combine), attend_read(steps.lse)};
    found->error = check_outcomes(at, &at->whole, &chain, check_apart);
    found->compared = true;
    return ATTEND_OK;
}

double check_sink_weight(const attend_in *sinks, int64_t head, double lse) {
    return sinks->data == NULL ? 0 : exp(check_value(sinks, head, 0, 0, 0) - lse);
}

/* A row that sees no key has no weights, and its lse is that of the sink alone. */
static double miss_of_row(const check_case *at, const attend_in *weights, int64_t b, int64_t h, int64_t i) {
    double lse = check_at(&at->whole.lse, b, h, i, 0), sum = check_sink_weight(&at->call->extra.sinks, h, lse);
    if (lse == -INFINITY)
        sum = 1;
    for (int64_t j = 0; j < weights->shape[3]; j++)
        sum += check_at(weights, b, h, i, j);
    return isnan(lse) || isnan(sum) ? 0 : fabs(sum - 1) / check_unit(lse);
}

attend_status check_weights(check_case *at, finding *found) {
    attend_steps steps;
    CHECK_TRY(check_run_chain(at, &steps));
    attend_in weights = attend_read(steps.normalize);
    for (int64_t b = 0; b < weights.shape[0]; b++)
        for (int64_t h = 0; h < weights.shape[1]; h++)
            for (int64_t i = 0; i < weights.shape[2]; i++)
                found->error = fmax(found->error, miss_of_row(at, &weights, b, h, i));
    found->compared = true;
    return ATTEND_OK;
}
