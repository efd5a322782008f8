/* see.h - which rows of a block see which keys of a chunk, as one word of bits for each key. */
#ifndef AT_SEE_H
#define AT_SEE_H

#include "kernel/kernel.h"
#include "problem/visible.h"

/* Keys that some row may see by position alone: first .. end-1; empty when first >= end. */
typedef struct at_span {
    int64_t first, end;
} at_span;

at_span at_span_of(const at_query *query, int32_t rows);

/* The span has at most AT_CHUNK keys.  Fills words (span.end - span.first) with bit i set where row i sees the key, and
   bits past rows with 1, and returns words; or NULL when every row sees every key of the span. */
const uint64_t *at_see(const at_problem *problem, const at_query *query, int32_t rows, at_span span, uint64_t *words);

/* Whether a mask or a bias says who sees whom, beside position. */
bool at_sees_by_content(const at_problem *problem);

/* Whether any row sees any key of the span, by the words of at_see. */
bool at_seen_by_some(const uint64_t *seen, int32_t rows, at_span span);

#endif
