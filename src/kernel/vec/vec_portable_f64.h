/* vec_portable_f64.h - one double a vector, in plain C.  Each operation is said in vec_portable.h. */
#ifndef AT_VEC_PORTABLE_F64_H
#define AT_VEC_PORTABLE_F64_H

#include <math.h>
#include <stdint.h>

enum { V_LANES = 1, V_GROUP = 3, V_TILE = 4, V_FEW = 4, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 1.0

typedef double v_float;
typedef int v_mask;

static inline v_float v_load(const double *from) { return *from; }
static inline void v_store(double *to, v_float a) { *to = a; }
static inline v_float v_set(double a) { return a; }
static inline v_float v_add(v_float a, v_float b) { return a + b; }
static inline v_float v_sub(v_float a, v_float b) { return a - b; }
static inline v_float v_mul(v_float a, v_float b) { return a * b; }
static inline v_float v_div(v_float a, v_float b) { return a / b; }
static inline v_float v_fma(v_float a, v_float b, v_float c) {
    return fma(a, b, c);
} /* rounded once on every machine */
static inline v_float v_max(v_float a, v_float b) { return a > b ? a : b; }
static inline v_float v_ceil(v_float a) { return ceil(a); }
static inline v_float v_bounded(v_float a) { return -1150.0 > a ? -1150.0 : a; }
static inline v_float v_round(v_float a) { return (v_bounded(a) + 0x1.8p52) - 0x1.8p52; }
static inline v_float v_fraction(v_float a) { return v_bounded(a) - v_round(a); }
static inline v_float v_scale(v_float a, v_float n) { return isnan(n) ? n : n > 1200 ? INFINITY : ldexp(a, (int)n); }

static inline v_mask v_mask_from(uint64_t bits, int first) { return (int)(bits >> first & 1); }
static inline v_mask v_equal(v_float a, v_float b) { return a == b; }
static inline v_mask v_below(v_float a, v_float b) { return a < b; }
static inline uint64_t v_bits(v_mask mask) { return (uint64_t)mask; }
static inline int v_all(v_mask mask) { return mask; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return mask ? a : b; }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) { return mask ? v_fma(a, b, c) : c; }
static inline void v_transpose(v_float m[V_LANES]) { (void)m; }

#endif
