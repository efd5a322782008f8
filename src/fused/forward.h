/* forward.h - attention without the grid: the fast path of attend_forward. */
#ifndef AT_FORWARD_H
#define AT_FORWARD_H

#include "fused/plan.h"

/* The call must have been taken (at_plan_refusal).  With call->lse nothing is computed but what there is to look at. */
attend_status at_forward(attend_ctx *ctx, const at_fused *call, const at_kernels *kernels);

/* The most scratch that at_forward takes from the context for this problem and these taps. */
attend_status at_forward_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes);

#endif
