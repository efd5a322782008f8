/* vec_avx512.h - sixteen floats a vector (AVX-512 F, BW, DQ, VL).  Each operation is said in
   vec_portable.h. */
#ifndef AT_VEC_AVX512_H
#define AT_VEC_AVX512_H

#include <immintrin.h>
#include <stdint.h>

/* Tiles of 8 x 3 vectors: 24 sums, 3 vectors of queries and one element in 28 of the 32 registers. */
enum { V_LANES = 16, V_GROUP = 3, V_TILE = 8, V_FEW = 8, V_SIDE = 3, V_RUN = AT_CHUNK, V_WIDE = 1 };
#define V_HAS_QUARTERS /* v_touch, v_load_quarters and v_turn_quarters are there: decode reads keys in order */
#define V_HAS_PAIRS    /* v_even_f16 and so on are there */
#define V_LIFT 1.0f

typedef __m512 v_float;
typedef __mmask16 v_mask;

/* Reads a line.  The instruction lies where a line of code begins: decode of bf16 on a Zen 4 took 35 ms or 24 ms after
   changes that moved nothing else, and takes 24 ms so.  It looks as if the prefetchers told loads by the lower bits of
   where they lie, which others in a long loop share. */
static inline void v_touch(const char *line) { __asm__ volatile(".p2align 6\n\tmovb %0, %%al" : : "m"(*line) : "al"); }
static inline v_float v_load(const float *from) { return _mm512_loadu_ps(from); }
static inline void v_store(float *to, v_float a) { _mm512_storeu_ps(to, a); }
static inline v_float v_load_f16(const uint16_t *from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from));
}
static inline v_float v_load_bf16(const uint16_t *from) {
    __m512i bits = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 16));
}
/* Of sixteen pairs of 16-bit floats the first of each, and the second: turned over together, they take half the shuffles. */
static inline v_float v_even_bf16(v_float a) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(a), 16));
}
static inline v_float v_odd_bf16(v_float a) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(-65536)));
}
static inline __m512i v_parted(v_float a) {
    const __m512i from = _mm512_set_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 30, 28, 26, 24, 22,
                                          20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutexvar_epi16(from, _mm512_castps_si512(a));
}
static inline v_float v_even_f16(v_float a) { return _mm512_cvtph_ps(_mm512_castsi512_si256(v_parted(a))); }
static inline v_float v_odd_f16(v_float a) { return _mm512_cvtph_ps(_mm512_extracti64x4_epi64(v_parted(a), 1)); }
static inline v_float v_load_i8(const int8_t *from) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from)));
}
static inline void v_store_f16(uint16_t *to, v_float a) {
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}
/* Adding half a unit less one, and one when the last bit kept is odd, rounds ties to even; NaN keeps its upper half. */
static inline void v_store_bf16(uint16_t *to, v_float a) {
    __m512i bits = _mm512_castps_si512(a), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    __m512i kept = _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), rounded, quiet);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16)));
}
static inline v_float v_set(float a) { return _mm512_set1_ps(a); }
static inline v_float v_add(v_float a, v_float b) { return _mm512_add_ps(a, b); }
static inline v_float v_sub(v_float a, v_float b) { return _mm512_sub_ps(a, b); }
static inline v_float v_mul(v_float a, v_float b) { return _mm512_mul_ps(a, b); }
static inline v_float v_div(v_float a, v_float b) { return _mm512_div_ps(a, b); }
static inline v_float v_fma(v_float a, v_float b, v_float c) { return _mm512_fmadd_ps(a, b, c); }
static inline v_float v_max(v_float a, v_float b) { return _mm512_max_ps(a, b); }
static inline v_float v_ceil(v_float a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
/* -infinity gives n = -infinity, r = 0, and so 0; NaN passes through all three. */
static inline v_float v_round(v_float a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline v_float v_fraction(v_float a) {
    return _mm512_reduce_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline v_float v_scale(v_float a, v_float n) { return _mm512_scalef_ps(a, n); }

static inline v_mask v_mask_from(uint64_t bits, int first) { return (v_mask)(bits >> first); }
static inline v_mask v_equal(v_float a, v_float b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
static inline v_mask v_below(v_float a, v_float b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline uint64_t v_bits(v_mask mask) { return mask; }
static inline int v_all(v_mask mask) { return mask == 0xffff; }
static inline v_float v_select(v_mask mask, v_float a, v_float b) { return _mm512_mask_blend_ps(mask, b, a); }
static inline v_float v_fma_where(v_mask mask, v_float a, v_float b, v_float c) {
    return _mm512_mask3_fmadd_ps(a, b, c, mask);
}

/* Rows become columns: pairs of 4-byte, then of 8-byte elements, then of quarters of a vector. */
static inline void v_transpose(v_float m[V_LANES]) {
    __m512 a[16], b[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_ps(m[i], m[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(m[i], m[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int j = 0; j < 2; j++) {
            __m512d low = _mm512_castps_pd(a[i + j]), high = _mm512_castps_pd(a[i + j + 2]);
            b[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            b[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    for (int i = 0; i < 4; i++) {
        __m512 even_low = _mm512_shuffle_f32x4(b[i], b[i + 4], 0x88),
               odd_low = _mm512_shuffle_f32x4(b[i], b[i + 4], 0xdd);
        __m512 even_high = _mm512_shuffle_f32x4(b[i + 8], b[i + 12], 0x88);
        __m512 odd_high = _mm512_shuffle_f32x4(b[i + 8], b[i + 12], 0xdd);
        m[i] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
        m[i + 8] = _mm512_shuffle_f32x4(even_low, even_high, 0xdd);
        m[i + 4] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
        m[i + 12] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd);
    }
}
/* The first four elements of four rows, stride bytes apart; and of four such vectors, rows 0 4 8 12, 1 5 9 13 and so on,
   the elements of all sixteen. */
static inline v_float v_load_quarters(const char *row, int64_t stride) {
    const float *a = (const void *)row, *b = (const void *)(row + stride);
    const float *c = (const void *)(row + 2 * stride), *d = (const void *)(row + 3 * stride);
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(c)), _mm_loadu_ps(d), 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
static inline void v_turn_quarters(v_float m[4]) {
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(m[0], m[1])), b = _mm512_castps_pd(_mm512_unpackhi_ps(m[0], m[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(m[2], m[3])), d = _mm512_castps_pd(_mm512_unpackhi_ps(m[2], m[3]));
    m[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    m[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    m[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    m[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

#endif
