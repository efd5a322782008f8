/* paths.h - which path a call takes: the fast one where it can, the readable one else.  The only place where the
   two meet. */
#ifndef AT_PATHS_H
#define AT_PATHS_H

#include "problem/taps.h"
#include "stage/chain.h"

attend_status at_paths_forward(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                               const at_taps *taps);

/* The same from the caller's outputs, once problem and inputs are resolved. */
attend_status at_paths_take(at_arguments *arguments, const at_problem *problem, at_tensors *tensors,
                            const attend_out *o, const attend_taps *taps);

/* What there is to look at, without output: tensors->lse may be given; v and o are not read. */
attend_status at_paths_look(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors, const at_taps *taps);

/* Scratch that is enough for it, whatever the types of the tensors. */
attend_status at_paths_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes);

#endif
