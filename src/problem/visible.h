/* visible.h - WHO SEES WHOM: the one place that compares the position of a query with that of a key. */
#ifndef AT_VISIBLE_H
#define AT_VISIBLE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "problem/problem.h"
#include "tensor/tensor.h"

/* One query of one head, with what position alone lets it see: keys first .. end-1. */
typedef struct at_query {
    int64_t b, h, i;  /* batch row, query head, query    */
    int64_t g;        /* its key/value head, h / (H/G)   */
    int64_t position; /* p of the rule, as a key index  */
    int64_t first, end;
} at_query;

/* Sequence of a packed batch that holds query i: the last whose start is not past i and that is not empty. */
static inline int64_t at_sequence_of(const at_problem *problem, int64_t i) {
    int64_t low = 0, high = problem->sequences; /* start[low] <= i < start[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if ((int64_t)at_get(&problem->query_starts, middle, 0, 0, 0) <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static inline int64_t at_entry(const attend_in *list, int64_t index, int64_t otherwise) {
    return at_given_in(list) ? (int64_t)at_get(list, index, 0, 0, 0) : otherwise;
}

static inline at_query at_query_of(const at_problem *problem, int64_t b, int64_t h, int64_t i) {
    bool packed = at_given_in(&problem->query_starts);
    int64_t s = packed ? at_sequence_of(problem, i) : b;
    int64_t query_start = at_entry(&problem->query_starts, s, 0);
    int64_t key_start = at_entry(&problem->key_starts, s, 0);
    int64_t key_end = at_entry(&problem->key_starts, s + 1, problem->keys);
    int64_t counted = key_start + at_entry(&problem->key_count, s, key_end - key_start);
    at_query query = {b, h, i, h / problem->group, 0, key_start, counted < key_end ? counted : key_end};
    int64_t aligned = problem->queries_last ? counted - key_start - problem->queries : problem->query_offset;
    query.position = key_start + (i - query_start) + at_entry(&problem->query_offsets, s, aligned);
    if (problem->flags & ATTEND_LIMIT_AHEAD && query.position + problem->ahead + 1 < query.end)
        query.end = query.position + problem->ahead + 1;
    if (problem->flags & ATTEND_LIMIT_BACK && query.position - problem->back > query.first)
        query.first = query.position - problem->back;
    if (query.end < query.first)
        query.end = query.first;
    return query;
}

/* The whole rule: position, mask and bias.  A bias of -infinity hides as a mask does. */
static inline bool at_sees(const at_problem *problem, const at_query *query, int64_t j) {
    if (j < query->first || j >= query->end)
        return false;
    if (at_given_in(&problem->mask) && at_get(&problem->mask, query->b, query->h, query->i, j) == 0)
        return false;
    return !at_given_in(&problem->bias) || at_get(&problem->bias, query->b, query->h, query->i, j) != -INFINITY;
}

/* The same for keys first .. end-1 at once: sees[j - first] becomes 1 or 0. */
static inline void at_sees_keys(const at_problem *problem, const at_query *query, int64_t first, int64_t end,
                                uint8_t *sees) {
    int64_t from = query->first > first ? query->first : first, to = query->end < end ? query->end : end;
    memset(sees, 0, (size_t)(end - first));
    if (from >= to)
        return;
    sees += from - first;
    memset(sees, 1, (size_t)(to - from));
    if (at_given_in(&problem->mask))
        at_clear_where(&problem->mask, query->b, query->h, query->i, from, to - from, 0, sees);
    if (at_given_in(&problem->bias))
        at_clear_where(&problem->bias, query->b, query->h, query->i, from, to - from, -INFINITY, sees);
}

#endif
