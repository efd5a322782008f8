#include "groups.h"

/* Entry index of a one-dimensional i32 tensor. */
static int64_t entry(const attend_in *list, int64_t index) {
    return ((const int32_t *)list->data)[index * list->stride[0]];
}

static bool is_list(const attend_in *list, int64_t length) {
    return list->dtype == ATTEND_I32 && list->rank == 1 && list->shape[0] == length;
}

bool groups_are_readable(const forward_call *call) {
    const attend_extra *extra = &call->extra;
    bool packed = extra->query_starts.data != NULL;
    int64_t starts = packed ? extra->query_starts.shape[0] : call->problem.batch + 1;
    if (packed != (extra->key_starts.data != NULL) || starts < 1)
        return false;
    if (packed && !(is_list(&extra->query_starts, starts) && is_list(&extra->key_starts, starts)))
        return false;
    return extra->key_count.data == NULL || is_list(&extra->key_count, starts - 1);
}

int64_t groups_count(const forward_call *call) {
    const attend_in *starts = &call->extra.query_starts;
    return starts->data == NULL ? call->problem.batch : starts->shape[0] - 1;
}

static span span_of(const attend_in *starts, int64_t group, int64_t all) {
    span whole = {0, all};
    if (starts->data == NULL)
        return whole;
    span sequence = {entry(starts, group), entry(starts, group + 1) - entry(starts, group)};
    return sequence;
}

span groups_queries(const forward_call *call, int64_t group) {
    return span_of(&call->extra.query_starts, group, call->problem.queries);
}

span groups_keys(const forward_call *call, int64_t group) {
    span keys = span_of(&call->extra.key_starts, group, call->problem.keys);
    if (call->extra.key_count.data != NULL)
        keys.count = entry(&call->extra.key_count, group);
    return keys;
}

int64_t groups_offset(const forward_call *call, int64_t group) {
    const attend_in *offsets = &call->extra.query_offsets;
    return offsets->data == NULL ? call->problem.query_offset : entry(offsets, group);
}
