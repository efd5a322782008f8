/* bench_growth.h - how time and memory grow with the number of tokens. */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include <jansson.h>

#include "bench_run.h"

/* Keys that a problem has at least. */
enum { BENCH_GROWTH_LEAST = 128 };

/* Measures the plan's problem for numbers of keys that double up to its own, and adds to list, or prints when that is
   NULL: the rows, and the exponents of time, memory and grid. */
int bench_growth(const bench_plan *plan, json_t *list);

#endif
