#include "api/paths.h"

#include "base/check.h"
#include "base/context.h"
#include "fused/forward.h"
#include "kernel/select.h"

attend_status at_paths_forward(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                               const at_taps *taps) {
    at_fused call = {problem, &tensors->q, &tensors->k, &tensors->v, &tensors->o, taps, NULL, NULL};
    bool fast = at_plan_refusal(&call) == NULL;
    ctx->path = fast ? "fast" : "readable";
    if (!fast)
        return at_chain_forward(ctx, problem, tensors, taps);
    return at_forward(ctx, &call, at_kernels_of(ctx->isa));
}

attend_status at_paths_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes) {
    size_t fast = 0, readable = 0;
    if (!(problem->flags & ATTEND_READABLE))
        AT_TRY(at_forward_scratch(ctx, problem, taps, &fast));
    AT_TRY(at_chain_scratch(ctx, problem, taps, &readable));
    *bytes = fast > readable ? fast : readable;
    return ATTEND_OK;
}
