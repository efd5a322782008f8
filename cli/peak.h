/* peak.h - what this machine can do at most: multiply-adds and reading, measured by loops that do nothing else.
   On a machine that others use too, a speed means little, and its share of a peak of the same moment means much. */
#ifndef PEAK_H
#define PEAK_H

#include <stddef.h>
#include <time.h>

#include "attend/attend.h"

/* The loops for one instruction set, in vectors of the compiler; peak_*.c are compiled for one each. */
typedef struct peak_loops {
    const char *name;
    double flops, flops_double, flops_bf16; /* of one step; flops_bf16 0: no such instruction */
    double (*multiply_add)(int64_t steps);
    double (*multiply_add_double)(int64_t steps);
    double (*multiply_add_bf16)(int64_t steps);       /* pairs of bf16 into sums of f32 */
    double (*read[2])(const char *from, size_t size); /* which is faster is a matter of the processor's prefetchers */
} peak_loops;

extern const peak_loops peak_loops_portable, peak_loops_avx2, peak_loops_avx512, peak_loops_avx512_bf16;

/* The fastest loops that run here. */
const peak_loops *peak_best(void);

/* Seconds of the clock that the shares are taken on: with one thread that of the process, which stands still while other
   programs have the processor; else that of the wall. */
double peak_now(int32_t threads);

/* The peaks are sums over threads, each on its own clock: what others take of the processor does not lower them, so that
   a share of them is never flattering. */
/* Operations each second on that many threads for products of this type; f16 is widened by attend, and counts as f32. */
double peak_flops(attend_dtype dtype, int32_t threads);
/* Bytes each second on that many threads, read from memory much larger than the caches in the faster of two orders. */
double peak_bytes(int32_t threads, const void *memory, size_t size);

#endif
