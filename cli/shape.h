/* shape.h - a problem by its sizes alone: --heads 8 --queries 512 --width 64. */
#ifndef SHAPE_H
#define SHAPE_H

#include "request.h"

typedef struct shape {
    int64_t batch, heads, kv_heads, queries, keys, width, value_width; /* 0: not given */
    attend_dtype dtype;                                                /* of q, k, v and the output */
    const char *first;                                                 /* option that was given, or NULL: none */
} shape;

/* Takes option name (without "--"): CLI_DONE, CLI_USAGE after a message, or REQUEST_OTHER. */
int shape_take(shape *sizes, const char *name, const char *value);
/* Is any of the sizes given? */
bool shape_has_sizes(const shape *sizes);
/* Fills in what was not given, and refuses what does not fit together or goes with files. */
int shape_complete(const request *wish, shape *sizes);
/* q, k and v of these sizes, of which nothing is in memory: for calls that read no element. */
void shape_outline(const shape *sizes, attend_in made[3]);

#endif
