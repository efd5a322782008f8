/* vec_avx512_bf16.h - dot products of pairs of bf16 (AVX-512 BF16), which add as vec_portable.h would: v_fma(a[0], b[0],
   v_fma(a[1], b[1], c)), each rounded once; but what is denormal counts as 0. */
#ifndef AT_VEC_AVX512_BF16_H
#define AT_VEC_AVX512_BF16_H

#include "kernel/vec/vec_avx512.h"

static inline v_float v_dot(v_float a, v_float b, v_float c) {
    return _mm512_dpbf16_ps(c, (__m512bh)_mm512_castps_si512(a), (__m512bh)_mm512_castps_si512(b));
}

#endif
