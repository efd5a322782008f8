/* vec_avx2_f64.h - four doubles a vector (AVX2, FMA).  Each operation is said in vec_portable.h. */
#ifndef AT_VEC_AVX2_F64_H
#define AT_VEC_AVX2_F64_H

#include <immintrin.h>
#include <stdint.h>

/* Tiles as in vec_avx2.h. */
enum { V_LANES = 4, V_GROUP = 2, V_TILE = 6, V_FEW = 4, V_SIDE = 6, V_RUN = 64, V_WIDE = 0 };
#define V_LIFT 0x1p130 /* keeps a weight normal until the product below, which rounds it once */

typedef __m256d v_float;
typedef __m256d v_mask;

static inline v_float v_load(const double *from) { return _mm256_loadu_pd(from); }
static inline void v_store(double *to, v_float a) { _mm256_storeu_pd(to, a); }
static inline v_float v_set(double a) { return _mm256_set1_pd(a); }
static inline v_float v_add(v_float a, v_float b) { return _mm256_add_pd(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return _mm256_sub_pd(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return _mm256_mul_pd(a, b); }
static inline v_float v_div(v_float a, v_float b) { return _mm256_div_pd(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return _mm256_fmadd_pd(a, b, c); }
static inline v_float v_max(v_float a, v_float b) { return _mm256_max_pd(a, b); }
static inline v_float v_ceil(v_float a) { return _mm256_ceil_pd(a); }
static inline v_float v_round(v_float a) {
    return _mm256_round_pd(_mm256_max_pd(_mm256_set1_pd(-1150.0), a), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline v_float v_fraction(v_float a) {
    return _mm256_sub_pd(_mm256_max_pd(_mm256_set1_pd(-1150.0), a), v_round(a));
}
/* The whole number goes straight into the exponent; for NaN it is -2^31, which leaves no bit there. */
static inline v_float v_scale(v_float a, v_float n) {
    __m256i exponent = _mm256_slli_epi64(_mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(n)), 52);
    __m256d lifted = _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), exponent));
    return _mm256_mul_pd(lifted, _mm256_set1_pd(1 / V_LIFT));
}

static inline v_mask v_mask_from(uint64_t bits, int first) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i chosen = _mm256_and_si256(_mm256_set1_epi64x((int64_t)(bits >> first)), bit);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(chosen, bit));
}
static inline v_mask v_equal(v_float a, v_float b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
static inline v_mask v_below(v_float a, v_float b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline uint64_t v_bits(v_mask mask) { return (uint64_t)(unsigned)_mm256_movemask_pd(mask); }
static inline int v_all(v_mask mask) { return _mm256_movemask_pd(mask) == 0xf; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return _mm256_blendv_pd(b, a, mask); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return _mm256_blendv_pd(c, _mm256_fmadd_pd(a, b, c), mask);
}

/* Pairs of elements, then halves of a vector. */
static inline void v_transpose(v_float m[V_LANES]) {
    __m256d even_low = _mm256_unpacklo_pd(m[0], m[1]), odd_low = _mm256_unpackhi_pd(m[0], m[1]);
    __m256d even_high = _mm256_unpacklo_pd(m[2], m[3]), odd_high = _mm256_unpackhi_pd(m[2], m[3]);
    m[0] = _mm256_permute2f128_pd(even_low, even_high, 0x20);
    m[1] = _mm256_permute2f128_pd(odd_low, odd_high, 0x20);
    m[2] = _mm256_permute2f128_pd(even_low, even_high, 0x31);
    m[3] = _mm256_permute2f128_pd(odd_low, odd_high, 0x31);
}

#endif
