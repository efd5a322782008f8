/* vec_wasm.h - four floats a vector (WebAssembly with relaxed SIMD).  Each operation is said in vec_portable.h.

   WebAssembly's own SIMD has no fused multiply-add, and kernel.h asks for one rounding.  Relaxed SIMD has one that is
   fused or not as the machine likes, but the same throughout a program: who loads the module asks it first
   (forward_is_fused), and takes the module of plain C, which is exact everywhere, where it is not.  Two doubles in the
   place of four floats, with the cases that they round twice looked for, would be exact too: 280 ms where plain C takes
   460 and this takes 16 (8 heads of 64, 512 tokens, Node 20, Zen 3), not enough to be worth a header. */
#ifndef AT_VEC_WASM_H
#define AT_VEC_WASM_H

#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#include "base/half.h"

/* Tiles of 4 x 2 vectors: V8 keeps a register of the 16 of x86-64 for itself and loads all elements of a step first, so
   that 4 x 3 sums go through memory, which takes 1.6 times as long (bench/peers/web, Zen 3, Node 20). */
enum { V_LANES = 4, V_GROUP = 2, V_TILE = 4, V_FEW = 4, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 0x1p64f /* keeps a weight normal until the product below, which rounds it once */

typedef v128_t v_float;
typedef v128_t v_mask;

static inline v_float v_load(const float *from) { return wasm_v128_load(from); }
static inline void v_store(float *to, v_float a) { wasm_v128_store(to, a); }
static inline v_float v_load_f16(const uint16_t *from) {
    return wasm_f32x4_make((float)at_half_from_f16(from[0]), (float)at_half_from_f16(from[1]),
                           (float)at_half_from_f16(from[2]), (float)at_half_from_f16(from[3]));
}
static inline v_float v_load_bf16(const uint16_t *from) { return wasm_i32x4_shl(wasm_u32x4_load16x4(from), 16); }
static inline void v_store_f16(uint16_t *to, v_float a) {
    float lanes[4];
    wasm_v128_store(lanes, a);
    for (int i = 0; i < 4; i++)
        to[i] = at_half_to_f16((double)lanes[i]);
}
static inline void v_store_bf16(uint16_t *to, v_float a) {
    float lanes[4];
    wasm_v128_store(lanes, a);
    for (int i = 0; i < 4; i++)
        to[i] = at_half_to_bf16((double)lanes[i]);
}
static inline v_float v_load_i8(const int8_t *from) { /* four bytes, and not one more */
    return wasm_f32x4_convert_i32x4(
        wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(from))));
}
static inline v_float v_set(float a) { return wasm_f32x4_splat(a); }
static inline v_float v_add(v_float a, v_float b) { return wasm_f32x4_add(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return wasm_f32x4_sub(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return wasm_f32x4_mul(a, b); }
static inline v_float v_div(v_float a, v_float b) { return wasm_f32x4_div(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return wasm_f32x4_relaxed_madd(a, b, c); }
static inline v_float v_max(v_float a, v_float b) { return wasm_f32x4_pmax(b, a); } /* b < a ? a : b */
static inline v_float v_ceil(v_float a) { return wasm_f32x4_ceil(a); }
static inline v_float v_round(v_float a) { return wasm_f32x4_nearest(v_max(v_set(-190.0f), a)); }
static inline v_float v_fraction(v_float a) { return v_sub(v_max(v_set(-190.0f), a), v_round(a)); }
/* The whole number goes straight into the exponent; for NaN it is 0 or -2^31, which leave no bit there. */
static inline v_float v_scale(v_float a, v_float n) {
    v128_t exponent = wasm_i32x4_shl(wasm_i32x4_relaxed_trunc_f32x4(n), 23);
    return v_mul(wasm_i32x4_add(a, exponent), v_set(1 / V_LIFT));
}

static inline v_mask v_mask_from(uint64_t bits, int first) {
    const v128_t bit = wasm_i32x4_const(1, 2, 4, 8);
    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)(bits >> first & 0xf)), bit), bit);
}
static inline v_mask v_equal(v_float a, v_float b) { return wasm_f32x4_eq(a, b); }
static inline v_mask v_below(v_float a, v_float b) { return wasm_f32x4_lt(a, b); }
static inline uint64_t v_bits(v_mask mask) { return (uint64_t)wasm_i32x4_bitmask(mask); }
static inline int v_all(v_mask mask) { return wasm_i32x4_all_true(mask); }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return wasm_v128_bitselect(a, b, mask); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return v_select(mask, v_fma(a, b, c), c);
}

/* Pairs of elements, then of pairs. */
static inline void v_transpose(v_float m[V_LANES]) {
    v128_t low_01 = wasm_i32x4_shuffle(m[0], m[1], 0, 4, 1, 5), high_01 = wasm_i32x4_shuffle(m[0], m[1], 2, 6, 3, 7);
    v128_t low_23 = wasm_i32x4_shuffle(m[2], m[3], 0, 4, 1, 5), high_23 = wasm_i32x4_shuffle(m[2], m[3], 2, 6, 3, 7);
    m[0] = wasm_i64x2_shuffle(low_01, low_23, 0, 2);
    m[1] = wasm_i64x2_shuffle(low_01, low_23, 1, 3);
    m[2] = wasm_i64x2_shuffle(high_01, high_23, 0, 2);
    m[3] = wasm_i64x2_shuffle(high_01, high_23, 1, 3);
}

#endif
