#include "api/paths.h"

#include "base/check.h"
#include "base/context.h"
#include "fused/fast.h"

attend_status at_paths_forward(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                               const at_taps *taps) {
    at_fused call = {problem, &tensors->q, &tensors->k, &tensors->v, &tensors->o, taps, NULL, NULL};
    bool fast = at_fast_of(&call)->refusal(&call) == NULL;
    ctx->path = fast ? "fast" : "readable";
    return fast ? at_fast_of(&call)->forward(ctx, &call) : at_chain_forward(ctx, problem, tensors, taps);
}

attend_status at_paths_look(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                            const at_taps *taps) {
    at_tensors without = *tensors;
    at_problem narrow = *problem;
    without.v = (attend_in){.shape = {problem->batch, problem->kv_heads, problem->keys, 0},
                            .stride = {0, 0, 0, 1},
                            .dtype = ATTEND_F32,
                            .rank = 4,
                            .data = tensors->k.data};
    without.o.data = NULL;
    narrow.value_width = 0;
    at_fused call = {&narrow, &tensors->q, &tensors->k, &without.v, NULL, taps, NULL, NULL};
    if (at_given_in(&tensors->lse))
        call.lse = &tensors->lse;
    bool fast = at_fast_of(&call)->refusal(&call) == NULL;
    ctx->path = fast ? "fast" : "readable";
    return fast ? at_fast_of(&call)->forward(ctx, &call) : at_chain_forward(ctx, &narrow, &without, taps);
}

attend_status at_paths_take(at_arguments *arguments, const at_problem *problem, at_tensors *tensors,
                            const attend_out *o, const attend_taps *taps) {
    attend_ctx *ctx = arguments->ctx;
    at_taps resolved;
    tensors->lse.data = NULL;
    if (o == NULL || o->data == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "o%s is NULL", o == NULL ? "" : ".data");
    AT_TRY(at_problem_output(arguments, problem, "o", o, &tensors->o));
    AT_TRY(at_taps_import(arguments, problem, taps, &resolved));
    AT_TRY(at_taps_check(ctx, problem, &resolved));
    AT_TRY(at_arguments_apart(arguments));
    if (at_arguments_write_nothing(arguments))
        return ATTEND_OK;
    return at_paths_forward(ctx, problem, tensors, &resolved);
}

attend_status at_paths_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes) {
    size_t fast = 0, readable = 0;
    if (!(problem->flags & ATTEND_READABLE))
        AT_TRY(at_fast_f64.scratch(ctx, problem, taps, &fast)); /* more than at_fast_f32 */
    AT_TRY(at_chain_scratch(ctx, problem, taps, &readable));
    *bytes = fast > readable ? fast : readable;
    return ATTEND_OK;
}
