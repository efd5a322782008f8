/* Attention as a whole: import what the caller gave, check it, call one path. */
#include "attend/attend.h"

#include "api/paths.h"
#include "base/check.h"
#include "base/float_mode.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "stage/join.h"

attend_status attend_problem_from(attend_ctx *ctx, const attend_in *q, const attend_in *k, const attend_in *v,
                                  attend_problem *problem) {
    at_arguments arguments;
    attend_in query, key, value;
    attend_problem known;
    at_axis any = {AT_ANY, ""};
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    if (problem == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem is NULL");
    AT_TRY(at_import(ctx, "problem", problem, &known, sizeof known));
    if (problem->struct_size < offsetof(attend_problem, ahead))
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.struct_size is %u, too short for sizes and query_offset",
                       (unsigned)problem->struct_size);
    at_axis any_shape[] = {any, any, any, any};
    AT_TRY(at_argument_in(&arguments, "q", q, AT_NUMBERS, 4, any_shape, &query));
    at_axis key_shape[] = {{query.shape[0], "q.shape[0]"}, any, any, {query.shape[3], "q.shape[3]"}};
    AT_TRY(at_argument_in(&arguments, "k", k, AT_NUMBERS, 4, key_shape, &key));
    at_axis value_shape[] = {{query.shape[0], "q.shape[0]"},
                             {key.shape[1], "k.shape[1]"},
                             {key.shape[2], "k.shape[2]"},
                             any};
    AT_TRY(at_argument_in(&arguments, "v", v, AT_NUMBERS, 4, value_shape, &value));
    problem->batch = query.shape[0];
    problem->heads = query.shape[1];
    problem->kv_heads = key.shape[1];
    problem->queries = query.shape[2];
    problem->keys = key.shape[2];
    problem->head_width = query.shape[3];
    problem->value_width = value.shape[3];
    problem->query_offset = key.shape[2] - query.shape[2];
    return ATTEND_OK;
}

static attend_status import_sizes(attend_ctx *ctx, const attend_problem *problem, const attend_taps *taps,
                                  size_t *bytes) {
    at_arguments arguments;
    at_problem resolved;
    at_taps resolved_taps;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(at_problem_import(&arguments, problem, NULL, &resolved));
    AT_TRY(at_taps_import(&arguments, &resolved, taps, &resolved_taps));
    return at_paths_scratch(ctx, &resolved, &resolved_taps, bytes);
}

attend_status attend_scratch_size(attend_ctx *ctx, const attend_problem *problem, const attend_taps *taps,
                                  size_t *bytes) {
    size_t needed;
    AT_TRY(import_sizes(ctx, problem, taps, &needed));
    if (bytes == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "bytes is NULL");
    *bytes = needed;
    return ATTEND_OK;
}

attend_status attend_reserve(attend_ctx *ctx, const attend_problem *problem, const attend_taps *taps) {
    size_t needed;
    void *scratch;
    AT_TRY(import_sizes(ctx, problem, taps, &needed));
    return at_memory_scratch(ctx, needed, &scratch);
}

/* The inputs that forward and chain share. */
static attend_status import_call(at_arguments *arguments, const attend_problem *problem, const attend_in *q,
                                 const attend_in *k, const attend_in *v, const attend_extra *extra,
                                 at_problem *resolved, at_tensors *tensors) {
    AT_TRY(at_problem_import(arguments, problem, extra, resolved));
    AT_TRY(at_problem_query(arguments, resolved, q, &tensors->q));
    AT_TRY(at_problem_key(arguments, resolved, k, &tensors->k));
    AT_TRY(at_problem_value(arguments, resolved, v, &tensors->v));
    tensors->o.data = NULL;
    tensors->lse.data = NULL;
    return ATTEND_OK;
}

attend_status attend_forward(attend_ctx *ctx, const attend_problem *problem, const attend_in *q, const attend_in *k,
                             const attend_in *v, const attend_extra *extra, const attend_out *o,
                             const attend_taps *taps) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    at_tensors tensors;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(import_call(&arguments, problem, q, k, v, extra, &resolved, &tensors));
    return at_paths_take(&arguments, &resolved, &tensors, o, taps);
}

/* What a given log-sum-exp leaves unknown. */
static attend_status check_look(attend_ctx *ctx, const at_tensors *tensors, const at_taps *taps) {
    const char *unknown = at_given_out(&taps->lse)       ? "lse"
                          : at_given_out(&taps->row_max) ? "row_max"
                          : at_given_out(&taps->entropy) ? "entropy"
                                                         : NULL;
    if (unknown != NULL && at_given_in(&tensors->lse))
        return at_fail(ctx, ATTEND_ARGUMENT, "taps.%s is computed only where lse is not given (NULL)", unknown);
    return ATTEND_OK;
}

attend_status attend_look(attend_ctx *ctx, const attend_problem *problem, const attend_in *q, const attend_in *k,
                          const attend_extra *extra, const attend_in *lse, const attend_taps *taps) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    at_tensors tensors;
    at_taps wanted;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(at_problem_import(&arguments, problem, extra, &resolved));
    AT_TRY(at_problem_query(&arguments, &resolved, q, &tensors.q));
    AT_TRY(at_problem_key(&arguments, &resolved, k, &tensors.k));
    at_axis rows[] = {{resolved.batch, "batch"}, {resolved.heads, "heads"}, {resolved.queries, "queries"}};
    AT_TRY(at_argument_in_if(&arguments, "lse", lse, AT_NUMBERS, 3, rows, &tensors.lse));
    AT_TRY(at_taps_import(&arguments, &resolved, taps, &wanted));
    AT_TRY(at_taps_check(ctx, &resolved, &wanted));
    AT_TRY(check_look(ctx, &tensors, &wanted));
    AT_TRY(at_arguments_apart(&arguments));
    if (at_arguments_write_nothing(&arguments))
        return ATTEND_OK;
    return at_paths_look(ctx, &resolved, &tensors, &wanted);
}

attend_status attend_chain(attend_ctx *ctx, const attend_problem *problem, const attend_in *q, const attend_in *k,
                           const attend_in *v, const attend_extra *extra, const attend_steps *steps) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    at_problem resolved;
    at_tensors tensors;
    attend_steps given;
    at_steps wanted;
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(import_call(&arguments, problem, q, k, v, extra, &resolved, &tensors));
    AT_TRY(at_import(ctx, "steps", steps, &given, sizeof given));
    AT_TRY(at_import_reserved(ctx, "steps", given.reserved));
    AT_TRY(at_problem_grid_out(&arguments, &resolved, "steps.compare", &given.compare, &wanted.compare));
    AT_TRY(at_problem_grid_out(&arguments, &resolved, "steps.scale", &given.scale, &wanted.scale));
    AT_TRY(at_problem_grid_out(&arguments, &resolved, "steps.mask", &given.mask, &wanted.mask));
    AT_TRY(at_problem_grid_out(&arguments, &resolved, "steps.normalize", &given.normalize, &wanted.normalize));
    AT_TRY(at_problem_per_query(&arguments, &resolved, "steps.lse", &given.lse, &wanted.lse));
    AT_TRY(at_problem_output(&arguments, &resolved, "steps.combine", &given.combine, &wanted.combine));
    AT_TRY(at_arguments_apart(&arguments));
    if (at_arguments_write_nothing(&arguments))
        return ATTEND_OK;
    return at_chain_steps(ctx, &resolved, &tensors, &wanted);
}

attend_status attend_join(attend_ctx *ctx, const attend_in *o_a, const attend_in *lse_a, const attend_in *o_b,
                          const attend_in *lse_b, const attend_out *o, const attend_out *lse) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in part_a, part_b, sum_a, sum_b;
    attend_out joined, joined_lse;
    at_axis any = {AT_ANY, ""};
    at_axis any_shape[] = {any, any, any, any};
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(at_argument_in(&arguments, "o_a", o_a, AT_NUMBERS, 4, any_shape, &part_a));
    at_axis shape[] = {{part_a.shape[0], "o_a.shape[0]"},
                       {part_a.shape[1], "o_a.shape[1]"},
                       {part_a.shape[2], "o_a.shape[2]"},
                       {part_a.shape[3], "o_a.shape[3]"}};
    AT_TRY(at_argument_in(&arguments, "lse_a", lse_a, AT_NUMBERS, 3, shape, &sum_a));
    AT_TRY(at_argument_in(&arguments, "o_b", o_b, AT_NUMBERS, 4, shape, &part_b));
    AT_TRY(at_argument_in(&arguments, "lse_b", lse_b, AT_NUMBERS, 3, shape, &sum_b));
    AT_TRY(at_argument_out(&arguments, "o", o, AT_NUMBERS, 4, shape, &joined));
    AT_TRY(at_argument_out_if(&arguments, "lse", lse, AT_NUMBERS, 3, shape, &joined_lse));
    AT_TRY(at_arguments_apart(&arguments));
    at_join(&part_a, &sum_a, &part_b, &sum_b, &joined, &joined_lse);
    return ATTEND_OK;
}
