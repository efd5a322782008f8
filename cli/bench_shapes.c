#include "bench_shapes.h"

#include <string.h>

#define SHAPE(name, heads, kv_heads, queries, keys, width, window, content, what) \
    {#name, what, {1, heads, kv_heads, queries, keys, width, width, ATTEND_F32, #name}, window, CONTENT_##content},
const bench_shape bench_shapes[] = {
#include "bench_shapes.def"
};
#undef SHAPE

enum { SHAPES = sizeof bench_shapes / sizeof bench_shapes[0] };
const int bench_shapes_count = SHAPES;

const bench_shape *bench_shape_named(const char *name) {
    const char *names[SHAPES];
    for (int i = 0; i < SHAPES; i++) {
        names[i] = bench_shapes[i].name;
        if (strcmp(name, names[i]) == 0)
            return &bench_shapes[i];
    }
    const char *near = cli_nearest(name, names, SHAPES);
    if (near != NULL)
        cli_usage_error("no shape is named \"%s\"; did you mean %s?", name, near);
    else
        cli_usage_error("no shape is named \"%s\"; attend bench --list lists them", name);
    return NULL;
}

static int64_t within(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

double bench_pairs(const attend_problem *problem) {
    double pairs = 0;
    for (int64_t i = 0; i < problem->queries; i++) {
        int64_t position = i + problem->query_offset, first = 0, end = problem->keys;
        if (problem->flags & ATTEND_LIMIT_AHEAD)
            end = within(position + problem->ahead + 1, problem->keys);
        if (problem->flags & ATTEND_LIMIT_BACK)
            first = within(position - problem->back, problem->keys);
        pairs += end > first ? (double)(end - first) : 0;
    }
    return pairs;
}
