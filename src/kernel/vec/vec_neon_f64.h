/* vec_neon_f64.h - two doubles a vector (NEON of AArch64).  Each operation is said in vec_portable.h. */
#ifndef AT_VEC_NEON_F64_H
#define AT_VEC_NEON_F64_H

#include <arm_neon.h>
#include <stdint.h>

enum { V_LANES = 2, V_GROUP = 3, V_TILE = 8, V_FEW = 8, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 0x1p130 /* keeps a weight normal until the product below, which rounds it once */

typedef float64x2_t v_float;
typedef uint64x2_t v_mask;

static inline v_float v_load(const double *from) { return vld1q_f64(from); }
static inline void v_store(double *to, v_float a) { vst1q_f64(to, a); }
static inline v_float v_set(double a) { return vdupq_n_f64(a); }
static inline v_float v_add(v_float a, v_float b) { return vaddq_f64(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return vsubq_f64(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return vmulq_f64(a, b); }
static inline v_float v_div(v_float a, v_float b) { return vdivq_f64(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return vfmaq_f64(c, a, b); }
static inline v_float v_max(v_float a, v_float b) { return vbslq_f64(vcgtq_f64(a, b), a, b); }
static inline v_float v_ceil(v_float a) { return vrndpq_f64(a); }
static inline v_float v_round(v_float a) { return vrndnq_f64(v_max(vdupq_n_f64(-1150.0), a)); }
static inline v_float v_fraction(v_float a) { return vsubq_f64(v_max(vdupq_n_f64(-1150.0), a), v_round(a)); }
/* The whole number goes straight into the exponent; for NaN it is 0. */
static inline v_float v_scale(v_float a, v_float n) {
    int64x2_t exponent = vshlq_n_s64(vcvtq_s64_f64(n), 52);
    v_float lifted = vreinterpretq_f64_s64(vaddq_s64(vreinterpretq_s64_f64(a), exponent));
    return vmulq_f64(lifted, vdupq_n_f64(1 / V_LIFT));
}

static inline v_mask v_mask_from(uint64_t bits, int first) {
    static const uint64_t bit[2] = {1, 2};
    return vtstq_u64(vdupq_n_u64(bits >> first), vld1q_u64(bit));
}
static inline v_mask v_equal(v_float a, v_float b) { return vceqq_f64(a, b); }
static inline v_mask v_below(v_float a, v_float b) { return vcltq_f64(a, b); }
static inline uint64_t v_bits(v_mask mask) { return (vgetq_lane_u64(mask, 0) & 1) | (vgetq_lane_u64(mask, 1) & 2); }
static inline int v_all(v_mask mask) { return v_bits(mask) == 3; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return vbslq_f64(mask, a, b); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return vbslq_f64(mask, vfmaq_f64(c, a, b), c);
}

static inline void v_transpose(v_float m[V_LANES]) {
    v_float even = vtrn1q_f64(m[0], m[1]);
    m[1] = vtrn2q_f64(m[0], m[1]);
    m[0] = even;
}

#endif
