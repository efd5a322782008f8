#include "stage/grids.h"

#include "base/check.h"
#include "base/memory.h"
#include "stage/row.h"

/* One stage of one row: reads `from`, writes `to`. */
typedef struct grid_work {
    const at_problem *problem;
    const attend_in *from;  /* the stage before, or q         */
    const attend_in *other; /* k or v, where the stage needs it */
    const attend_out *to;
    const attend_out *lse;
} grid_work;

typedef void (*grid_stage)(const grid_work *work, at_row *row);

static attend_status for_each_row(attend_ctx *ctx, const grid_work *work, grid_stage stage) {
    const at_problem *problem = work->problem;
    size_t size;
    void *scratch;
    at_row row;
    if (!at_row_size(problem, &size))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for a row of %lld keys does not fit", (long long)problem->keys);
    AT_TRY(at_memory_scratch(ctx, size, &scratch));
    at_row_lay_out(problem, scratch, &row);
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t h = 0; h < problem->heads; h++)
            for (int64_t i = 0; i < problem->queries; i++) {
                row.at = at_query_of(problem, b, h, i);
                at_row_see_all(problem, &row);
                stage(work, &row);
            }
    return ATTEND_OK;
}

static void read_row(const grid_work *work, const at_row *row, double *values) {
    at_get_row(work->from, row->at.b, row->at.h, row->at.i, values);
}

static void write_row(const grid_work *work, const at_row *row, const double *values) {
    at_set_row(work->to, row->at.b, row->at.h, row->at.i, values);
}

static void compare(const grid_work *work, at_row *row) {
    read_row(work, row, row->query);
    at_compare_row(work->problem, work->other, row);
    write_row(work, row, row->raw);
}

static void scale(const grid_work *work, at_row *row) {
    read_row(work, row, row->raw);
    at_scale_row(work->problem, row);
    write_row(work, row, row->scores);
}

static void mask(const grid_work *work, at_row *row) {
    read_row(work, row, row->scores);
    at_row_see(work->problem, row);
    at_mask_row(work->problem, row);
    write_row(work, row, row->masked);
}

static void normalize(const grid_work *work, at_row *row) {
    read_row(work, row, row->masked);
    at_normalize_row(work->problem, row);
    write_row(work, row, row->weights);
    if (at_given_out(work->lse))
        at_set(work->lse, row->at.b, row->at.h, row->at.i, 0, row->lse);
}

static void combine(const grid_work *work, at_row *row) {
    read_row(work, row, row->weights);
    at_row_see(work->problem, row);
    at_combine_row(work->problem, work->other, row);
    write_row(work, row, row->output);
}

attend_status at_grid_compare(attend_ctx *ctx, const at_problem *problem, const attend_in *q, const attend_in *k,
                              const attend_out *raw) {
    grid_work work = {problem, q, k, raw, NULL};
    return for_each_row(ctx, &work, compare);
}

attend_status at_grid_scale(attend_ctx *ctx, const at_problem *problem, const attend_in *raw,
                            const attend_out *scores) {
    grid_work work = {problem, raw, NULL, scores, NULL};
    return for_each_row(ctx, &work, scale);
}

attend_status at_grid_mask(attend_ctx *ctx, const at_problem *problem, const attend_in *scores,
                           const attend_out *masked) {
    grid_work work = {problem, scores, NULL, masked, NULL};
    return for_each_row(ctx, &work, mask);
}

attend_status at_grid_normalize(attend_ctx *ctx, const at_problem *problem, const attend_in *masked,
                                const attend_out *weights, const attend_out *lse) {
    grid_work work = {problem, masked, NULL, weights, lse};
    return for_each_row(ctx, &work, normalize);
}

attend_status at_grid_combine(attend_ctx *ctx, const at_problem *problem, const attend_in *weights, const attend_in *v,
                              const attend_out *o) {
    grid_work work = {problem, weights, v, o, NULL};
    return for_each_row(ctx, &work, combine);
}
