/* look_tensors.h - attend look at tensors from files: the pooled grid, and parts of the grid, of any number of tokens. */
#ifndef LOOK_TENSORS_H
#define LOOK_TENSORS_H

#include "inputs.h"
#include "look_options.h"

/* What the library says of one head; NULL: not asked for. */
typedef struct tensor_view {
    int64_t head; // counted from 0
    int64_t queries, keys, cells, rows, top;
    const int32_t *row;  // (rows) queries
    double *grid;        // (cells, cells) the largest weight
    double *seen;        // (cells, cells) pairs that are seen
    double *row_weights; // (rows, keys)
    double *row_scores;  // (rows, keys) -infinity where hidden
    int32_t *top_index;  // (queries, top)
    double *top_weight;  // (queries, top)
    double *top_rest;    // (queries)
    double *entropy;     // (queries)
    double *received;    // (keys)
} tensor_view;

int look_tensors(const look_options *options);

/* Exit status; what was asked for, as tables or as one JSON document over all views. */
void look_tensor_tables(const tensor_view *view, int64_t heads, int digits);
int look_tensor_json(const tensor_view *views, int64_t count);

#endif
