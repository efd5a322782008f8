/* pairs.h - q.k by dot products of pairs of bf16, where the processor has them: half the time of compare.

   They add the second of a pair first, so for keys of bf16 that is the order everywhere (kernel.h), and they take what is
   denormal for 0.  Both do no harm while every number is 0 or at least 2^-55: bf16 has 8 bits, so a product is a multiple
   of 2^-124, and so is every sum of products; none is denormal, and each has the bits that compare gives. */
#ifndef AT_PAIRS_H
#define AT_PAIRS_H

#include "kernel/kernel.h"

typedef struct at_pairs {
    /* Whether count numbers of bf16 are all far enough from being denormal, or 0. */
    int (*fit)(const uint16_t *numbers, int64_t count);

    /* q: rows pointers to width numbers of bf16 each, an even count -> queries (width / 2, AT_LANES) pairs; columns past
       rows become 0. */
    void (*pack)(const uint16_t *const *q, int32_t rows, int64_t width, float *queries);

    /* compare for such queries and keys, which begin at an address that 4 divides, as does every row: width and k_stride
       are even. */
    void (*compare)(const float *queries, int32_t rows, int64_t width, const uint16_t *k, int64_t k_stride,
                    int32_t keys, const uint64_t *seen, float *scores, float *highest, const at_ahead *ahead);
} at_pairs;

/* Those that the kernels of an instruction set go with; NULL when this build or this processor has none. */
const at_pairs *at_pairs_of(attend_isa isa);

extern const at_pairs at_pairs_avx512;

#endif
