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
    for (int32_t i = 0; i < rows; i++)
        all = all && query[i].first <= span.first && query[i].end >= span.end;
    if (all)
        return true;
    memset(words, 0, sizeof *words * (size_t)(span.end - span.first));
    for (int32_t i = 0; i < rows; i++) {
        int64_t first = clamp(query[i].first, span), end = clamp(query[i].end, span);
        if (first < span.end)
            words[first - span.first] ^= (uint64_t)1 << i;
        if (end < span.end)
            words[end - span.first] ^= (uint64_t)1 << i;
    }
    for (int64_t j = 0; j < span.end - span.first; j++) {
        running ^= words[j];
        words[j] = running;
    }
    return false;
}

/* The whole rule, with the mask and the bias: row after row, and eight rows in one byte on the way to the words. */
static bool see_by_content(const at_problem *problem, const at_query *query, int32_t rows, at_span span,
                           uint64_t *words) {
    uint8_t sees[AT_CHUNK], hidden[AT_CHUNK];
    int64_t keys = span.end - span.first;
    uint64_t common = ~(uint64_t)0;
    memset(words, 0xff, sizeof *words * (size_t)keys);
    for (int32_t first = 0; first < rows; first += 8) {
        memset(hidden, 0, sizeof hidden);
        for (int32_t i = first; i < rows && i < first + 8; i++) {
            at_sees_keys(problem, &query[i], span.first, span.end, sees);
            for (int64_t j = 0; j < keys; j++)
                hidden[j] |= (uint8_t)((1 - sees[j]) << (i - first));
        }
        for (int64_t j = 0; j < keys; j++)
            words[j] &= ~((uint64_t)hidden[j] << first);
    }
    for (int64_t j = 0; j < keys; j++)
        common &= words[j];
    return common == ~(uint64_t)0;
}

bool at_sees_by_content(const at_problem *problem) {
    return at_given_in(&problem->mask) || at_given_in(&problem->bias);
}

const uint64_t *at_see(const at_problem *problem, const at_query *query, int32_t rows, at_span span, uint64_t *words) {
    bool all = at_sees_by_content(problem) ? see_by_content(problem, query, rows, span, words)
                                           : see_by_position(query, rows, span, words);
    return all ? NULL : words;
}

bool at_seen_by_some(const uint64_t *seen, int32_t rows, at_span span) {
    uint64_t any = 0;
    for (int64_t j = 0; seen != NULL && j < span.end - span.first; j++)
        any |= seen[j];
    return seen == NULL || (any & (((uint64_t)1 << rows) - 1)) != 0;
}
