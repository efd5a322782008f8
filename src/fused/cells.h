/* cells.h - a grid with a cell for each pair of query and key: its sum and its maximum are the weight, its count is 0 or
   1, and nothing has to be gathered.  Cells of such numbers as the sums are made of are written where they lie. */
#ifndef AT_CELLS_H
#define AT_CELLS_H

#include "fused/block.h"

/* Whether the grid is one, and can be written so. */
AT_PART bool at_cells_are_single(const at_problem *problem, const at_taps *taps);

/* Nothing is seen: cells of queries and keys of head [b,h] become 0. */
AT_PART void at_cells_clear(const at_taps *taps, int64_t b, int64_t h, at_span queries, at_span keys);

/* Weights (keys, AT_LANES) of a block for a span of at most AT_CHUNK keys, 0 where they are hidden. */
AT_PART void at_cells_write(const at_taps *taps, const at_kernels *kernels, const at_block *block, at_span span,
                            const at_real *weights, const uint64_t *seen);

#endif
