/* trace_facts.h - what trace shows beside the steps themselves, and the two facts it checks for each row: weights are
   positive and sum to 1; a mixture lies between the smallest and the largest value it averages. */
#ifndef TRACE_FACTS_H
#define TRACE_FACTS_H

#include "worked.h"

typedef struct trace_facts {
    int shifted;          /* exponentials are of score - largest of the row: else they would be out of sight */
    double *exponentials; /* (H, T, T) 0 where hidden */
    double *totals;       /* (H, T) sums of the exponentials */
    double *tops;         /* (H, T) largest score that is seen */
    double *sums;         /* (H, T) sums of the weights */
    double *smallest;     /* (H, T, E) smallest value that is seen */
    double *largest;      /* (H, T, E) */
    double sum_error;     /* worst |1 - sum of weights| */
    int64_t vanished;     /* weights too small for a double: positive, but stored as 0 */
    int weights_hold;     /* the facts, in every row: 1 or 0 */
    int mixtures_hold;
} trace_facts;

/* shown: the one row that will be shown, -1 for all; it decides whether exponentials are shifted. NULL when there is no
   memory. */
trace_facts *trace_facts_make(const worked *work, int64_t shown);
void trace_facts_free(trace_facts *facts);

/* The same for one row of 0..H*T-1. */
int trace_weights_hold(const worked *work, const trace_facts *facts, int64_t row);
int trace_mixture_holds(const worked *work, const trace_facts *facts, int64_t row);

#endif
