/* grids.h - each stage over a whole grid that the caller stores, for the public stage functions. */
#ifndef AT_GRIDS_H
#define AT_GRIDS_H

#include "problem/problem.h"

/* q (B,H,Tq,D), k (B,G,Tk,D) -> raw (B,H,Tq,Tk) */
attend_status at_grid_compare(attend_ctx *ctx, const at_problem *problem, const attend_in *q, const attend_in *k,
                              const attend_out *raw);
/* raw -> scores, both (B,H,Tq,Tk) */
attend_status at_grid_scale(attend_ctx *ctx, const at_problem *problem, const attend_in *raw, const attend_out *scores);
/* scores -> masked, both (B,H,Tq,Tk) */
attend_status at_grid_mask(attend_ctx *ctx, const at_problem *problem, const attend_in *scores,
                           const attend_out *masked);
/* masked -> weights (B,H,Tq,Tk), lse (B,H,Tq) or data NULL */
attend_status at_grid_normalize(attend_ctx *ctx, const at_problem *problem, const attend_in *masked,
                                const attend_out *weights, const attend_out *lse);
/* weights (B,H,Tq,Tk), v (B,G,Tk,E) -> o (B,H,Tq,E) */
attend_status at_grid_combine(attend_ctx *ctx, const at_problem *problem, const attend_in *weights, const attend_in *v,
                              const attend_out *o);

#endif
