/* added.h - what is added to the scores of a block: ALiBi (Press et al. 2021, section 3) and the given bias. */
#ifndef AT_ADDED_H
#define AT_ADDED_H

#include "fused/see.h"
#include "fused/part.h"

enum { AT_ADDED_KEYS = AT_CHUNK + 1 }; /* floats of scratch for each row */

/* Whether anything is. */
static inline bool at_adds(const at_problem *problem) {
    return at_given_in(&problem->slopes) || at_given_in(&problem->bias);
}

/* Fills added (keys of the span, AT_LANES); what is added is summed in double and rounded once.  scratch
   (AT_LANES, AT_ADDED_KEYS). */
AT_PART void at_added(const at_problem *problem, const at_kernels *kernels, const at_query *query, int32_t rows,
                      at_span span, at_real *scratch, at_real *added);

#endif
