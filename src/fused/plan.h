/* plan.h - how the fast path cuts a problem into tasks, and whether it takes it at all. */
#ifndef AT_PLAN_H
#define AT_PLAN_H

#include "fused/fast.h"
#include "fused/part.h"
#include "kernel/pairs.h"
#include "problem/visible.h"

enum { AT_BLOCKS_MAX = 4 }; /* blocks of a task */

#define AT_LOG2_E 1.44269504088896340736

/* What a row's weights are made of once all its keys have been met (at_final of kernel.h). */
typedef struct at_state {
    at_real shift, highest, inverse;
} at_state;

static inline at_state *at_state_place(const at_fused *call, const at_query *at) {
    return (at_state *)call->states + (at->b * call->problem->heads + at->h) * call->problem->queries + at->i;
}

/* A block is a few neighbouring queries of a few heads that share a key head: at most AT_LANES rows. A task is a
   few blocks one after another, which share the keys and values that had to be converted. The cuts depend on the
   sizes alone; bits do not depend on the cuts. */
typedef struct at_plan {
    const at_kernels *kernels;
    int32_t heads;        /* of a block                                                 */
    int32_t queries;      /* of a block                                                 */
    int32_t blocks;       /* of a task                                                  */
    int64_t head_tasks;   /* tasks side by side over the heads of a group               */
    int64_t query_tasks;  /* ... and over the queries                                   */
    int64_t task_queries; /* of a task                                                 */
    int64_t tasks;
    int64_t chunks;        /* of the keys                                                */
    int64_t splits;        /* 1, or parts that the chunks of a task are cut into (decode.h) */
    const char *whole;     /* why the chunks of a task are not cut, in words; NULL when they are */
    bool widen_k, widen_v; /* keys or values are converted to rows of floats first    */
    const at_pairs *pairs; /* keys that fit are compared as pairs of bf16 instead; NULL: none are */
    bool swapped;          /* keys are bf16: the second of each pair of elements first   */
    bool tallies;          /* of heaviest keys or of kinds are kept on the way (heaviest.h) */
    bool keeps;            /* scores, of which a task, a whole head, makes column sums and the grid (received.c) */
    bool adjusted;         /* scores are scaled, capped and added to before normalize    */
    at_real sign;          /* of the scale: goes into the queries                        */
    at_real factor;        /* of the exponent: |scale| log2 e, or log2 e when adjusted   */
} at_plan;

/* What fast.h says of them. */
AT_PART const char *at_plan_refusal(const at_fused *call);
AT_PART void at_plan_explain(const attend_ctx *ctx, const at_fused *call, attend_explanation *explanation);

/* Why keys or values are converted first, in words; NULL when they are read where they lie. */
AT_PART const char *at_plan_widens(const attend_in *tensor, const at_plan *plan);

/* For kernels of isa.  threads matters for splits, and for whether scores are kept. */
AT_PART void at_plan_make(const at_fused *call, attend_isa isa, int32_t threads, at_plan *plan);

/* The plan of a call for this problem and these taps that needs the most scratch, whatever its types and optional inputs:
   of those that may keep scores, or of those that do not. */
AT_PART void at_plan_make_largest(const at_fused *call, int32_t threads, bool keeping, at_plan *plan);

/* What a given log-sum-exp makes of a row. */
AT_PART at_state at_state_given(const at_problem *problem, const at_plan *plan, double lse);

#endif
