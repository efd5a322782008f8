/* overlap.h - do two tensors share memory? */
#ifndef AT_OVERLAP_H
#define AT_OVERLAP_H

#include <stdbool.h>

#include "attend/attend.h"

/* Bytes from a tensor's data pointer to its lowest byte (<= 0) and past its highest. */
typedef struct at_extent {
    int64_t low;
    int64_t high;
} at_extent;

bool at_has_no_elements(const attend_in *tensor);

/* False when it is 2^62 bytes or more from one end to the other.  A tensor without elements has the extent 0, 0. */
bool at_extent_of(const attend_in *tensor, at_extent *extent);

/* Whether a byte may be shared, going by the two extents alone. */
bool at_extents_meet(const attend_in *a, const at_extent *of_a, const attend_in *b, const at_extent *of_b);

/* Whether any element of a shares a byte with any element of b.  Exact for the layouts that occur (dense,
   permuted, interleaved slices); when the search grows too long the answer is the safe one, true. */
bool at_overlaps(const attend_in *a, const attend_in *b);

/* Whether the strides nest: each axis longer than one steps past the whole span of the axes with shorter
   strides.  Then no two elements share memory. On failure *axis is one that does not.  The extent has been checked. */
bool at_strides_nest(const attend_in *tensor, int32_t *axis);

#endif
