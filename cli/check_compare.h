/* check_compare.h - the comparisons of `attend check`: the same attention, computed another way. */
#ifndef CHECK_COMPARE_H
#define CHECK_COMPARE_H

#include "check_memory.h"
#include "inputs.h"

/* o (B, H, Tq, E) and lse (B, H, Tq), in double. */
typedef struct outcome {
    attend_in o;
    attend_in lse;
} outcome;

typedef struct check_case {
    attend_ctx *ctx;
    attend_ctx *other; /* with another number of threads, and plain C */
    const forward_call *call;
    check_memory memory;
    outcome whole;     /* what attend_forward says of the call */
    double value_most; /* the largest finite magnitude among the values, 1 when there is none */
} check_case;

/* How far two ways lay apart in one case.  An error of o counts in units of value_most (1 + |lse|), one of lse in
   units of 1 + |lse|, since what either may lose by rounding grows with these. */
typedef struct finding {
    bool compared; /* false: the comparison does not apply to this case */
    double error;
    double
        allowed; /* 0 for the same bits; at first check_bound, which a comparison may replace by a bound of its own */
} finding;

typedef struct comparison {
    const char *name;
    const char *what;
    bool exact; /* the same bits, or within check_bound */
    attend_status (*run)(check_case *at, finding *found);
} comparison;

#define CHECK_TRY(call)                       \
    do {                                      \
        attend_status check_status_ = (call); \
        if (check_status_ != ATTEND_OK)       \
            return check_status_;             \
    } while (0)

extern const comparison check_comparisons[];
extern const int check_comparisons_count;

/* Fills in whole and value_most. */
attend_status check_case_begin(check_case *at);

/* The most that two ways may differ in:  4 (n + 8) u  with u = 2^-53, where a sum has up to n terms.  Either way has an
   error of at most (n - 1) u from a sum of n numbers in any order (Higham, "Accuracy and Stability of Numerical
   Algorithms", 2nd edition, section 4.2), of a few u from products, exp and log, and of |lse| u from lse, which is
   rounded once and turns up in an exponent; and there are two ways. */
double check_bound(const check_case *at);

/* ---- For the comparisons ----------------------------------------------------------------------------------------- */

attend_status check_forward(check_case *at, attend_ctx *ctx, const forward_call *call, const attend_taps *taps,
                            outcome *result);
/* A tensor of doubles in the case's memory. */
attend_status check_tensor(check_case *at, int32_t rank, const int64_t *shape, attend_out *tensor);
/* Element (i, j, l, m) of a tensor of doubles; indices of axes that it does not have count nothing. */
double check_at(const attend_in *tensor, int64_t i, int64_t j, int64_t l, int64_t m);
/* Element (i, j, l, m) of a tensor of any type, and the largest finite magnitude of all (0 when there is none). */
double check_value(const attend_in *tensor, int64_t i, int64_t j, int64_t l, int64_t m);
double check_largest(const attend_in *tensor);
/* How far two numbers lie apart: infinity when one is NaN or infinite and the other is not. */
double check_apart(double a, double b);
/* The same, but 0 only when all bits agree. */
double check_bits(double a, double b);
/* The largest of these between two tensors of doubles of the same shape. */
double check_tensors(const attend_in *a, const attend_in *b, double (*distance)(double a, double b));
/* The larger error of o and of lse, in the units of a finding. */
double check_outcomes(const check_case *at, const outcome *a, const outcome *b, double (*distance)(double a, double b));
/* The unit of an error in a row with this lse. */
double check_unit(double lse);

/* Every step of the call. */
attend_status check_run_chain(check_case *at, attend_steps *steps);
/* The weight of a head's sink in a row: exp(sink - lse), or 0 without sinks. */
double check_sink_weight(const attend_in *sinks, int64_t head, double lse);

/* The comparisons of check_fast.c, check_grids.c and check_taps.c. */
attend_status check_fast(check_case *at, finding *found);
attend_status check_fast_bits(check_case *at, finding *found);
attend_status check_stages(check_case *at, finding *found);
attend_status check_chain(check_case *at, finding *found);
attend_status check_weights(check_case *at, finding *found);
attend_status check_picked(check_case *at, finding *found);
attend_status check_summed(check_case *at, finding *found);

#endif
