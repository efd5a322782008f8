/* forward.h - attention without the grid: the fast path of attend_forward. */
#ifndef AT_FORWARD_H
#define AT_FORWARD_H

#include "fused/plan.h"

/* The call must have been taken (at_plan_refusal). */
attend_status at_forward(attend_ctx *ctx, const at_fused *call, const at_kernels *kernels);

/* The most scratch that at_forward takes from the context for this problem. */
attend_status at_forward_scratch(attend_ctx *ctx, const at_problem *problem, size_t *bytes);

#endif
