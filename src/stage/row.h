/* row.h - one row of the grid on its way through the stages.  Each stage reads what the one before it
   stored and stores its own; nothing is overwritten, so every step can be shown. */
#ifndef AT_ROW_H
#define AT_ROW_H

#include "problem/visible.h"

typedef struct at_row {
    at_query at;
    double *query;       /* (D)  the query                                         */
    unsigned char *seen; /* (Tk) 1: this pair takes part                           */
    double *raw;         /* (Tk) compare: q.k                                      */
    double *capped;      /* (Tk) scale: times scale, softcap                       */
    double *scores;      /* (Tk) scale: plus slopes and bias                       */
    double *masked;      /* (Tk) mask: -infinity where hidden                      */
    double *weights;     /* (Tk) normalize                                         */
    double max;          /* largest masked score; -infinity for an empty row       */
    double lse;          /* log of the sum of exp(masked), sink included           */
    double entropy;      /* of the weights, in nats, the sink one more outcome     */
    double *output;      /* (E)  combine                                           */
} at_row;

/* Its part of an average.  What is infinite is not brought to nothing by a weight that is 0: it may only be too small. */
static inline double at_part_of(double value, double weight) {
    return weight == 0 && isinf(value) ? value : weight * value;
}

/* Bytes of one row's buffers; false when they do not fit. */
bool at_row_size(const at_problem *problem, size_t *size);
/* Lays a row's buffers out in block, which holds at_row_size bytes. */
void at_row_lay_out(const at_problem *problem, void *block, at_row *row);

/* Fills seen: by the rule, or with 1 for the stages that also show hidden pairs. */
void at_row_see(const at_problem *problem, at_row *row);
void at_row_see_all(const at_problem *problem, at_row *row);

/* The stages. A pair that is not seen is not computed: its raw score is -infinity and stays so. */
void at_compare_row(const at_problem *problem, const attend_in *k, at_row *row);
void at_scale_row(const at_problem *problem, at_row *row);
void at_mask_row(const at_problem *problem, at_row *row);
void at_normalize_row(const at_problem *problem, at_row *row);
/* The weights that belong to a given log-sum-exp; max and entropy stay unset. */
void at_reweigh_row(const at_problem *problem, double lse, at_row *row);
void at_combine_row(const at_problem *problem, const attend_in *v, at_row *row);

#endif
