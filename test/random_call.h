/* random_call.h - a random call of attend_forward: sizes, options, types and layouts. */
#ifndef RANDOM_CALL_H
#define RANDOM_CALL_H

#include "test_support.h"

/* What a random call may have, as bits. */
enum {
    MAY_WINDOW = 1 << 0, /* causal, sliding, offsets of all signs     */
    MAY_MASK = 1 << 1,   /* of any rank, broadcast                    */
    MAY_BIAS = 1 << 2,   /* the same, with -infinity here and there   */
    MAY_SLOPES = 1 << 3,
    MAY_SINKS = 1 << 4,
    MAY_COUNT = 1 << 5, /* key_count and query_offsets per batch row */
    MAY_PACK = 1 << 6,  /* batch 1, several sequences                */
    MAY_CAP = 1 << 7,
    MAY_SCALE = 1 << 8,     /* given, and 0                              */
    MAY_STRIDE = 1 << 9,    /* any layout                                */
    MAY_TYPE = 1 << 10,     /* f16, bf16, f32 and f64; else all f64      */
    MAY_BE_EMPTY = 1 << 11, /* sizes of 0                              */
    MAY_ALL = (1 << 12) - 1,
    MUST_BE_SHORT_FLOATS = 1 << 12, /* f16, bf16 and f32 alone: sums in f32   */
    MAY_BE_LONG = 1 << 13,          /* several hundred keys, heads of many widths */
    MAY_BE_FAST = 1 << 14,          /* either path; else ATTEND_READABLE, whatever the types */
    MAY_BE_WIDE = 1 << 15,          /* heads and values of 1 to 577 numbers */
    MAY_BE_WILD = 1 << 16           /* NaN, infinities, numbers next to 0 here and there */
};

typedef struct random_call {
    attend_problem problem;
    attend_extra extra;
    attend_in q, k, v; /* (B, H, Tq, D) (B, G, Tk, D) (B, G, Tk, E) */
    attend_out o;      /* (B, H, Tq, E)                             */
} random_call;

random_call random_call_make(test_random *rng, unsigned may);
/* Kinds of calls in turn, from tiny ones with every option to long, wide and wild ones. */
random_call random_call_in_turn(test_random *rng, int turn, unsigned may);
/* What roundings in float make of a score of the call, and so, relatively, of a weight. */
double random_call_score_error(const random_call *call);
attend_status random_call_forward(attend_ctx *ctx, const random_call *call, const attend_taps *taps);

/* Half the distance from 1 to the next number of the sums of the fast path: 2^-53 where anything is f64, else 2^-24. */
double random_call_unit(const random_call *call);

/* Fresh results of the call: its output by the readable path, dense and in double, and the weights of all queries (B, H, Tq, Tk). */
attend_in random_call_output(attend_ctx *ctx, const random_call *call);
attend_in random_call_weights(attend_ctx *ctx, const random_call *call);

/* An i32 list 0, 1, ... count-1. */
attend_in test_range(int64_t count);

#endif
