/* The four steps, one public function each. */
#include "base/check.h"
#include "base/elementary.h"
#include "base/float_mode.h"
#include "problem/problem.h"
#include "stage/grids.h"

/* What every stage begins with. */
static attend_status import_stage(attend_ctx *ctx, at_arguments *arguments, const attend_problem *problem,
                                  const attend_extra *extra, at_problem *resolved) {
    AT_TRY(at_begin(ctx));
    at_arguments_begin(arguments, ctx);
    return at_problem_import(arguments, problem, extra, resolved);
}

static attend_status take_grid_out(at_arguments *arguments, const at_problem *problem, const char *name,
                                   const attend_out *grid, attend_out *view) {
    if (grid == NULL || grid->data == NULL)
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "%s%s is NULL", name, grid == NULL ? "" : ".data");
    return at_problem_grid_out(arguments, problem, name, grid, view);
}

attend_status attend_compare(attend_ctx *ctx, const attend_problem *problem, const attend_in *q, const attend_in *k,
                             const attend_out *raw) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    attend_in query, key;
    attend_out grid;
    AT_TRY(import_stage(ctx, &arguments, problem, NULL, &resolved));
    AT_TRY(at_problem_query(&arguments, &resolved, q, &query));
    AT_TRY(at_problem_key(&arguments, &resolved, k, &key));
    AT_TRY(take_grid_out(&arguments, &resolved, "raw", raw, &grid));
    AT_TRY(at_arguments_apart(&arguments));
    return at_grid_compare(ctx, &resolved, &query, &key, &grid);
}

attend_status attend_scale(attend_ctx *ctx, const attend_problem *problem, const attend_in *raw,
                           const attend_extra *extra, const attend_out *scores) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    attend_in from;
    attend_out to;
    AT_TRY(import_stage(ctx, &arguments, problem, extra, &resolved));
    AT_TRY(at_problem_grid_in(&arguments, &resolved, "raw", raw, &from));
    AT_TRY(take_grid_out(&arguments, &resolved, "scores", scores, &to));
    AT_TRY(at_arguments_apart(&arguments));
    return at_grid_scale(ctx, &resolved, &from, &to);
}

attend_status attend_mask(attend_ctx *ctx, const attend_problem *problem, const attend_in *scores,
                          const attend_extra *extra, const attend_out *masked) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    attend_in from;
    attend_out to;
    AT_TRY(import_stage(ctx, &arguments, problem, extra, &resolved));
    AT_TRY(at_problem_grid_in(&arguments, &resolved, "scores", scores, &from));
    AT_TRY(take_grid_out(&arguments, &resolved, "masked", masked, &to));
    AT_TRY(at_arguments_apart(&arguments));
    return at_grid_mask(ctx, &resolved, &from, &to);
}

attend_status attend_normalize(attend_ctx *ctx, const attend_problem *problem, const attend_in *masked,
                               const attend_extra *extra, const attend_out *weights, const attend_out *lse) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    attend_in from;
    attend_out to, sums;
    AT_TRY(import_stage(ctx, &arguments, problem, extra, &resolved));
    AT_TRY(at_problem_grid_in(&arguments, &resolved, "masked", masked, &from));
    AT_TRY(take_grid_out(&arguments, &resolved, "weights", weights, &to));
    AT_TRY(at_problem_per_query(&arguments, &resolved, "lse", lse, &sums));
    AT_TRY(at_arguments_apart(&arguments));
    return at_grid_normalize(ctx, &resolved, &from, &to, &sums);
}

attend_status attend_combine(attend_ctx *ctx, const attend_problem *problem, const attend_in *weights,
                             const attend_in *v, const attend_extra *extra, const attend_out *o) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    attend_in from, value;
    attend_out to;
    AT_TRY(import_stage(ctx, &arguments, problem, extra, &resolved));
    AT_TRY(at_problem_grid_in(&arguments, &resolved, "weights", weights, &from));
    AT_TRY(at_problem_value(&arguments, &resolved, v, &value));
    if (o == NULL || o->data == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "o%s is NULL", o == NULL ? "" : ".data");
    AT_TRY(at_problem_output(&arguments, &resolved, "o", o, &to));
    AT_TRY(at_arguments_apart(&arguments));
    return at_grid_combine(ctx, &resolved, &from, &value, &to);
}

double attend_exp(double x) {
    AT_STANDARD_FLOATS;
    return at_exp(x);
}
