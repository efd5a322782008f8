/* readings.h - what the library's taps say of a worked example. */
#ifndef READINGS_H
#define READINGS_H

#include "worked.h"

/* What to read; zero = not wanted. */
typedef struct readings_wish {
    int64_t grid_rows, grid_columns; // cells that the grid of weights is pooled into: T x T leaves it as it is
    const int32_t *rows;             // row_count queries whose rows are wanted
    int64_t row_count;
    int64_t top; // heaviest keys of each query
    int entropy;
    int received;
} readings_wish;

/* NULL = not wanted. */
typedef struct readings {
    double *grid;        // (H, grid_rows, grid_columns) largest weight in the cell
    double *grid_seen;   // (H, grid_rows, grid_columns) pairs in the cell that are not hidden
    double *row_weights; // (H, row_count, T)
    int32_t *top_index;  // (H, T, top) -1 past the last key seen
    double *top_weight;  // (H, T, top)
    double *top_rest;    // (H, T)
    double *entropy;     // (H, T)
    double *received;    // (H, T) a key's weights, summed over the queries
} readings;

/* Runs attend_forward once, with taps. On failure *result is empty. */
attend_status readings_take(attend_ctx *ctx, const worked *work, const readings_wish *wish, readings *result);
void readings_free(readings *r);

#endif
