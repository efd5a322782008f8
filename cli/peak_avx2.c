#if defined(__AVX2__) && defined(__FMA__)
#define PEAK_BYTES 32
#include "peak_loops.inc"

const peak_loops peak_loops_avx2 = PEAK_LOOPS("avx2", 0, NULL);
#else
typedef int peak_avx2_is_for_x86;
#endif
