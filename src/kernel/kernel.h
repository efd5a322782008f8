/* kernel.h - the contract of the micro-kernels: pointers and strides in, numbers out.

   One block is up to AT_LANES rows side by side, a row being one query of one head; all rows of a block share
   their keys and values.  Keys come in chunks of at most AT_CHUNK.  A chunk gives a partial result for every row,
   and partials are folded in the order of the chunks:

       compare     s[j,i] = sum_d q[i,d] k[j,d]                       summed over d one after another
       normalize   M[i]   = ceil(factor * max_j s[j,i])               a whole number: 2^(M - M') is exact
                   p[j,i] = 2^(factor * s[j,i] - M[i])                factor = scale * log2 e
                   l[i]   = sum_j p[j,i]                              summed over j one after another
       combine     o[i,e] = sum_j p[j,i] v[j,e]                       summed over j one after another
       fold        M' = max(M, M_c);  l' = l 2^(M - M') + l_c 2^(M_c - M');  o' likewise

   Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), section 3; Dao et al.,
   "FlashAttention" (2022), section 3.1.

   SAME BITS.  The orders above are part of the contract.  They do not mention lanes, so every kernel of every
   vector width gives the same bits for a row, whatever rows are beside it: products and sums are one fused
   multiply-add, in the order written, and nothing is contracted or reordered by the compiler.

   MEMORY.  Matrices with one column per row of the block have a stride of AT_LANES floats and are aligned to 64
   bytes; kernels may read and write all AT_LANES columns of them.  Everything else (k, v, q, o) is the caller's:
   any alignment, any stride between rows, elements of a row adjacent, and never touched outside its shape.

   HIDDEN PAIRS.  seen holds one word per key: bit i is 1 when row i sees the key; NULL means that every row sees every
   key; bits past the rows of the block may be either.  What a hidden pair would read is skipped, not multiplied by 0. */
#ifndef AT_KERNEL_H
#define AT_KERNEL_H

#include <stdint.h>

#include "attend/attend.h"

enum {
    AT_LANES = 48,  /* rows of a block: three vectors of AVX-512, six of AVX2 */
    AT_CHUNK = 256, /* keys of a chunk; a change changes bits */
    AT_FEW = 8,     /* rows of decode */
    AT_GROUP = 16,  /* keys of 8 bits that lie side by side; divides AT_CHUNK */
};

/* What is known of each row so far, or from one chunk: (AT_LANES) each, aligned to 64 bytes. */
typedef struct at_rows {
    float shift[AT_LANES];   /* M; AT_SHIFT_NONE before the first key */
    float sum[AT_LANES];     /* l */
    float highest[AT_LANES]; /* the largest s itself; -infinity before the first key */

    /* for the entropy alone, where it is asked for */
    float others[AT_LANES];   /* sum_j p[j] without those whose s is the highest */
    float distance[AT_LANES]; /* sum_j p[j] (s[j] - highest), never above 0: both lose nothing to each other */
} at_rows;

/* A row whose keys have all been met: (AT_LANES) each, aligned to 64 bytes. */
typedef struct at_final {
    float shift[AT_LANES];   /* M                                                      */
    float highest[AT_LANES]; /* the largest s                                          */
    float inverse[AT_LANES]; /* 1 / l; 0 where nothing was seen; NaN where l is         */
} at_final;

#define AT_SHIFT_NONE (-3.40282347e+38f)

typedef struct at_kernels {
    /* count 16-bit floats, ATTEND_F16 or ATTEND_BF16, to floats (exactly) and back (rounded once). */
    void (*widen)(const uint16_t *from, int32_t dtype, int64_t count, float *to);
    void (*narrow)(const float *from, int32_t dtype, int64_t count, uint16_t *to);

    /* q: rows pointers to D floats each -> queries (D, AT_LANES), times sign (1 or -1); columns past rows become 0. */
    void (*pack)(const float *const *q, int32_t rows, int64_t width, float sign, float *queries);

    /* queries (D, AT_LANES), k (keys, D) with stride k_stride -> scores (keys, AT_LANES), and the highest score of
       each row (AT_LANES).  With hidden pairs, scores and highest are what they happen to be where nobody looks:
       call highest after it. */
    void (*compare)(const float *queries, int32_t rows, int64_t width, const float *k, int64_t k_stride, int32_t keys,
                    const uint64_t *seen, float *scores, float *highest);

    /* scores (keys, AT_LANES) become cap * tanh(score * scale / cap) + added (keys, AT_LANES); cap 0: no cap, added NULL:
       nothing is added. */
    void (*adjust)(float *scores, int32_t rows, int32_t keys, float scale, float cap, const float *added);

    /* scores (keys, AT_LANES) -> the highest of those that are seen (AT_LANES); NaN is passed over. */
    void (*highest)(const float *scores, int32_t rows, int32_t keys, const uint64_t *seen, float *highest);

    /* scores (keys, AT_LANES) become weights in place; chunk->highest is read, the rest of chunk is written. */
    void (*normalize)(float *scores, int32_t rows, int32_t keys, const uint64_t *seen, float factor, at_rows *chunk);

    /* Folds chunk into rows and leaves in keep and take (AT_LANES) what o and o_c are multiplied by. */
    void (*fold)(at_rows *rows, const at_rows *chunk, float *keep, float *take);

    /* weights (keys, AT_LANES), v (keys, E) with stride v_stride: output (E, AT_LANES) becomes
       output * keep + (sum of weights times v) * take. */
    void (*combine)(const float *weights, int32_t rows, int32_t keys, const uint64_t *seen, const float *v,
                    int64_t v_stride, int64_t width, const float *keep, const float *take, float *output);

    /* compare and combine for up to AT_FEW rows, with keys and values of 16 or 8 bits (dtype F16, BF16 or I8; or F32)
       read where they lie; hidden scores are computed too.  Keys of 8 bits lie (keys / AT_GROUP, D, AT_GROUP), element d
       of AT_GROUP keys side by side, the last group whole; their highest is not found: call highest after weigh. */
    void (*compare_few)(const float *queries, int32_t rows, int64_t width, const void *k, int32_t dtype,
                        int64_t k_stride, int32_t keys, float *scores, float *highest);
    void (*combine_few)(const float *weights, int32_t rows, int32_t keys, const uint64_t *seen, const void *v,
                        int32_t dtype, int64_t v_stride, int64_t width, const float *keep, const float *take,
                        float *output);

    /* scores or weights (keys, AT_LANES) times factor (keys): the scales of keys or values of 8 bits. */
    void (*weigh)(float *scores, int32_t rows, int32_t keys, const float *factor);

    /* The same as combine for a sum that was taken elsewhere: output becomes output * keep + part (E, part_stride) * take. */
    void (*accumulate)(const float *part, int64_t part_stride, int32_t rows, int64_t width, const float *keep,
                       const float *take, float *output);

    /* output (E, AT_LANES) divided by sum (AT_LANES) -> o: rows pointers to E floats each; a row whose sum is 0
       becomes 0. */
    void (*finish)(const float *output, int32_t rows, int64_t width, const float *sum, float *const *o);

    /* Looking, in a pass after that.  scores (keys, AT_LANES) become 2^(factor * s - M) / l in place, 0 where hidden. */
    void (*reweigh)(float *scores, int32_t rows, int32_t keys, const uint64_t *seen, float factor,
                    const at_final *final);

    /* found[j] gets bit i where row i sees key j and s[j,i] > limit[i], -infinity being below every score. */
    void (*above)(const float *scores, int32_t rows, int32_t keys, const uint64_t *seen, const float *limit,
                  uint64_t *found);

    /* weights (keys, AT_LANES) -> their sum over the keys, one after another, and the largest or 0; (AT_LANES) each.
       The largest passes over NaN. */
    void (*pool)(const float *weights, int32_t rows, int32_t keys, float *sum, float *most);

    /* Adds values (count, AT_LANES) to to[i][n], n being the line and i the row, or, when most is 1, raises to[i][n] to
       them.  Neighbouring rows with the same to[i] are first summed in floats one after another; to[i] NULL: left out. */
    void (*across)(const float *values, int32_t rows, int32_t count, int32_t most, double *const *to);

    /* normalize that also makes others and distance of the chunk; and what fold is for them, to be called before it. */
    void (*normalize_spread)(float *scores, int32_t rows, int32_t keys, const uint64_t *seen, float factor,
                             at_rows *chunk);
    void (*fold_spread)(at_rows *rows, const at_rows *chunk);
} at_kernels;

extern const at_kernels at_kernels_portable;
#ifdef AT_HAVE_X86
extern const at_kernels at_kernels_avx2;
extern const at_kernels at_kernels_avx512;
#endif
#ifdef AT_HAVE_NEON
extern const at_kernels at_kernels_neon;
#endif

#endif
