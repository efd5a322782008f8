#include "fused/look_pass.h"

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"

bool at_look_wanted(const at_taps *taps) {
    return at_given_in(&taps->rows) || at_given_out(&taps->column_sum) || taps->grid_rows > 0;
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

static bool lane_size(const at_fused *call, bool converts, at_look *look) {
    const at_problem *problem = call->problem;
    size_t size[2] = {0}; /* of what chosen.c and received.c keep */
    bool fits = at_bench_size(call, &look->work.plan, &look->work.parts_place) &&
                at_chosen_size(problem, call->taps, converts, &size[0]) &&
                at_received_size(problem, call->taps, converts, look, &size[1]) &&
                at_size_add(look->work.parts_place, larger(size[0], size[1]), &look->work.lane_size) &&
                at_size_add(look->work.lane_size, AT_ALIGNMENT, &look->work.lane_size);
    look->work.lane_size -= fits ? look->work.lane_size % AT_ALIGNMENT : 0;
    return fits;
}

attend_status at_look_measure(attend_ctx *ctx, const at_fused *call, const at_plan *plan, bool converts, at_look *look,
                              size_t *bytes) {
    const at_taps *taps = call->taps;
    look->work.call = call;
    look->work.plan = *plan;
    look->work.plan.tallies = false; /* they were kept on the way */
    at_received_cut(call->problem, taps, ctx->threads, look);
    int64_t tasks = most(at_chosen_tasks(call->problem, taps), at_received_tasks(call->problem, taps, look));
    if (!lane_size(call, converts, look) ||
        !at_size_mul(look->work.lane_size, (size_t)at_parallel_lanes(ctx, tasks), bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for taps of %lld x %lld cells does not fit",
                       (long long)taps->grid_rows, (long long)taps->grid_columns);
    return ATTEND_OK;
}

attend_status at_look_run(attend_ctx *ctx, at_look *look) {
    const at_problem *problem = look->work.call->problem;
    const at_taps *taps = look->work.call->taps;
    AT_TRY(at_parallel(ctx, at_chosen_run, look, at_chosen_tasks(problem, taps)));
    return at_parallel(ctx, at_received_run, look, at_received_tasks(problem, taps, look));
}

void *at_look_tally(const at_look *look, int32_t lane) {
    return look->work.scratch + (size_t)lane * look->work.lane_size + look->work.parts_place;
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
