#include "fused/look_pass.h"

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"

bool at_look_wanted(const at_taps *taps) {
    return taps->top > 0 || at_given_out(&taps->top_rest) || at_given_in(&taps->rows) ||
           at_given_out(&taps->column_sum) || taps->grid_rows > 0 || at_given_out(&taps->segment_mass);
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
    size_t size[3] = {0}; /* of what chosen.c, heaviest.c and received.c keep */
    bool fits = at_bench_size(problem, &look->work.plan, &look->work.parts_place) &&
                at_chosen_size(problem, call->taps, converts, &size[0]) &&
                at_heaviest_size(&look->work.plan, call->taps, &size[1]) &&
                at_received_size(problem, call->taps, converts, look, &size[2]) &&
                at_size_add(look->work.parts_place, larger(size[0], larger(size[1], size[2])), &look->work.lane_size) &&
                at_size_add(look->work.lane_size, AT_ALIGNMENT, &look->work.lane_size);
    look->work.lane_size -= fits ? look->work.lane_size % AT_ALIGNMENT : 0;
    return fits;
}

attend_status at_look_measure(attend_ctx *ctx, const at_fused *call, const at_plan *plan, bool converts, at_look *look,
                              size_t *bytes) {
    const at_taps *taps = call->taps;
    look->work.call = call;
    look->work.plan = *plan;
    at_received_cut(call->problem, taps, ctx->threads, look);
    int64_t tasks = most(at_chosen_tasks(call->problem, taps),
                         most(at_heaviest_tasks(plan, taps), at_received_tasks(call->problem, taps, look)));
    if (!lane_size(call, converts, look) ||
        !at_size_mul(look->work.lane_size, (size_t)at_parallel_lanes(ctx, tasks), bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE,
                       "scratch for taps of %lld heaviest keys and %lld x %lld cells does not fit",
                       (long long)taps->top, (long long)taps->grid_rows, (long long)taps->grid_columns);
    return ATTEND_OK;
}

attend_status at_look_run(attend_ctx *ctx, at_look *look) {
    const at_problem *problem = look->work.call->problem;
    const at_taps *taps = look->work.call->taps;
    AT_TRY(at_parallel(ctx, at_chosen_run, look, at_chosen_tasks(problem, taps)));
    AT_TRY(at_parallel(ctx, at_heaviest_run, look, at_heaviest_tasks(&look->work.plan, taps)));
    return at_parallel(ctx, at_received_run, look, at_received_tasks(problem, taps, look));
}

void *at_look_tally(const at_look *look, int32_t lane) {
    return look->work.scratch + (size_t)lane * look->work.lane_size + look->work.parts_place;
}

/* Of a given log-sum-exp: a whole power of two, and the rest; the rest of a huge one counts from the score itself. */
static at_state state_from(const at_problem *problem, const at_plan *plan, double lse) {
    at_state state = {AT_SHIFT_NONE, -INFINITY, 0};
    double unit = plan->adjusted ? 1 : fabs(problem->scale), power = lse * AT_LOG2_E;
    if (lse == -INFINITY)
        return state;
    state.highest = (at_real)(unit > 0 ? lse / unit : 0);
    state.shift = (at_real)ceil(fmin(fmax(power, (double)AT_SHIFT_NONE), -(double)AT_SHIFT_NONE));
    bool huge = fabs(power) >= (double)AT_REAL_HUGE;
    state.inverse = (at_real)(huge ? exp((double)state.highest * unit - lse) : exp2((double)state.shift - power));
    return state;
}

void at_look_settle(const at_fused *call, const at_plan *plan, at_block *block) {
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        at_state state = call->lse == NULL ? *at_state_place(call, at)
                                           : state_from(call->problem, plan, at_get(call->lse, at->b, at->h, at->i, 0));
        block->final.shift[i] = state.shift;
        block->final.highest[i] = state.highest;
        block->final.inverse[i] = state.inverse;
    }
}
