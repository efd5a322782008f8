/* bench_run.h - one problem, measured. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench_taps.h"

/* Medians of all runs, unless said otherwise. */
typedef struct bench_row {
    const char *name, *tap, *path;
    attend_isa isa;
    int32_t threads;
    attend_dtype dtype, stored; /* of the queries and the output; of keys and values */
    attend_problem problem;
    int64_t runs;
    double seconds, quarter, three_quarters; /* of one call; a quarter of the runs took less, a quarter took more */
    double least;                            /* of all runs */
    double flops, bytes;               /* of one call: products and sums of pairs that are seen; q, k, v and o once */
    double peak, of_peak;              /* operations a second, and the share of it */
    double read, of_read;              /* bytes a second, and the share of it */
    double of_plain;                   /* time, in units of the time without taps */
    int64_t tensor_bytes, extra_bytes; /* inputs and outputs; resident besides them, -1: unknown */
} bench_row;

typedef struct bench_plan {
    const bench_shape *shape;
    const request *wish; /* options, the window of the shape included */
    const char *taps[BENCH_TAPS_MAX];
    int tap_count;
    double seconds;     /* for each row */
    bool alone;         /* taps without values and output, by attend_look */
    attend_dtype cache; /* how a cache stores keys and values, 0: they are tensors */
} bench_plan;

/* Fills in a row for each tap; their runs take turns, and so do the measurements of the machine. */
int bench_measure(const bench_plan *plan, bench_row *rows);

#endif
