#include "check_part.h"

part part_of_group(const forward_call *whole, int64_t group) {
    part all = {group, {0, whole->problem.heads}, groups_queries(whole, group), groups_keys(whole, group)};
    all.queries.first = all.keys.first = 0;
    return all;
}

attend_in part_slice(attend_in tensor, int32_t axis, span positions) {
    int64_t step = tensor.stride[axis] * (int64_t)attend_dtype_size((attend_dtype)tensor.dtype);
    if (positions.count > 0)
        tensor.data = (const char *)tensor.data + positions.first * step;
    tensor.shape[axis] = positions.count;
    return tensor;
}

/* Where the part lies on the axes B, H, Tq and Tk of the whole. */
typedef struct place {
    span on[4];
} place;

static place place_of(const forward_call *whole, const part *wanted) {
    bool packed = whole->extra.query_starts.data != NULL;
    place found = {{{packed ? 0 : wanted->group, 1}, wanted->heads, wanted->queries, wanted->keys}};
    found.on[2].first += groups_queries(whole, wanted->group).first;
    found.on[3].first += groups_keys(whole, wanted->group).first;
    return found;
}

/* A mask or bias: aligned on the right with (B, H, Tq, Tk); an axis of size 1 repeats. */
static attend_in slice_grid(attend_in grid, const place *found) {
    for (int32_t axis = 0; grid.data != NULL && axis < grid.rank; axis++)
        if (grid.shape[axis] != 1)
            grid = part_slice(grid, axis, found->on[axis + 4 - grid.rank]);
    return grid;
}

static attend_in slice_heads(attend_in list, const place *found) {
    return list.data == NULL ? list : part_slice(list, 0, found->on[1]);
}

/* Keys or values (B, G, Tk, any): the heads that the part's query heads share. */
static attend_in slice_keys(attend_in keys, const forward_call *whole, const place *found) {
    int64_t sharing = keys.shape[1] == 0 ? 1 : whole->problem.heads / keys.shape[1];
    span heads = {found->on[1].first / sharing, found->on[1].count == 1 ? 1 : keys.shape[1]};
    keys = part_slice(keys, 0, found->on[0]);
    keys = part_slice(keys, 1, heads);
    return part_slice(keys, 2, found->on[3]);
}

attend_in part_result(const forward_call *whole, const part *wanted, attend_in result) {
    place found = place_of(whole, wanted);
    for (int32_t axis = 0; axis < 3; axis++)
        result = part_slice(result, axis, found.on[axis]);
    return result;
}

forward_call part_call(const forward_call *whole, const part *wanted) {
    place found = place_of(whole, wanted);
    forward_call call = {.problem = whole->problem, .extra = attend_extra_init()};
    call.q = part_result(whole, wanted, whole->q);
    call.k = slice_keys(whole->k, whole, &found);
    call.v = slice_keys(whole->v, whole, &found);
    call.extra.mask = slice_grid(whole->extra.mask, &found);
    call.extra.bias = slice_grid(whole->extra.bias, &found);
    call.extra.slopes = slice_heads(whole->extra.slopes, &found);
    call.extra.sinks = slice_heads(whole->extra.sinks, &found);
    call.problem.batch = 1;
    call.problem.heads = wanted->heads.count;
    call.problem.kv_heads = call.k.shape[1];
    call.problem.queries = wanted->queries.count;
    call.problem.keys = wanted->keys.count;
    call.problem.query_offset = groups_offset(whole, wanted->group) + wanted->queries.first - wanted->keys.first;
    return call;
}
