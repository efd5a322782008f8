/* chain.h - the stages in a row, for a whole call. */
#ifndef AT_CHAIN_H
#define AT_CHAIN_H

#include "stage/tally.h"

typedef struct at_tensors {
    attend_in q, k, v; /* (B, H, Tq, D) (B, G, Tk, D) (B, G, Tk, E) */
    attend_out o;      /* (B, H, Tq, E)                             */
    attend_in lse;     /* (B, H, Tq) of rows whose weights are known to sum to it; else not given */
} at_tensors;

/* The outputs of attend_chain; data NULL: not wanted. */
typedef struct at_steps {
    attend_out compare, scale, mask, normalize; /* (B, H, Tq, Tk) */
    attend_out lse;                             /* (B, H, Tq)     */
    attend_out combine;                         /* (B, H, Tq, E)  */
} at_steps;

/* Every intermediate, hidden pairs included. */
attend_status at_chain_steps(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                             const at_steps *steps);

/* The readable path of attend_forward: output and taps, one row of the grid at a time. */
attend_status at_chain_forward(attend_ctx *ctx, const at_problem *problem, const at_tensors *tensors,
                               const at_taps *taps);

/* Scratch that at_chain_forward takes from the context. */
attend_status at_chain_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes);

#endif
