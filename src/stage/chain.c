/* The chain: compare, scale, mask, normalize, combine, for one row of the grid at a time.  Each task is one
   head of one batch row, so that rows are summed in their order whatever the threads. */
#include "stage/chain.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"

typedef struct chain_work {
    const at_problem *problem;
    const at_tensors *tensors;
    const at_taps *taps;
    const at_steps *steps; /* NULL: attend_forward */
    char *scratch;         /* (lanes, lane_size) */
    size_t row_size, lane_size;
} chain_work;

static attend_status measure_lane(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, chain_work *work) {
    size_t tally_size = 0;
    if (!at_row_size(problem, &work->row_size))
        return at_fail(ctx, ATTEND_TOO_LARGE,
                       "scratch for %lld keys, head_width %lld and value_width %lld does not fit",
                       (long long)problem->keys, (long long)problem->head_width, (long long)problem->value_width);
    if (!at_tally_size(problem, taps, &tally_size) || !at_size_add(work->row_size, tally_size, &work->lane_size))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for %lld keys and taps of %lld x %lld cells does not fit",
                       (long long)problem->keys, (long long)taps->grid_rows, (long long)taps->grid_columns);
    return ATTEND_OK;
}

static attend_status measure(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, chain_work *work,
                             size_t *bytes) {
    size_t lanes = (size_t)at_parallel_lanes(ctx, problem->batch * problem->heads);
    AT_TRY(measure_lane(ctx, problem, taps, work));
    if (!at_size_mul(work->lane_size, lanes, bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch of %zu bytes for each of %zu threads does not fit",
                       work->lane_size, lanes);
    return ATTEND_OK;
}

static void run_row(const chain_work *work, at_row *row) {
    const at_problem *problem = work->problem;
    const at_tensors *tensors = work->tensors;
    at_get_row(&tensors->q, row->at.b, row->at.h, row->at.i, row->query);
    if (work->steps != NULL)
        at_row_see_all(problem, row);
    else
        at_row_see(problem, row);
    at_compare_row(problem, &tensors->k, row);
    at_scale_row(problem, row);
    at_row_see(problem, row);
    at_mask_row(problem, row);
    if (work->steps == NULL && at_given_in(&tensors->lse))
        at_reweigh_row(problem, at_get(&tensors->lse, row->at.b, row->at.h, row->at.i, 0), row);
    else
        at_normalize_row(problem, row);
    at_combine_row(problem, &tensors->v, row);
}

static void keep_row(const attend_out *grid, const at_query *at, const double *values) {
    if (at_given_out(grid))
        at_set_row(grid, at->b, at->h, at->i, values);
}

static void keep_steps(const at_steps *steps, const at_row *row) {
    keep_row(&steps->compare, &row->at, row->raw);
    keep_row(&steps->scale, &row->at, row->scores);
    keep_row(&steps->mask, &row->at, row->masked);
    keep_row(&steps->normalize, &row->at, row->weights);
    keep_row(&steps->combine, &row->at, row->output);
    if (at_given_out(&steps->lse))
        at_set(&steps->lse, row->at.b, row->at.h, row->at.i, 0, row->lse);
}

static void run_head(void *opaque, int64_t index, int32_t lane) {
    const chain_work *work = opaque;
    const at_problem *problem = work->problem;
    int64_t b = index / problem->heads, h = index % problem->heads;
    char *scratch = work->scratch + (size_t)lane * work->lane_size;
    at_row row;
    at_tally tally;
    at_row_lay_out(problem, scratch, &row);
    at_tally_lay_out(problem, work->taps, scratch + work->row_size, &tally);
    at_tally_begin(problem, work->taps, &tally);
    for (int64_t i = 0; i < problem->queries; i++) {
        row.at = at_query_of(problem, b, h, i);
        run_row(work, &row);
        if (work->steps != NULL)
            keep_steps(work->steps, &row);
        keep_row(&work->tensors->o, &row.at, row.output);
        at_tally_row(problem, work->taps, &row, &tally);
    }
    at_tally_end(problem, work->taps, b, h, &tally);
}

static attend_status run(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors, const at_taps *taps,
                         const at_steps *steps) {
    chain_work work = {problem, tensors, taps, steps, NULL, 0, 0};
    size_t bytes = 0;
    void *scratch;
    AT_TRY(measure(ctx, problem, taps, &work, &bytes));
    AT_TRY(at_memory_scratch(ctx, bytes, &scratch));
    work.scratch = scratch;
    return at_parallel(ctx, run_head, &work, problem->batch * problem->heads);
}

attend_status at_chain_steps(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                             const at_steps *steps) {
    at_taps none;
    memset(&none, 0, sizeof none);
    return run(ctx, problem, tensors, &none, steps);
}

attend_status at_chain_forward(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                               const at_taps *taps) {
    return run(ctx, problem, tensors, taps, NULL);
}

attend_status at_chain_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes) {
    chain_work work;
    return measure(ctx, problem, taps, &work, bytes);
}
