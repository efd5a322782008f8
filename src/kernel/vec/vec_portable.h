/* vec_portable.h - one float a vector, in plain C.  It says what each operation of the other headers means, lane by
   lane; the bits are the same.

   A fused multiply-add rounds once.  Where the processor has none, the double product is exact and the double sum
   has 29 spare bits; rounding it again to float is wrong only when those bits are exactly one half, or the result is
   denormal: then the C library does it. */
#ifndef AT_VEC_PORTABLE_H
#define AT_VEC_PORTABLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/half.h"

/* Numbers of a vector; vectors of rows, and keys or elements, of a tile; elements that decode takes at once; vectors whose
   exponentials are made side by side (exp2.inc); keys that combine takes at once (combine.inc); whether decode takes
   values in tiles as wide as a row or a vector, as suits Zen 4 (few.inc).  A header may have more, and say so by
   V_HAS_PAIRS and V_HAS_QUARTERS (vec_avx512.h). */
enum { V_LANES = 1, V_GROUP = 3, V_TILE = 4, V_FEW = 4, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 1.0f

typedef float v_float;
typedef int v_mask;

static inline v_float v_load(const float *from) { return *from; }
static inline void v_store(float *to, v_float a) { *to = a; }
/* 16-bit floats, V_LANES of them */
static inline v_float v_load_f16(const uint16_t *from) { return (float)at_half_from_f16(*from); }
static inline v_float v_load_bf16(const uint16_t *from) { return (float)at_half_from_bf16(*from); }
/* bytes with a sign, V_LANES of them */
static inline v_float v_load_i8(const int8_t *from) { return (float)*from; }
static inline void v_store_f16(uint16_t *to, v_float a) { *to = at_half_to_f16((double)a); }
static inline void v_store_bf16(uint16_t *to, v_float a) { *to = at_half_to_bf16((double)a); }
static inline v_float v_set(float a) { return a; }
static inline v_float v_add(v_float a, v_float b) { return a + b; }
static inline v_float v_sub(v_float a, v_float b) { return a - b; }
static inline v_float v_mul(v_float a, v_float b) { return a * b; }
static inline v_float v_div(v_float a, v_float b) { return a / b; }
/* a * b + c, rounded once */
static inline v_float v_fma(v_float a, v_float b, v_float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__riscv_flen)
    return __builtin_fmaf(a, b, c);
#else
    double sum = (double)a * b + c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (__builtin_expect((bits & 0x1fffffff) == 0x10000000 || fabs(sum) < 0x1p-125, 0))
        return fmaf(a, b, c);
    return (float)sum;
#endif
}
/* the greater; b when either is NaN */
static inline v_float v_max(v_float a, v_float b) { return a > b ? a : b; }
static inline v_float v_ceil(v_float a) { return ceilf(a); }
/* for exponents: to the nearest whole number, ties to even; -190 stands for everything below, NaN stays */
static inline v_float v_round(v_float a) {
    float bounded = -190.0f > a ? -190.0f : a;
    return (bounded + 0x1.8p23f) - 0x1.8p23f;
}
/* a - v_round(a), which is exact; 0 where a is below -190 */
static inline v_float v_fraction(v_float a) {
    float bounded = -190.0f > a ? -190.0f : a;
    return bounded - v_round(a);
}
/* a * 2^n / V_LIFT, rounded once; n from v_round.  Only hidden pairs have n > 1, and anything will do for them. */
static inline v_float v_scale(v_float a, v_float n) { return isnan(n) ? n : n > 200.0f ? INFINITY : ldexpf(a, (int)n); }

/* bit number first of bits, and the ones after it, one for each lane */
static inline v_mask v_mask_from(uint64_t bits, int first) { return (int)(bits >> first & 1); }
static inline v_mask v_equal(v_float a, v_float b) { return a == b; }
static inline v_mask v_below(v_float a, v_float b) { return a < b; }
/* bit n is lane n */
static inline uint64_t v_bits(v_mask mask) { return (uint64_t)mask; }
/* whether it holds in every lane */
static inline int v_all(v_mask mask) { return mask; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return mask ? a : b; }
/* a * b + c where mask, else c */
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) { return mask ? v_fma(a, b, c) : c; }
/* V_LANES vectors: lane j of vector i goes to lane i of vector j */
static inline void v_transpose(v_float m[V_LANES]) { (void)m; }

#endif
