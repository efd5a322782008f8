/* kernel.h - the contract of the micro-kernels: pointers and strides in, numbers out.

   One block is up to AT_LANES rows side by side, a row being one query of one head; all rows of a block share
   their keys and values.  Keys come in chunks of at most AT_CHUNK.  A chunk gives a partial result for every row,
   and partials are folded in the order of the chunks:

       compare     s[j,i] = sum_d q[i,d] k[j,d]                       summed over d one after another; for keys of bf16
                                                                     the second of each pair first, 1 0 3 2 (pairs.h)
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

   NUMBERS.  at_real is float, or double in the files that define AT_DOUBLE (real.h); then the kernels are at_kernels_f64.

   MEMORY.  Matrices with one column per row of the block have a stride of AT_LANES numbers and are aligned to 64
   bytes; kernels may read and write all AT_LANES columns of them.  Everything else (k, v, q, o) is the caller's:
   any alignment, any stride between rows, elements of a row adjacent, and never touched outside its shape.

   HIDDEN PAIRS.  seen holds one word per key: bit i is 1 when row i sees the key; NULL means that every row sees every
   key; bits past the rows of the block may be either.  What a hidden pair would read is skipped, not multiplied by 0. */
#ifndef AT_KERNEL_H
#define AT_KERNEL_H

#include <stdint.h>

#include "kernel/real.h"

enum {
    AT_LANES = 48,  /* rows of a block: three vectors of AVX-512, six of AVX2 */
    AT_CHUNK = 256, /* keys of a chunk; a change changes bits */
    AT_FEW = 8,     /* rows of decode */
    AT_GROUP = 16,  /* keys of 8 bits that lie side by side; divides AT_CHUNK */
};

/* What is known of each row so far, or from one chunk: (AT_LANES) each, aligned to 64 bytes. */
typedef struct at_rows {
    at_real shift[AT_LANES];   /* M; AT_SHIFT_NONE before the first key */
    at_real sum[AT_LANES];     /* l */
    at_real highest[AT_LANES]; /* the largest s itself; -infinity before the first key */

    /* for the entropy alone, where it is asked for */
    at_real others[AT_LANES];   /* sum_j p[j] without one whose s is the highest */
    at_real distance[AT_LANES]; /* sum_j p[j] (s[j] - highest), never above 0: both lose nothing to each other */
} at_rows;

/* A row whose keys have all been met: (AT_LANES) each, aligned to 64 bytes. */
typedef struct at_final {
    at_real shift[AT_LANES];   /* M                                                      */
    at_real highest[AT_LANES]; /* the largest s                                          */
    at_real inverse[AT_LANES]; /* 1 / l; 0 where nothing was seen; NaN where l is         */
} at_final;

#define AT_SHIFT_NONE (-AT_REAL_MAX)

#ifdef AT_DOUBLE
#define at_kernels at_kernels_f64
#define at_kernels_of at_kernels_f64_of
#endif

/* Rows that are read after a piece of work, to be asked for beside it; no more than a hint, so they need not be there. */
typedef struct at_ahead {
    uintptr_t first;       /* where they begin; 0: nothing is asked for */
    int64_t bytes, stride; /* of a row, and from one to the next in bytes */
} at_ahead;

/* A chunk of which each of a few rows sees all keys. */
typedef struct at_few {
    int32_t rows, keys;     /* at most AT_FEW, and AT_CHUNK */
    int32_t more;           /* keys after them, as far apart, that may be read too: they come next */
    const at_real *queries; /* as compare_few has them */
    int64_t width;
    const void *k, *v; /* (keys, D) and (keys, E) of k_dtype and v_dtype, as compare_few and combine_few have them */
    int32_t k_dtype, v_dtype;
    int64_t k_stride, v_stride, value_width; /* in elements */
    const float *k_scales, *v_scales;        /* (keys) or NULL */
    at_real factor;
} at_few;

typedef struct at_kernels {
    /* count 16-bit floats, ATTEND_F16 or ATTEND_BF16, to at_real (exactly) and back (rounded once). */
    void (*widen)(const uint16_t *from, int32_t dtype, int64_t count, at_real *to);
    void (*narrow)(const at_real *from, int32_t dtype, int64_t count, uint16_t *to);

    /* q: rows pointers to D numbers each -> queries (D, AT_LANES), times sign (1 or -1); columns past rows become 0. */
    void (*pack)(const at_real *const *q, int32_t rows, int64_t width, at_real sign, at_real *queries);

    /* queries (D, AT_LANES), k (keys, D) with stride k_stride -> scores (keys, AT_LANES), and the highest score of
       each row (AT_LANES).  With hidden pairs, scores and highest are what they happen to be where nobody looks:
       call highest after it.  swapped: whether the second of each pair of elements comes first.  ahead may be
       NULL, as in combine. */
    void (*compare)(const at_real *queries, int32_t rows, int64_t width, const at_real *k, int64_t k_stride,
                    int32_t keys, int swapped, const uint64_t *seen, at_real *scores, at_real *highest,
                    const at_ahead *ahead);

    /* scores (keys, AT_LANES) become cap * tanh(score * scale / cap) + added (keys, AT_LANES); cap 0: no cap, added NULL:
       nothing is added. */
    void (*adjust)(at_real *scores, int32_t rows, int32_t keys, at_real scale, at_real cap, const at_real *added);

    /* scores (keys, AT_LANES) -> the highest of those that are seen (AT_LANES); NaN is passed over. */
    void (*highest)(const at_real *scores, int32_t rows, int32_t keys, const uint64_t *seen, at_real *highest);

    /* scores (keys, AT_LANES) become weights in place; chunk->highest is read, the rest of chunk is written. */
    void (*normalize)(at_real *scores, int32_t rows, int32_t keys, const uint64_t *seen, at_real factor,
                      at_rows *chunk);

    /* Folds the first rows of chunk into state and leaves in keep and take (AT_LANES) what o and o_c are multiplied by. */
    void (*fold)(at_rows *state, const at_rows *chunk, int32_t rows, at_real *keep, at_real *take);

    /* weights (keys, AT_LANES), v (keys, E) with stride v_stride: output (E, AT_LANES) becomes
       output * keep + (sum of weights times v) * take. */
    void (*combine)(const at_real *weights, int32_t rows, int32_t keys, const uint64_t *seen, const at_real *v,
                    int64_t v_stride, int64_t width, const at_real *keep, const at_real *take, at_real *output,
                    const at_ahead *ahead);

    /* compare and combine for up to AT_FEW rows, with queries (D, 1, 2, 4 or 8), the least that holds the rows, and with
       keys and values of dtype AT_REAL_DTYPE or, for floats, of 16 or 8 bits (F16, BF16 or I8), read where they lie;
       hidden scores are computed too.  Keys of 8 bits lie (keys / AT_GROUP, D, AT_GROUP), element d of AT_GROUP keys side
       by side, the last group whole; their highest is not found: call highest after weigh. */
    void (*compare_few)(const at_real *queries, int32_t rows, int64_t width, const void *k, int32_t dtype,
                        int64_t k_stride, int32_t keys, at_real *scores, at_real *highest);
    void (*combine_few)(const at_real *weights, int32_t rows, int32_t keys, const uint64_t *seen, const void *v,
                        int32_t dtype, int64_t v_stride, int64_t width, const at_real *keep, const at_real *take,
                        at_real *output);

    /* scores or weights (keys, AT_LANES) times factor (keys): the scales of keys or values of 8 bits. */
    void (*weigh)(at_real *scores, int32_t rows, int32_t keys, const float *factor);

    /* The same as combine for a sum that was taken elsewhere: output becomes output * keep + part (E, part_stride) * take. */
    void (*accumulate)(const at_real *part, int64_t part_stride, int32_t rows, int64_t width, const at_real *keep,
                       const at_real *take, at_real *output);

    /* output (E, AT_LANES) divided by sum (AT_LANES) -> o: rows pointers to E numbers each; a row whose sum is 0
       becomes 0.  Returns 0 when all numbers of o are finite. */
    int (*finish)(const at_real *output, int32_t rows, int64_t width, const at_real *sum, at_real *const *o);

    /* Looking, in a pass after that.  scores (keys, AT_LANES) become 2^(factor * s - M) / l in place, 0 where hidden. */
    void (*reweigh)(at_real *scores, int32_t rows, int32_t keys, const uint64_t *seen, at_real factor,
                    const at_final *final);

    /* found[j] gets bit i where row i sees key j and s[j,i] > limit[i], -infinity being below every score. */
    void (*above)(const at_real *scores, int32_t rows, int32_t keys, const uint64_t *seen, const at_real *limit,
                  uint64_t *found);

    /* list (top, AT_LANES) of scores, highest first, and what they are named in listed (top, AT_LANES), any bits: takes in
       scores (count, AT_LANES) with their names, each column from its top; -infinity: none.  Of equal scores those that
       came first stay in front. */
    void (*enlist)(const at_real *scores, const at_real *names, int32_t rows, int32_t count, int64_t top, at_real *list,
                   at_real *listed);

    /* weights (keys, AT_LANES) -> lines (lines, AT_LANES): of keys 0 .. end[0]-1, then of end[0] .. end[1]-1, and so on, the
       sum, one after another, and the largest or 0.  The largest passes over NaN; most NULL: not wanted.  sum may be
       weights, unless a line has no keys. */
    void (*pool)(const at_real *weights, int32_t rows, const int32_t *end, int32_t lines, at_real *sum, at_real *most);

    /* weights (keys, AT_LANES), kind (keys) of each key, from 0 to kinds-1 -> sums (kinds, AT_LANES): of the keys of each
       kind, one after another. */
    void (*sort)(const at_real *weights, int32_t rows, int32_t keys, const int32_t *kind, int32_t kinds, at_real *sums);

    /* weights (keys, AT_LANES): adds to to[j] the sum over the rows whose bit is set in rows, the others being 0: first
       of rows 16 apart, one after another, then of sums 8 apart, 4 apart, 2 apart and 1 apart. */
    void (*receive)(const at_real *weights, int32_t keys, uint64_t rows, double *to);

    /* Adds values (count, AT_LANES) to to[i][n], n being the line and i the row, or, when most is 1, raises to[i][n] to
       them.  Neighbouring rows with the same to[i] are first summed in at_real one after another. */
    void (*across)(const at_real *values, int32_t rows, int32_t count, int32_t most, double *const *to);

    /* weights (keys, AT_LANES) -> to: rows pointers to keys numbers each, every NaN the one NaN. */
    void (*turn)(const at_real *weights, int32_t rows, int32_t keys, at_real *const *to);

    /* normalize that also makes others and distance of the chunk; and what fold is for them, to be called before it. */
    void (*normalize_spread)(at_real *scores, int32_t rows, int32_t keys, const uint64_t *seen, at_real factor,
                             at_rows *chunk);
    void (*fold_spread)(at_rows *state, const at_rows *chunk, int32_t rows);

    /* What compare_few, weigh, highest, normalize, fold, weigh and combine_few do one after another, to the same bits; but
       nothing is left of the scores.  output (E, AT_LANES). */
    void (*step_few)(const at_few *few, at_rows *state, at_real *output);
} at_kernels;

#ifdef AT_DOUBLE
#define AT_ISA(constant, name, doubles, condition) extern const at_kernels at_kernels_##doubles##_f64;
#else
#define AT_ISA(constant, name, doubles, condition) extern const at_kernels at_kernels_##name;
#endif
#include "kernel/isa.def"
#undef AT_ISA

#endif
