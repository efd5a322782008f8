/* heaviest.h - what every query says of its keys, gathered while its block goes over them (block.c): the heaviest keys,
   found among the scores before these become weights; and the weight of each kind of key, a sum that is relative to the
   shift of its row and follows it, like the output. */
#ifndef AT_HEAVIEST_H
#define AT_HEAVIEST_H

#include "fused/plan.h"
#include "fused/see.h"

/* The tally of one block.  A number of a key is stored as bits of an at_real. */
typedef struct at_tally {
    _Alignas(64) at_real limit[AT_LANES]; /* what is not above it has no place in the list; -infinity: not known yet */
    int64_t top, kinds;
    at_real *score; /* (top, AT_LANES) highest first, -infinity past the last */
    at_real *key;   /* (top, AT_LANES) -1 there */
    double *mass;   /* (kinds, AT_LANES) relative to the shift of the row */
    bool begun;     /* whether a chunk has been searched */
} at_tally;

/* What a thread has.  Scores above their limit wait until their chunk is searched: column i for row i, each as long as
   it happens to be, and -infinity below. */
typedef struct at_tallies {
    at_tally block[AT_BLOCKS_MAX];
    int32_t waiting[AT_LANES];
    _Alignas(64) at_real score[AT_CHUNK * AT_LANES]; /* (AT_CHUNK, AT_LANES) */
    at_real key[AT_CHUNK * AT_LANES];                /* (AT_CHUNK, AT_LANES) */
    at_real *sums;                                   /* (kinds of a chunk, AT_LANES) */
    int32_t *place;                                  /* (kinds) of each among those; -1: not there */
} at_tallies;

struct at_block;
struct at_bench;

AT_PART bool at_heaviest_wanted(const at_taps *taps);

/* Bytes of the tallies of so many blocks; false when they do not fit. */
AT_PART bool at_heaviest_size(const at_taps *taps, int32_t blocks, size_t *size);
/* Lays them out in memory of that size, aligned to 64 bytes. */
AT_PART at_tallies *at_heaviest_lay_out(const at_taps *taps, int32_t blocks, void *memory);

/* Back to nothing met. */
AT_PART void at_heaviest_clear(at_tally *tally);

/* Takes in the scores (keys of the span, AT_LANES). */
AT_PART void at_heaviest_search(const at_kernels *kernels, int32_t rows, at_span span, const at_real *scores,
                                const uint64_t *seen, at_tallies *all, at_tally *tally);

/* Takes in the weights they have become, which keep and take (AT_LANES) fold in as they do the output. */
AT_PART void at_heaviest_sort(const at_kernels *kernels, const at_taps *taps, int32_t rows, at_span span,
                              const at_real *weights, const at_real *keep, const at_real *take, at_tallies *all,
                              at_tally *tally);

/* Writes what was found once block->final is set; unit (rows): what mass is multiplied by. */
AT_PART void at_heaviest_write(const at_problem *problem, const at_taps *taps, const at_plan *plan,
                               struct at_bench *bench, const struct at_block *block, const double *unit);

#endif
