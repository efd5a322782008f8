/* tally.h - the taps of the readable path: what they keep while the queries of one head go by. */
#ifndef AT_TALLY_H
#define AT_TALLY_H

#include "problem/taps.h"
#include "stage/row.h"

typedef struct at_tally {
    double *columns;                          /* (Tk)                                   */
    double *grid_sum, *grid_count, *grid_max; /* (r, c)                                 */
    double *top_weight;                       /* (n) heaviest first, of the row at hand */
    double *mass;                             /* (segments) of the row at hand          */
    int64_t *top_index;                       /* (n)                                    */
} at_tally;

/* Bytes of the buffers; false when they do not fit. */
bool at_tally_size(const at_problem *problem, const at_taps *taps, size_t *size);
void at_tally_lay_out(const at_problem *problem, const at_taps *taps, void *block, at_tally *tally);

/* Before the first query of head (b, h), after each query, and after the last. */
void at_tally_begin(const at_problem *problem, const at_taps *taps, at_tally *tally);
void at_tally_row(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally);
void at_tally_end(const at_problem *problem, const at_taps *taps, int64_t b, int64_t h, const at_tally *tally);

#endif
