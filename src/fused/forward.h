/* forward.h - attention without the grid: the fast path of attend_forward. */
#ifndef AT_FORWARD_H
#define AT_FORWARD_H

#include "fused/plan.h"

/* The call must have been taken (at_plan_refusal). */
attend_status at_forward(attend_ctx *ctx, const at_fused *call, const at_kernels *kernels);

/* Scratch that at_forward takes from the context. */
attend_status at_forward_scratch(attend_ctx *ctx, const at_fused *call, const at_kernels *kernels, size_t *bytes);

#endif
