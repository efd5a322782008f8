#ifdef __AVX512F__
#define PEAK_BYTES 64
#include "peak_loops.inc"

/* The compilers disagree on the name and the types of this instruction, but not on how it is written. */
#define PEAK_DOT(i) __asm__("vdpbf16ps %1, %1, %0" : "+v"(s##i) : "v"(pairs));

static double multiply_add_bf16(int64_t steps) {
    vec_float sum[PEAK_CHAINS], c = {0}, pairs = {0} PEAK_EACH(PEAK_DECLARE);
    double total = 0;
    PEAK_EACH(PEAK_BEGIN)
    PEAK_EACH(PEAK_LOAD)
    for (int64_t n = 0; n < steps; n++) {
        PEAK_EACH(PEAK_DOT)
    }
    PEAK_EACH(PEAK_STORE)
    for (int i = 0; i < PEAK_CHAINS; i++)
        total += (double)sum[i][0];
    return total;
}

const peak_loops peak_loops_avx512 = PEAK_LOOPS("avx512", 0, NULL);
const peak_loops peak_loops_avx512_bf16 =
    PEAK_LOOPS("avx512 with bf16 dot products", 2 * PEAK_PER_STEP(float), multiply_add_bf16);
#else
typedef int peak_avx512_is_for_x86;
#endif
