#include "align.h"

#include <stdlib.h>

#include "groups.h"

/* The first group in which the two alignments differ, or -1. */
static int64_t ambiguous_group(const forward_call *call) {
    for (int64_t group = 0; group < groups_count(call); group++)
        if (groups_queries(call, group).count != groups_keys(call, group).count)
            return group;
    return -1;
}

static int ask(const request *wish, const inputs *given, int64_t group) {
    const forward_call *call = &given->call;
    const char *option = wish->needs_offset == NULL ? "--slopes" : wish->needs_offset;
    long long queries = groups_queries(call, group).count, keys = groups_keys(call, group).count;
    char where[48] = "";
    if (groups_count(call) > 1)
        snprintf(where, sizeof where, "%s %lld: ", call->extra.query_starts.data == NULL ? "batch row" : "sequence",
                 (long long)group);
    cli_usage_error("%squeries and keys differ in number (%lld and %lld): %s needs to know where the queries stand",
                    where, queries, keys, option);
    cli_hint("--align first puts query 0 at key 0 (offset 0); --align last puts the last query at the last key (offset "
             "%lld); --query-offset N puts query 0 at key N",
             keys - queries);
    return CLI_USAGE;
}

/* Offsets that may differ are worked out here: keys - queries of each group.  Lists that are out of order give
   nonsense, which the library refuses. */
static int align_last(inputs *given) {
    forward_call *call = &given->call;
    int64_t count = groups_count(call);
    given->offsets = malloc(sizeof *given->offsets * (size_t)(count + 1)); /* never of size 0 */
    if (given->offsets == NULL)
        return cli_failure("no memory for %lld query offsets", (long long)count);
    for (int64_t group = 0; group < count; group++)
        given->offsets[group] = (int32_t)(groups_keys(call, group).count - groups_queries(call, group).count);
    call->extra.query_offsets = attend_in_dense(given->offsets, ATTEND_I32, 1, &count);
    return CLI_DONE;
}

int align_queries(const request *wish, inputs *given) {
    forward_call *call = &given->call;
    call->problem.query_offset = wish->problem.query_offset; /* 0 but for --query-offset */
    given->offset_matters = wish->needs_offset != NULL || call->extra.slopes.data != NULL;
    bool chosen = wish->align != ALIGN_UNSAID || call->extra.query_offsets.data != NULL;
    if (!groups_are_readable(call) || !given->offset_matters)
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
