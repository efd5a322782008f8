/* vec_avx2.h - eight floats a vector (AVX2, FMA, F16C).  Each operation is said in vec_portable.h. */
#ifndef AT_VEC_AVX2_H
#define AT_VEC_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/* Tiles of 6 x 2 vectors: 12 sums, 2 vectors of queries and one element leave one of the 16 registers free.  4 x 3 would
   fill them, which clang does not manage: it keeps a sum in memory, at half the speed. */
enum { V_LANES = 8, V_GROUP = 2, V_TILE = 6, V_FEW = 4, V_SIDE = 6, V_RUN = AT_CHUNK, V_WIDE = 0 };
#define V_LIFT 0x1p64f /* keeps a weight normal until the product below, which rounds it once */

typedef __m256 v_float;
typedef __m256 v_mask;

static inline v_float v_load(const float *from) { return _mm256_loadu_ps(from); }
static inline void v_store(float *to, v_float a) { _mm256_storeu_ps(to, a); }
static inline v_float v_load_f16(const uint16_t *from) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
}
static inline v_float v_load_bf16(const uint16_t *from) {
    __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}
static inline v_float v_load_i8(const int8_t *from) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from)));
}
static inline void v_store_f16(uint16_t *to, v_float a) {
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}
/* Adding half a unit less one, and one when the last bit kept is odd, rounds ties to even; NaN keeps its upper half. */
static inline void v_store_bf16(uint16_t *to, v_float a) {
    __m256i bits = _mm256_castps_si256(a), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    __m256i unordered = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    __m256i upper = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, unordered), 16);
    __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1));
    _mm_storeu_si128((__m128i *)(void *)to, packed);
}
static inline v_float v_set(float a) { return _mm256_set1_ps(a); }
static inline v_float v_add(v_float a, v_float b) { return _mm256_add_ps(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return _mm256_sub_ps(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return _mm256_mul_ps(a, b); }
static inline v_float v_div(v_float a, v_float b) { return _mm256_div_ps(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return _mm256_fmadd_ps(a, b, c); }
static inline v_float v_max(v_float a, v_float b) { return _mm256_max_ps(a, b); }
static inline v_float v_ceil(v_float a) { return _mm256_ceil_ps(a); }
static inline v_float v_round(v_float a) {
    return _mm256_round_ps(_mm256_max_ps(_mm256_set1_ps(-190.0f), a), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline v_float v_fraction(v_float a) {
    return _mm256_sub_ps(_mm256_max_ps(_mm256_set1_ps(-190.0f), a), v_round(a));
}
/* The whole number goes straight into the exponent; for NaN it is 2^31 as an integer, which leaves no bit there. */
static inline v_float v_scale(v_float a, v_float n) {
    __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    __m256 lifted = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), exponent));
    return _mm256_mul_ps(lifted, _mm256_set1_ps(1 / V_LIFT));
}

static inline v_mask v_mask_from(uint64_t bits, int first) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i chosen = _mm256_and_si256(_mm256_set1_epi32((int)(bits >> first & 0xff)), bit);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(chosen, bit));
}
static inline v_mask v_equal(v_float a, v_float b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
static inline v_mask v_below(v_float a, v_float b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline uint64_t v_bits(v_mask mask) { return (uint64_t)(unsigned)_mm256_movemask_ps(mask); }
static inline int v_all(v_mask mask) { return _mm256_movemask_ps(mask) == 0xff; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return _mm256_blendv_ps(b, a, mask); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return _mm256_blendv_ps(c, _mm256_fmadd_ps(a, b, c), mask);
}

/* Pairs of 4-byte elements, then of 8-byte elements, then of halves of a vector. */
static inline void v_transpose(v_float m[V_LANES]) {
    __m256 a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_ps(m[i], m[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(m[i], m[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            b[i + 2 * j] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
            b[i + 2 * j + 1] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        m[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        m[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}

#endif
