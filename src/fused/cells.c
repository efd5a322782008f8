#include "fused/cells.h"

#include <string.h>

static bool in_place(const attend_out *tensor) {
    attend_in there = attend_read(*tensor);
    return !at_given_out(tensor) || (at_panel_in_place(&there) && there.stride[3] == 1);
}

bool at_cells_are_single(const at_problem *problem, const at_taps *taps) {
    return taps->grid_rows == problem->queries && taps->grid_columns == problem->keys && in_place(&taps->grid_sum) &&
           in_place(&taps->grid_max) && in_place(&taps->grid_count);
}

static at_real *cell(const attend_out *tensor, int64_t b, int64_t h, int64_t i, int64_t j) {
    return (at_real *)tensor->data + at_row_place(tensor->stride, b, h, i) + j;
}

static void clear(const attend_out *tensor, int64_t b, int64_t h, at_span queries, at_span keys) {
    for (int64_t i = queries.first; at_given_out(tensor) && i < queries.end; i++)
        memset(cell(tensor, b, h, i, keys.first), 0, sizeof(at_real) * (size_t)(keys.end - keys.first));
}

void at_cells_clear(const at_taps *taps, int64_t b, int64_t h, at_span queries, at_span keys) {
    if (keys.first >= keys.end)
        return;
    clear(&taps->grid_sum, b, h, queries, keys);
    clear(&taps->grid_max, b, h, queries, keys);
    clear(&taps->grid_count, b, h, queries, keys);
}

static void write_weights(const attend_out *tensor, const at_kernels *kernels, const at_block *block, at_span span,
                          const at_real *weights) {
    at_real *row[AT_LANES];
    if (!at_given_out(tensor))
        return;
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        row[i] = cell(tensor, at->b, at->h, at->i, span.first);
    }
    kernels->turn(weights, block->rows, (int32_t)(span.end - span.first), row);
}

static void write_counts(const attend_out *tensor, const at_block *block, at_span span, const uint64_t *seen) {
    for (int32_t i = 0; at_given_out(tensor) && i < block->rows; i++) {
        const at_query *at = &block->query[i];
        at_real *row = cell(tensor, at->b, at->h, at->i, span.first);
        for (int64_t j = 0; j < span.end - span.first; j++)
            row[j] = seen == NULL ? 1 : (at_real)(seen[j] >> i & 1);
    }
}

void at_cells_write(const at_taps *taps, const at_kernels *kernels, const at_block *block, at_span span,
                    const at_real *weights, const uint64_t *seen) {
    write_weights(&taps->grid_sum, kernels, block, span, weights);
    write_weights(&taps->grid_max, kernels, block, span, weights);
    write_counts(&taps->grid_count, block, span, seen);
}
