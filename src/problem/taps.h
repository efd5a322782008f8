/* taps.h - what the caller wants to look at, resolved. */
#ifndef AT_TAPS_H
#define AT_TAPS_H

#include "problem/problem.h"

typedef struct at_taps {
    attend_out lse, row_max, entropy, top_rest;              /* (B, H, Tq)     */
    attend_out top_index, top_weight;                        /* (B, H, Tq, n)  */
    int64_t top;                                             /* n, 0: not wanted */
    attend_in rows;                                          /* (n)            */
    attend_out row_raw, row_capped, row_biased, row_weights; /* (B, H, n, Tk)  */
    attend_out column_sum;                                   /* (B, H, Tk)     */
    int64_t column_first, column_end;
    attend_out grid_sum, grid_count, grid_max; /* (B, H, r, c)   */
    int64_t grid_rows, grid_columns;           /* r, c; 0: not wanted */
    attend_in segments;                        /* (Tk)           */
    attend_out segment_mass;                   /* (B, H, Tq, n)  */
} at_taps;

/* Reads the caller's taps (NULL: none) and checks their shapes.  Their contents are not touched: attend_reserve
   may get them before there are any. */
attend_status at_taps_import(at_arguments *arguments, const at_problem *problem, const attend_taps *taps,
                             at_taps *result);

/* Checks the contents: every row names a query, every segment a column of segment_mass. */
attend_status at_taps_check(attend_ctx *ctx, const at_problem *problem, const at_taps *taps);

/* The band that holds position when total positions are shared out over count bands: band y begins at
   floor(y total / count). The product fits: import checked it. */
static inline int64_t at_band_of(int64_t position, int64_t count, int64_t total) {
    return ((position + 1) * count - 1) / total;
}

#endif
