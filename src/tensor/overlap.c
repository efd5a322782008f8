#include "tensor/overlap.h"

#include <stdlib.h>

#include "base/size.h"

static int64_t element_size(const attend_in *tensor) { return (int64_t)attend_dtype_size((attend_dtype)tensor->dtype); }

/* Two extents add up within 64 bits. */
static const int64_t EXTENT_MAX = ((int64_t)1 << 62) - 1;

bool at_has_no_elements(const attend_in *tensor) {
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] == 0)
            return true;
    return false;
}

bool at_extent_of(const attend_in *tensor, at_extent *extent) {
    int64_t size = element_size(tensor);
    extent->low = extent->high = 0;
    if (at_has_no_elements(tensor))
        return true;
    for (int32_t axis = 0; axis < tensor->rank; axis++) {
        int64_t span;
        int64_t *end = tensor->stride[axis] < 0 ? &extent->low : &extent->high;
        if (!at_i64_mul(tensor->shape[axis] - 1, tensor->stride[axis], &span) || !at_i64_mul(span, size, &span) ||
            !at_i64_add(*end, span, end))
            return false;
    }
    return at_i64_add(extent->high, size, &extent->high) && extent->high <= EXTENT_MAX + extent->low;
}

bool at_extents_meet(const attend_in *a, const at_extent *of_a, const attend_in *b, const at_extent *of_b) {
    uintptr_t a_low = (uintptr_t)a->data + (uintptr_t)of_a->low, a_high = (uintptr_t)a->data + (uintptr_t)of_a->high;
    uintptr_t b_low = (uintptr_t)b->data + (uintptr_t)of_b->low, b_high = (uintptr_t)b->data + (uintptr_t)of_b->high;
    return a_low < b_high && b_low < a_high && a_low != a_high && b_low != b_high;
}

/* One unknown of the search below: step bytes for each of 0..last. */
typedef struct term {
    int64_t step;
    int64_t last;
} term;

enum { TERMS_MAX = 2 * ATTEND_RANK_MAX + 2, SEARCH_MAX = 100000 };

/* Can a sum of multiples of the terms, terms[0] largest, equal target, which lies between 0 and the most that they
   add up to?  Each level tries only the values that the smaller terms can still bring to the target: few, where
   strides nest. */
static bool reaches(const term *terms, int count, int64_t target, int *budget) {
    if (count == 0)
        return target == 0;
    int64_t rest = 0; /* most that the smaller terms can add */
    for (int other = 1; other < count; other++)
        rest += terms[other].step * terms[other].last;
    int64_t most = target / terms[0].step;
    if (most > terms[0].last)
        most = terms[0].last;
    int64_t least = target > rest ? (target - rest + terms[0].step - 1) / terms[0].step : 0;
    for (int64_t value = least; value <= most; value++)
        if (--*budget < 0 || reaches(terms + 1, count - 1, target - value * terms[0].step, budget))
            return true;
    return false;
}

static int by_falling_step(const void *a, const void *b) {
    int64_t left = ((const term *)a)->step, right = ((const term *)b)->step;
    return (left < right) - (left > right);
}

/* Every axis counts upwards from the lowest byte, so a negative stride is a positive step. */
static int add_terms(const attend_in *tensor, term *terms, int count) {
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] > 1 && tensor->stride[axis] != 0) {
            terms[count].step =
                (tensor->stride[axis] < 0 ? -tensor->stride[axis] : tensor->stride[axis]) * element_size(tensor);
            terms[count++].last = tensor->shape[axis] - 1;
        }
    return count;
}

/* Bytes of a and b meet when  a_low + (steps of a) + byte = b_low + (steps of b) + byte'.  Turning b's steps
   around (last - x) puts every unknown on one side:  sum of terms = b_high - 1 - a_low. */
bool at_overlaps(const attend_in *a, const attend_in *b) {
    at_extent of_a, of_b;
    if (!at_extent_of(a, &of_a) || !at_extent_of(b, &of_b))
        return true;
    if (!at_extents_meet(a, &of_a, b, &of_b))
        return false;
    uintptr_t a_low = (uintptr_t)a->data + (uintptr_t)of_a.low, b_high = (uintptr_t)b->data + (uintptr_t)of_b.high;
    term terms[TERMS_MAX] = {{1, element_size(a) - 1}, {1, element_size(b) - 1}};
    int count = add_terms(b, terms, add_terms(a, terms, 2));
    qsort(terms, (size_t)count, sizeof terms[0], by_falling_step);
    int budget = SEARCH_MAX;
    return reaches(terms, count, (int64_t)(b_high - 1 - a_low), &budget);
}

/* Elements from the first to the last of the axes whose strides are shorter than that of axis; of two equally long
   ones, one counts as shorter.  An axis of size 1 takes no step, whatever its stride says. */
static int64_t span_within(const attend_in *tensor, int32_t axis) {
    int64_t own = llabs(tensor->stride[axis]), span = 0;
    for (int32_t other = 0; other < tensor->rank; other++) {
        if (other == axis || tensor->shape[other] < 2)
            continue;
        int64_t stride = llabs(tensor->stride[other]);
        if (stride < own || (stride == own && other > axis))
            span += stride * (tensor->shape[other] - 1);
    }
    return span;
}

bool at_strides_nest(const attend_in *tensor, int32_t *axis) {
    if (at_has_no_elements(tensor))
        return true;
    for (*axis = 0; *axis < tensor->rank; ++*axis)
        if (tensor->shape[*axis] > 1 && llabs(tensor->stride[*axis]) <= span_within(tensor, *axis))
            return false;
    return true;
}
