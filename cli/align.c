#include "align.h"

#include <stdlib.h>

/* Entry index of a one-dimensional i32 tensor. */
static int64_t entry(const attend_in *list, int64_t index) {
    return ((const int32_t *)list->data)[index * list->stride[0]];
}

static bool is_list(const attend_in *list, int64_t length) {
    return list->dtype == ATTEND_I32 && list->rank == 1 && list->shape[0] == length;
}

/* Batch rows, or sequences of a packed batch: each has its own alignment. */
static int64_t groups(const forward_call *call) {
    const attend_in *starts = &call->extra.query_starts;
    return starts->data == NULL ? call->problem.batch : starts->shape[0] - 1;
}

static int64_t queries_of(const forward_call *call, int64_t group) {
    const attend_in *starts = &call->extra.query_starts;
    return starts->data == NULL ? call->problem.queries : entry(starts, group + 1) - entry(starts, group);
}

static int64_t keys_of(const forward_call *call, int64_t group) {
    const attend_in *starts = &call->extra.key_starts, *count = &call->extra.key_count;
    if (count->data != NULL)
        return entry(count, group);
    return starts->data == NULL ? call->problem.keys : entry(starts, group + 1) - entry(starts, group);
}

/* Can the lists that say how many queries and keys there are be read?  If not, the library says why. */
static bool countable(const forward_call *call) {
    const attend_extra *extra = &call->extra;
    bool packed = extra->query_starts.data != NULL;
    int64_t starts = packed ? extra->query_starts.shape[0] : call->problem.batch + 1;
    if (packed != (extra->key_starts.data != NULL) || starts < 1)
        return false;
    if (packed && !(is_list(&extra->query_starts, starts) && is_list(&extra->key_starts, starts)))
        return false;
    return extra->key_count.data == NULL || is_list(&extra->key_count, starts - 1);
}

/* The first group in which the two alignments differ, or -1. */
static int64_t ambiguous_group(const forward_call *call) {
    for (int64_t group = 0; group < groups(call); group++)
        if (queries_of(call, group) != keys_of(call, group))
            return group;
    return -1;
}

static int ask(const request *wish, const inputs *given, int64_t group) {
    const forward_call *call = &given->call;
    const char *option = wish->needs_offset == NULL ? "--slopes" : wish->needs_offset;
    long long   queries = queries_of(call, group), keys = keys_of(call, group);
    if (groups(call) > 1)
        cli_usage_error("%s %lld has %lld queries and %lld keys: %s needs to know which key each query stands at",
                        call->extra.query_starts.data == NULL ? "batch row" : "sequence", (long long)group, queries,
                        keys, option);
    else
        cli_usage_error("%lld queries and %lld keys: %s needs to know which key each query stands at", queries, keys,
                        option);
    cli_hint("--align first puts query 0 at key 0 (offset 0); --align last puts the last query at the last key (offset "
             "%lld); --query-offset N puts query 0 at key N",
             keys - queries);
    return CLI_USAGE;
}

/* Offsets that may differ are worked out here: keys - queries of each group.  Lists that are out of order give
   nonsense, which the library refuses. */
static int align_last(inputs *given) {
    forward_call *call = &given->call;
    int64_t count = groups(call);
    given->offsets = malloc(sizeof *given->offsets * (size_t)(count + 1)); /* never of size 0 */
    if (given->offsets == NULL)
        return cli_failure("no memory for %lld query offsets", (long long)count);
    for (int64_t group = 0; group < count; group++)
        given->offsets[group] = (int32_t)(keys_of(call, group) - queries_of(call, group));
    call->extra.query_offsets = attend_in_dense(given->offsets, ATTEND_I32, 1, &count);
    return CLI_DONE;
}

int align_queries(const request *wish, inputs *given) {
    forward_call *call = &given->call;
    call->problem.query_offset = wish->problem.query_offset; /* 0 but for --query-offset */
    given->offset_matters = wish->needs_offset != NULL || call->extra.slopes.data != NULL;
    bool chosen = wish->align != ALIGN_UNSAID || call->extra.query_offsets.data != NULL;
    if (!countable(call) || !given->offset_matters)
        return CLI_DONE;
    int64_t group = ambiguous_group(call);
    if (!chosen && group >= 0)
        return ask(wish, given, group);
    if (wish->align != ALIGN_LAST || group < 0)
        return CLI_DONE;
    if (call->extra.key_count.data == NULL && call->extra.query_starts.data == NULL) {
        call->problem.query_offset = call->problem.keys - call->problem.queries;
        return CLI_DONE;
    }
    return align_last(given);
}
