/* reference.h - attention written once more from the text of attend.h, for tests: whole grids, plain loops, nothing
   shared with src/.  Where it and src/stage agree, two readings of the same text agree. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "test_support.h"

typedef struct reference {
    int64_t B, H, G, Tq, Tk, D, E;
    bool *seen;                                  /* (B, H, Tq, Tk) the rule of section 5            */
    double *raw, *capped, *scores;               /* (B, H, Tq, Tk) of every pair, hidden ones too   */
    double *masked, *weights;                    /* (B, H, Tq, Tk)                                  */
    double *lse, *row_max, *entropy, *sink_mass; /* (B, H, Tq)                                      */
    double *output;                              /* (B, H, Tq, E)                                   */
} reference;

/* Everything about one call; freed by test_end. */
reference reference_attention(const attend_problem *problem, const attend_in *q, const attend_in *k, const attend_in *v,
                              const attend_extra *extra);

/* Whether query i may see key j, by the rule alone. */
bool reference_sees(const attend_problem *problem, const attend_extra *extra, int64_t b, int64_t h, int64_t i,
                    int64_t j);

/* Place of a pair in the grids, and of a query in the lists. */
static inline int64_t reference_pair(const reference *r, int64_t b, int64_t h, int64_t i, int64_t j) {
    return ((b * r->H + h) * r->Tq + i) * r->Tk + j;
}
static inline int64_t reference_query(const reference *r, int64_t b, int64_t h, int64_t i) {
    return (b * r->H + h) * r->Tq + i;
}

#endif
