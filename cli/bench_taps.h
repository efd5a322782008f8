/* bench_taps.h - what is looked at while `attend bench` measures. */
#ifndef BENCH_TAPS_H
#define BENCH_TAPS_H

#include "bench_data.h"

/* "none", "lse", ...; NULL ends the list. */
extern const char *const bench_tap_names[];
enum { BENCH_TAPS_MAX = 16 };

/* Outputs for the taps of this name. */
int bench_taps_make(bench_data *data, const attend_problem *problem, const char *name, attend_taps *taps);

#endif
