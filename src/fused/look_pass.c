#include "fused/look_pass.h"

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"

bool at_look_wanted(const at_taps *taps, const at_plan *plan) {
    return at_given_in(&taps->rows) || (at_received_wanted(taps) && !plan->keeps);
}

bool at_look_states_size(const at_problem *problem, size_t *size) {
    size_t rows;
    bool fits = at_size_mul((size_t)problem->batch * (size_t)problem->heads, (size_t)problem->queries, &rows) &&
                at_size_mul(rows, sizeof(at_state), size) && at_size_add(*size, AT_ALIGNMENT, size);
    *size -= fits ? *size % AT_ALIGNMENT : 0;
    return fits;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static bool lane_size(const at_fused *call, bool converts, at_forward_work *look) {
    const at_problem *problem = call->problem;
    size_t size[2] = {0}; /* of what chosen.c and received.c keep */
    bool fits = at_bench_size(call, &look->plan, &look->tally_place) &&
                at_chosen_size(problem, call->taps, converts, &size[0]) &&
                at_received_size(problem, call->taps, converts, look, &size[1]) &&
                at_size_add(look->tally_place, larger(size[0], size[1]), &look->lane_size) &&
                at_size_add(look->lane_size, AT_ALIGNMENT, &look->lane_size);
    look->lane_size -= fits ? look->lane_size % AT_ALIGNMENT : 0;
    return fits;
}

attend_status at_look_measure(attend_ctx *ctx, const at_fused *call, const at_plan *plan, bool converts,
                              at_forward_work *look, size_t *bytes) {
    const at_taps *taps = call->taps;
    look->call = call;
    look->plan = *plan;
    look->plan.tallies = look->plan.keeps = false; /* that was for the way to the output */
    look->plan.pairs = NULL;                       /* what is looked at is converted; the bits are the same */
    look->ranges = 0;
    if (at_received_wanted(taps) && !plan->keeps)
        at_received_cut(call->problem, taps, ctx->threads, look);
    int64_t tasks = most(at_chosen_tasks(call->problem, taps), at_received_tasks(call->problem, look));
    if (!lane_size(call, converts, look) || !at_size_mul(look->lane_size, (size_t)at_parallel_lanes(ctx, tasks), bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for taps of %lld x %lld cells does not fit",
                       (long long)taps->grid_rows, (long long)taps->grid_columns);
    return ATTEND_OK;
}

attend_status at_look_run(attend_ctx *ctx, at_forward_work *look) {
    const at_problem *problem = look->call->problem;
    const at_taps *taps = look->call->taps;
    AT_TRY(at_parallel(ctx, at_chosen_run, look, at_chosen_tasks(problem, taps)));
    return at_parallel(ctx, at_received_run, look, at_received_tasks(problem, look));
}

void at_look_settle(const at_fused *call, const at_plan *plan, at_block *block) {
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        at_state state = call->lse == NULL
                             ? *at_state_place(call, at)
                             : at_state_given(call->problem, plan, at_get(call->lse, at->b, at->h, at->i, 0));
        block->final.shift[i] = state.shift;
        block->final.highest[i] = state.highest;
        block->final.inverse[i] = state.inverse;
    }
}
