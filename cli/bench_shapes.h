/* bench_shapes.h - what `attend bench` measures. */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "shape.h"

typedef enum bench_content { CONTENT_PLAIN, CONTENT_RISING, CONTENT_MASK, CONTENT_BIAS, CONTENT_ALIBI } bench_content;

typedef struct bench_shape {
    const char *name;
    const char *what;
    shape sizes;
    int64_t window; /* keys that are seen, 0: all, -1: causal */
    bench_content content;
} bench_shape;

extern const bench_shape bench_shapes[];
extern const int bench_shapes_count;

/* NULL after a message when there is none of this name. */
const bench_shape *bench_shape_named(const char *name);

/* The pairs of queries and keys that are seen in each head; masks are not looked into. */
double bench_pairs(const attend_problem *problem);

#endif
