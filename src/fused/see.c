#include "fused/see.h"

#include <string.h>

at_span at_span_of(const at_query *query, int32_t rows) {
    at_span span = {INT64_MAX, INT64_MIN};
    for (int32_t i = 0; i < rows; i++) {
        if (query[i].first >= query[i].end)
            continue;
        span.first = query[i].first < span.first ? query[i].first : span.first;
        span.end = query[i].end > span.end ? query[i].end : span.end;
    }
    return span;
}

static int64_t clamp(int64_t value, at_span span) {
    return value < span.first ? span.first : value > span.end ? span.end : value;
}

/* Each row flips its bit where its keys begin and again where they end; the running exclusive or is what is seen. */
static bool see_by_position(const at_query *query, int32_t rows, at_span span, uint64_t *words) {
    uint64_t row_bits = ((uint64_t)1 << rows) - 1, running = ~row_bits;
    bool all = true;
    memset(words, 0, sizeof *words * (size_t)(span.end - span.first));
    for (int32_t i = 0; i < rows; i++) {
        int64_t first = clamp(query[i].first, span), end = clamp(query[i].end, span);
        all = all && first == span.first && end == span.end;
        if (first < span.end)
            words[first - span.first] ^= (uint64_t)1 << i;
        if (end < span.end)
            words[end - span.first] ^= (uint64_t)1 << i;
    }
    for (int64_t j = 0; j < span.end - span.first; j++) {
        running ^= words[j];
        words[j] = running;
    }
    return all;
}

/* The mask and the bias of -infinity: one pair after another. */
static bool see_by_content(const at_problem *problem, const at_query *query, int32_t rows, at_span span,
                           uint64_t *words) {
    bool all = true;
    for (int32_t i = 0; i < rows; i++)
        for (int64_t j = span.first; j < span.end; j++)
            if (!at_sees(problem, &query[i], j)) {
                words[j - span.first] &= ~((uint64_t)1 << i);
                all = false;
            }
    return all;
}

const uint64_t *at_see(const at_problem *problem, const at_query *query, int32_t rows, at_span span, uint64_t *words) {
    bool all = see_by_position(query, rows, span, words);
    if (at_given_in(&problem->mask) || at_given_in(&problem->bias))
        all = see_by_content(problem, query, rows, span, words) && all;
    return all ? NULL : words;
}
