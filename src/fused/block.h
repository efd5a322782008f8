/* block.h - a few rows on their way over the keys: what is kept of them between chunks, and the step from one chunk
   to the next. */
#ifndef AT_BLOCK_H
#define AT_BLOCK_H

#include "fused/added.h"
#include "fused/heaviest.h"
#include "fused/panel.h"
#include "fused/plan.h"
#include "fused/see.h"

typedef struct at_block {
    int32_t rows;
    at_query query[AT_LANES];
    at_span span;     /* keys that some row may see */
    at_real *queries; /* (D, AT_LANES); or (D / 2, AT_LANES) pairs of bf16 */
    bool pairs;       /* which */
    at_real *few;     /* (D, few_step) the same for up to AT_FEW rows, close together */
    int32_t few_step; /* rows up to the next of 1, 2, 4 and 8; 0: there are more than AT_FEW */
    at_real *output;  /* (E, AT_LANES) not yet divided */
    at_rows state;
    at_real *kept;   /* (Tk, AT_LANES) scores of the keys that were met, as softmax sees them; NULL: not wanted */
    at_final final;  /* only for tallies, for scores that were kept, and in a pass that looks (look_pass.h) */
    at_tally *tally; /* NULL: not wanted */
} at_block;

/* Scratch of one thread. */
typedef struct at_bench {
    at_block blocks[AT_BLOCKS_MAX];
    bool pairs;          /* keys and queries are read as pairs of bf16: all have fitted so far */
    at_real *scores;     /* (AT_CHUNK, AT_LANES) */
    at_real *added;      /* (AT_CHUNK, AT_LANES) slopes and bias; only when adjusted */
    at_real *added_rows; /* (AT_LANES, AT_ADDED_KEYS) the same before it is turned over; only when adjusted */
    at_real *keys;       /* (AT_CHUNK, D) only when keys are converted */
    at_real *values;     /* (AT_CHUNK, E) only when values are converted */
    at_real *rows;       /* (AT_LANES, max(D, E)) queries and outputs that are converted */
    uint64_t seen[AT_CHUNK];
    at_tallies *tallies; /* NULL: not wanted */
    at_rows chunk;
    at_real keep[AT_LANES], take[AT_LANES];
} at_bench;

/* Bytes of one thread's scratch, a multiple of AT_ALIGNMENT; false when they do not fit. */
AT_PART bool at_bench_size(const at_fused *call, const at_plan *plan, size_t *size);
/* Lays it out in memory of that size, aligned to AT_ALIGNMENT. */
AT_PART at_bench *at_bench_lay_out(const at_fused *call, const at_plan *plan, void *memory);

/* The rows of heads h .. h+heads-1 and queries i .. i+queries-1 of batch row b: packed, with nothing seen yet. */
AT_PART void at_block_begin(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block,
                            const at_span *heads, const at_span *queries, int64_t b);

/* The same for the rows that stand in block->query already; nothing is cleared. */
AT_PART void at_block_pack(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block);

/* Back to nothing seen. */
AT_PART void at_block_clear(const at_problem *problem, at_block *block);

/* Keys and values of a chunk, as the plan has them. */
AT_PART at_panel at_block_keys(const at_fused *call, const at_plan *plan, at_bench *bench, int64_t b, int64_t g,
                               at_span chunk);
AT_PART at_panel at_block_values(const at_fused *call, const at_plan *plan, at_bench *bench, int64_t b, int64_t g,
                                 at_span chunk);

/* The part of a chunk that some row of the block may see by position, empty when first >= end; keys, which began with
   the chunk, then begin with it. */
AT_PART at_span at_block_sees(const at_block *block, at_span chunk, at_panel *keys);

/* bench->scores of at most AT_CHUNK keys, which begin at keys, as q.k; the highest goes to bench->chunk.  ahead: what is
   read after that; or NULL. */
AT_PART void at_block_compare(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block,
                              at_panel keys, int32_t count, const uint64_t *seen, const at_ahead *ahead);

/* bench->scores, where the plan says so, become what softmax sees; without added: before slopes and bias. */
AT_PART void at_block_adjust(const at_problem *problem, const at_plan *plan, at_bench *bench, const at_block *block,
                             at_span span, bool added);

/* Both: what softmax sees, times the scale still to come when nothing is adjusted. */
AT_PART void at_block_scores(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block,
                             at_span span, at_panel keys, const uint64_t *seen, const at_ahead *ahead);

/* Folds in the keys of one chunk, or of the part of it that some row sees. */
AT_PART void at_block_step(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block, at_span chunk,
                           at_panel keys, at_panel values);

/* Takes in the sinks, divides, and writes o and what was found on the way. */
AT_PART void at_block_end(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block);

#endif
