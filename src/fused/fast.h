/* fast.h - attention without the grid, as the rest of the library sees it: with sums in f32, and the same text compiled
   once more with sums in f64 (doubles.c). */
#ifndef AT_FAST_H
#define AT_FAST_H

#include "problem/taps.h"

typedef struct at_fused { /* one call */
    const at_problem *problem;
    const attend_in *q, *k, *v; /* (B, H, Tq, D) (B, G, Tk, D) (B, G, Tk, E) */
    const attend_out *o;        /* (B, H, Tq, E); NULL: no output is wanted, and E is 0 */
    const at_taps *taps;
    const attend_in *lse; /* (B, H, Tq) given to a call that only looks, else NULL */
    void *states;         /* (B, H, Tq) at_state kept for looking; NULL: not wanted */
} at_fused;

typedef struct at_fast {
    /* NULL when it takes the call, else why not, in words that complete "the readable path, because ...". */
    const char *(*refusal)(const at_fused *call);

    /* The call must have been taken.  With call->lse nothing is computed but what there is to look at. */
    attend_status (*forward)(attend_ctx *ctx, const at_fused *call);

    /* The most scratch that forward takes from the context for this problem and these taps. */
    attend_status (*scratch)(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes);

    /* How forward would go about the call. */
    void (*explain)(const attend_ctx *ctx, const at_fused *call, attend_explanation *explanation);
} at_fast;

extern const at_fast at_fast_f32, at_fast_f64;

/* Sums are in f64 as soon as one of the tensors is. */
static inline const at_fast *at_fast_of(const at_fused *call) {
    bool wide = call->q->dtype == ATTEND_F64 || call->k->dtype == ATTEND_F64 || call->v->dtype == ATTEND_F64 ||
                (call->o != NULL && call->o->dtype == ATTEND_F64);
    return wide ? &at_fast_f64 : &at_fast_f32;
}

#endif
