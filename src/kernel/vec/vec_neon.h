/* vec_neon.h - four floats a vector (NEON of AArch64).  Each operation is said in vec_portable.h. */
#ifndef AT_VEC_NEON_H
#define AT_VEC_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

/* Tiles of 8 x 3 vectors: 24 sums, 3 vectors of queries and one element in 28 of the 32 registers. */
enum { V_LANES = 4, V_GROUP = 3, V_TILE = 8, V_FEW = 8, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 0x1p64f /* keeps a weight normal until the product below, which rounds it once */

typedef float32x4_t v_float;
typedef uint32x4_t v_mask;

static inline v_float v_load(const float *from) { return vld1q_f32(from); }
static inline void v_store(float *to, v_float a) { vst1q_f32(to, a); }
static inline v_float v_load_f16(const uint16_t *from) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))); }
static inline v_float v_load_bf16(const uint16_t *from) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(from), 16));
}
static inline void v_store_f16(uint16_t *to, v_float a) { vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(a))); }
/* Adding half a unit less one, and one when the last bit kept is odd, rounds ties to even; NaN keeps its upper half. */
static inline void v_store_bf16(uint16_t *to, v_float a) {
    uint32x4_t bits = vreinterpretq_u32_f32(a), odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    vst1_u16(to, vshrn_n_u32(vbslq_u32(vceqq_f32(a, a), rounded, quiet), 16));
}
static inline v_float v_load_i8(const int8_t *from) { /* four bytes, and not one more */
    int32_t four;
    memcpy(&four, from, sizeof four);
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four))))));
}
static inline v_float v_set(float a) { return vdupq_n_f32(a); }
static inline v_float v_add(v_float a, v_float b) { return vaddq_f32(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return vsubq_f32(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return vmulq_f32(a, b); }
static inline v_float v_div(v_float a, v_float b) { return vdivq_f32(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return vfmaq_f32(c, a, b); }
/* vmaxq would give NaN when either is. */
static inline v_float v_max(v_float a, v_float b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline v_float v_ceil(v_float a) { return vrndpq_f32(a); }
static inline v_float v_round(v_float a) { return vrndnq_f32(v_max(vdupq_n_f32(-190.0f), a)); }
static inline v_float v_fraction(v_float a) { return vsubq_f32(v_max(vdupq_n_f32(-190.0f), a), v_round(a)); }
/* The whole number goes straight into the exponent; for NaN it is 0. */
static inline v_float v_scale(v_float a, v_float n) {
    int32x4_t exponent = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    v_float lifted = vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(a), exponent));
    return vmulq_f32(lifted, vdupq_n_f32(1 / V_LIFT));
}

static inline v_mask v_mask_from(uint64_t bits, int first) {
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vtstq_u32(vdupq_n_u32((uint32_t)(bits >> first & 0xf)), vld1q_u32(bit));
}
static inline v_mask v_equal(v_float a, v_float b) { return vceqq_f32(a, b); }
static inline v_mask v_below(v_float a, v_float b) { return vcltq_f32(a, b); }
static inline uint64_t v_bits(v_mask mask) {
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, vld1q_u32(bit)));
}
static inline int v_all(v_mask mask) { return vminvq_u32(mask) != 0; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return vbslq_f32(mask, a, b); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return vbslq_f32(mask, vfmaq_f32(c, a, b), c);
}

/* Pairs of elements, then of pairs. */
static inline void v_transpose(v_float m[V_LANES]) {
    float64x2_t even_low = vreinterpretq_f64_f32(vtrn1q_f32(m[0], m[1])),
                odd_low = vreinterpretq_f64_f32(vtrn2q_f32(m[0], m[1]));
    float64x2_t even_high = vreinterpretq_f64_f32(vtrn1q_f32(m[2], m[3])),
                odd_high = vreinterpretq_f64_f32(vtrn2q_f32(m[2], m[3]));
    m[0] = vreinterpretq_f32_f64(vtrn1q_f64(even_low, even_high));
    m[1] = vreinterpretq_f32_f64(vtrn1q_f64(odd_low, odd_high));
    m[2] = vreinterpretq_f32_f64(vtrn2q_f64(even_low, even_high));
    m[3] = vreinterpretq_f32_f64(vtrn2q_f64(odd_low, odd_high));
}

#endif
