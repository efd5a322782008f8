#include "kernel/pairs.h"

#ifdef AT_HAVE_X86

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernel/vec/vec_avx512_bf16.h"

#define COMPARE_ADD v_dot
#include "kernel/body/macros.inc"

#include "kernel/body/fetch.inc"

#include "kernel/body/compare.inc"
#include "kernel/body/pack.inc"

COMPARE_ORDER(pairs, 0)

static int fit(const uint16_t *numbers, int64_t count) {
    enum { SIGN_OFF = 0x7fff, LEAST = (127 - 55) << 7 }; /* of bf16: 2^-55 */
    int small = 0;
    for (int64_t n = 0; n < count; n++)
        small |= (uint16_t)((numbers[n] & SIGN_OFF) - 1) < LEAST - 1; /* 0 becomes 0xffff */
    return !small;
}

static void pack_pairs(const uint16_t *const *q, int32_t rows, int64_t width, float *queries) {
    const float *pairs[AT_LANES];
    for (int32_t i = 0; i < rows; i++)
        pairs[i] = (const float *)(const void *)q[i];
    for (int32_t first = 0; first < AT_LANES; first += V_LANES)
        pack_columns(pairs, first, rows, width / 2, 1, queries, 0);
}

static void compare_of_pairs(const float *queries, int32_t rows, int64_t width, const uint16_t *k, int64_t k_stride,
                             int32_t keys, const uint64_t *seen, float *scores, float *highest, const at_ahead *ahead) {
    compare_rows(compare_pairs, queries, rows, width / 2, (const float *)(const void *)k, k_stride / 2, keys, seen,
                 scores, highest, ahead);
}

const at_pairs at_pairs_avx512 = {fit, pack_pairs, compare_of_pairs};

#endif
