/* attend.h - attention on CPUs.  The one stable header of libattend.

   WHAT IT COMPUTES
       tokens -> embeddings + positions -> Q, K, V -> scores -> weights -> mixture -> output

       compare    R[b,h,i,j] = sum_d Q[b,h,i,d] K[b,g,j,d]                g = h / (H/G)
       scale      S[b,h,i,j] = R[b,h,i,j] / sqrt(D), softcap, + slopes and bias
       mask       S[b,h,i,j] = -infinity where query i may not see key j
       normalize  P[b,h,i,j] = exp(S[b,h,i,j] - L[b,h,i])                 L = log sum_j exp S  (softmax)
       combine    O[b,h,i,e] = sum_j P[b,h,i,j] V[b,g,j,e]

       Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.

       attend_compare, attend_scale, attend_mask, attend_normalize, attend_combine do these lines one
       at a time and store every grid; attend_chain does them in a row.  attend_forward does them all
       a few keys at a time and stores no grid.

   LETTERS  B batch, H query heads, G key/value heads, Tq queries, Tk keys, D head width,
            E value width, C model width, N vocabulary.  Shapes below are always in this order.

   TRUE OF EVERY FUNCTION unless its own comment says otherwise
       Errors     a call that can fail takes a context first and returns attend_status. On failure
                  outputs are unspecified, inputs are untouched, and attend_message(ctx) names the
                  argument, the axis and the two numbers that disagree. Nothing aborts or prints.
                  A NULL context is ATTEND_ARGUMENT.
       Ownership  the caller owns every buffer; no pointer is kept after a call returns.
                  What *_create made, *_destroy frees; *_destroy(NULL) does nothing.
       Threads    one context serves one calling thread at a time; contexts are independent.
                  Results do not depend on the number of threads.
       Memory     after attend_reserve(ctx, problem, taps), attend_forward for them allocates nothing.
                  Scratch grows with Tk + D + E for each thread, never with Tq x Tk.
       Structs    those that start with struct_size are made by their *_init; zero means default.
       Numbers    attend_forward takes the fast path: sums in f32, or in f64 where q, k, v or o is f64, in an
                  order that depends on nothing but the problem (docs/numerics.md).  With ATTEND_READABLE, with
                  a scale or softcap beyond 2^-100 to 2^100, and in every other function, sums are taken in
                  double, in the order of the formula.  Each result is rounded once to the type of its output.
       Overlap    an output may not overlap any input or other output (else ATTEND_ALIAS).          */
#ifndef ATTEND_H
#define ATTEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(ATTEND_SHARED)
#  ifdef ATTEND_BUILD
#    define ATTEND_API __declspec(dllexport)
#  else
#    define ATTEND_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define ATTEND_API __attribute__((visibility("default")))
#else
#  define ATTEND_API
#endif

/* ==== 1. Version ============================================================================= */

#define ATTEND_VERSION_MAJOR 0
#define ATTEND_VERSION_MINOR 1
#define ATTEND_VERSION_PATCH 0

/* Version of the library that is linked: major<<16 | minor<<8 | patch.  Any thread. */
ATTEND_API uint32_t attend_version(void);
/* The same as static text, "0.1.0".  Any thread. */
ATTEND_API const char *attend_version_text(void);

/* ==== 2. Status ============================================================================== */

typedef enum attend_status {        /* values never change; new ones may be added                   */
    ATTEND_OK          = 0,
    /* 10..19: the call is wrong */
    ATTEND_ARGUMENT    = 10,        /* NULL, out of range, or a struct not made by its *_init       */
    ATTEND_SHAPE       = 11,        /* two shapes disagree                                          */
    ATTEND_STRIDE      = 12,        /* an output overlaps itself, or a pointer is misaligned        */
    ATTEND_DTYPE       = 13,        /* this tensor may not have this type                           */
    ATTEND_ALIAS       = 14,        /* an output overlaps another argument                          */
    /* 20..29: the world said no */
    ATTEND_MEMORY      = 20,        /* the allocator returned NULL                                  */
    ATTEND_FILE        = 21,        /* a file cannot be opened, read or written                     */
    ATTEND_FORMAT      = 22,        /* bytes of a file are not what its format promises             */
    ATTEND_THREAD      = 23,        /* the executor did not run all tasks                           */
    /* 30..39: a limit */
    ATTEND_UNSUPPORTED = 30,        /* meaningful, but not in this build or on this CPU             */
    ATTEND_NEWER       = 31,        /* an option is set that this older library does not know       */
    ATTEND_FULL        = 32,        /* a cache has no room for more keys; it is unchanged           */
    ATTEND_TOO_LARGE   = 33         /* a size does not fit in memory arithmetic                     */
} attend_status;

/* Short name, "shape"; "unknown" for a value not listed.  Static text; any thread. */
ATTEND_API const char *attend_status_name(attend_status status);

/* ==== 3. Tensors ============================================================================= */

typedef enum attend_dtype {
    ATTEND_F32 = 1, ATTEND_F16 = 2, ATTEND_BF16 = 3, ATTEND_F64 = 4,   /* numbers                   */
    ATTEND_U8 = 16, ATTEND_I32 = 17,                                   /* masks; tokens and indices */
    ATTEND_I8 = 18                                                     /* in a cache alone: no tensor has it */
} attend_dtype;

enum { ATTEND_RANK_MAX = 4 };

typedef struct attend_in {          /* a tensor that is only read                                   */
    int64_t     shape[ATTEND_RANK_MAX];
    int64_t     stride[ATTEND_RANK_MAX];   /* in elements; 0 repeats, negative walks backwards      */
    int32_t     dtype;                     /* an attend_dtype                                       */
    int32_t     rank;                      /* 0..4; axes past it are ignored                        */
    const void *data;                      /* element [0,0,0,0]; NULL means "not given"             */
} attend_in;

typedef struct attend_out {         /* a tensor that is written: same layout, data not const        */
    int64_t shape[ATTEND_RANK_MAX];
    int64_t stride[ATTEND_RANK_MAX];       /* nested: each longer than the span of the shorter ones */
    int32_t dtype;
    int32_t rank;
    void   *data;
} attend_out;

/* Bytes of one element; 0 for an unknown type.  Any thread. */
ATTEND_API size_t     attend_dtype_size(attend_dtype dtype);
/* Short name, "f32"; "unknown" for an unknown type.  Static text; any thread. */
ATTEND_API const char *attend_dtype_name(attend_dtype dtype);
/* A tensor of the first rank entries of shape, last axis contiguous.  The sizes are checked where
   the tensor is used; shape NULL gives data NULL.  Any thread. */
ATTEND_API attend_in  attend_in_dense (const void *data, attend_dtype dtype, int32_t rank, const int64_t *shape);
ATTEND_API attend_out attend_out_dense(void *data, attend_dtype dtype, int32_t rank, const int64_t *shape);
/* View with axis a of the result = axis axes[a] of tensor; copies nothing.  axes holds rank entries.
   An axis outside 0..rank-1, or given twice, gives a tensor with data NULL.  Any thread. */
ATTEND_API attend_in  attend_permute  (attend_in tensor, const int32_t *axes);
/* Read what was written: the same tensor as an input.  Any thread. */
ATTEND_API attend_in  attend_read     (attend_out tensor);

/* ==== 4. Context ============================================================================= */

typedef struct attend_ctx attend_ctx;      /* threads, scratch memory, last message                 */

typedef enum attend_isa {
    ATTEND_ISA_BEST     = 0,               /* what this CPU runs best                               */
    ATTEND_ISA_PORTABLE = 1,               /* plain C; slow where the CPU has no fused multiply-add */
    ATTEND_ISA_AVX2     = 2,               /* with FMA                                              */
    ATTEND_ISA_AVX512   = 3,               /* F, BW, DQ and VL; BF16 where the CPU has it           */
    ATTEND_ISA_NEON     = 4                /* of AArch64                                            */
} attend_isa;                              /* results have the same bits on each                    */

typedef struct attend_allocator {          /* both functions or neither                             */
    void *(*allocate)(void *user, size_t size, size_t alignment);      /* NULL: no memory           */
    void  (*release)(void *user, void *block, size_t size);
    void   *user;
} attend_allocator;

typedef void (*attend_task)(void *work, int64_t index, int32_t lane);
typedef struct attend_executor {           /* run task(work, index, lane) once for each index in 0..count-1; */
    int (*run)(void *user, attend_task task, void *work, int64_t count, int32_t lanes);
    void *user;                            /* lane < lanes, never used by two at once; 0 when all ran */
} attend_executor;

typedef struct attend_config {
    uint32_t         struct_size;
    int32_t          threads;              /* 0: all this process may use; 1: the caller's only; at most 1024 */
    attend_allocator allocator;            /* zero: the C library                                   */
    attend_executor  executor;             /* zero: the context's own threads                       */
    int32_t          isa;                  /* an attend_isa; what this CPU lacks is ATTEND_UNSUPPORTED */
    int32_t          reserved;             /* 0                                                     */
} attend_config;

static inline attend_config attend_config_init(void)
{ attend_config c; memset(&c, 0, sizeof c); c.struct_size = (uint32_t)sizeof c; return c; }

/* config NULL: defaults.  On failure *ctx is NULL and only the status speaks. */
ATTEND_API attend_status attend_ctx_create(const attend_config *config, attend_ctx **ctx);
ATTEND_API void          attend_ctx_destroy(attend_ctx *ctx);
/* What the last failed call on ctx said; "" after a call that succeeded.  Valid until the next call. */
ATTEND_API const char   *attend_message(const attend_ctx *ctx);
/* Threads that calls on ctx use. */
ATTEND_API int32_t       attend_ctx_threads(const attend_ctx *ctx);
/* Instruction set that calls on ctx use: never ATTEND_ISA_BEST. */
ATTEND_API attend_isa    attend_ctx_isa(const attend_ctx *ctx);
/* Path that the last attend_forward or attend_look on ctx took: "fast" or "readable"; "" before the first.  Static text. */
ATTEND_API const char   *attend_ctx_path(const attend_ctx *ctx);
/* Short name, "portable"; "unknown" for a value not listed.  Static text; any thread. */
ATTEND_API const char   *attend_isa_name(attend_isa isa);
/* Why there are no kernels of this instruction set here: it is not compiled in, or the processor lacks it.  NULL when
   there are.  Static text; any thread. */
ATTEND_API const char   *attend_isa_refusal(attend_isa isa);

/* ==== 5. The problem ========================================================================= */

/* WHO SEES WHOM, the only rule: with p = i + query_offset, query i sees key j unless
       ATTEND_LIMIT_AHEAD is set and j > p + ahead, or
       ATTEND_LIMIT_BACK  is set and j < p - back, or
       j >= key_count, or the mask holds 0 at (i,j), or the bias holds -infinity at (i,j).
   Everything: no flag. Causal: LIMIT_AHEAD, ahead 0 (also spelled ATTEND_CAUSAL).
   Sliding window of w keys that ends at the query: LIMIT_AHEAD | LIMIT_BACK, ahead 0, back w-1.
   query_offset 0 aligns first query with first key; keys - queries aligns last with last.
   A query that sees no key gives: output 0, lse -infinity, row_max -infinity, entropy 0,
   top index -1, weights 0. What a hidden key or value holds never matters, NaN included. */
enum {
    ATTEND_LIMIT_AHEAD = 1 << 0,
    ATTEND_LIMIT_BACK  = 1 << 1,
    ATTEND_CAUSAL      = ATTEND_LIMIT_AHEAD,
    ATTEND_EXACT_SCALE = 1 << 2,           /* use scale as written, even 0                          */
    ATTEND_READABLE    = 1 << 3            /* attend_forward: by the readable path, whatever the types */
};

typedef struct attend_problem {
    uint32_t struct_size;
    uint32_t flags;
    int64_t  batch;                        /* B                                                     */
    int64_t  heads;                        /* H                                                     */
    int64_t  kv_heads;                     /* G, divides H; 0 means H                               */
    int64_t  queries;                      /* Tq                                                    */
    int64_t  keys;                         /* Tk                                                    */
    int64_t  head_width;                   /* D                                                     */
    int64_t  value_width;                  /* E; 0 means D                                          */
    int64_t  query_offset;                 /* key position of query 0; may be negative              */
    int64_t  ahead;                        /* in keys; offset, ahead and back within +-2^60         */
    int64_t  back;
    double   scale;                        /* 0 means 1/sqrt(D)                                     */
    double   softcap;                      /* c > 0: S becomes c*tanh(S/c), before slopes and bias  */
} attend_problem;

static inline attend_problem attend_problem_init(void)
{ attend_problem p; memset(&p, 0, sizeof p); p.struct_size = (uint32_t)sizeof p; return p; }

/* Optional inputs; data NULL = absent.  mask and bias may have any rank up to 4: they are aligned on
   the right with [B,H,Tq,Tk], and an axis of size 1 repeats.

   Packed batch: with query_starts and key_starts (both or neither), batch is 1 and S sequences lie one
   after another along Tq and Tk. Query i of sequence s sees only keys of sequence s, and the rule above
   counts i and j from the start of their sequence. key_count and query_offsets then have S entries. */
typedef struct attend_extra {
    uint32_t  struct_size;
    uint32_t  reserved;                    /* 0                                                     */
    attend_in mask;                        /* u8 [B,H,Tq,Tk]: 0 hides                               */
    attend_in bias;                        /* numbers [B,H,Tq,Tk], added to the scores; -infinity hides */
    attend_in slopes;                      /* numbers [H]: adds -slope * |i + query_offset - j| (ALiBi,
                                              Press et al. 2021, section 3)                         */
    attend_in sinks;                       /* numbers [H]: one extra score per row, not scaled, not capped:
                                              in the sum and in lse, without a value                */
    attend_in key_count;                   /* i32 [B] keys really present, 0..Tk                    */
    attend_in query_offsets;               /* i32 [B] used in place of problem.query_offset         */
    attend_in query_starts;                /* i32 [S+1] 0 = first <= ... <= last = Tq               */
    attend_in key_starts;                  /* i32 [S+1] 0 = first <= ... <= last = Tk               */
} attend_extra;

static inline attend_extra attend_extra_init(void)
{ attend_extra e; memset(&e, 0, sizeof e); e.struct_size = (uint32_t)sizeof e; return e; }

/* Fills the seven sizes of *problem from q [B,H,Tq,D], k [B,G,Tk,D], v [B,G,Tk,E] and sets query_offset
   to Tk - Tq (last query on last key, what a cache needs; set 0 for first on first). The rest of
   *problem, which attend_problem_init made, is left alone. */
ATTEND_API attend_status attend_problem_from(attend_ctx *ctx, const attend_in *q, const attend_in *k,
                                             const attend_in *v, attend_problem *problem);

/* ==== 6. Forward and taps ==================================================================== */

/* What to look at; data NULL = not wanted. Taps never change o. Each output has any number type,
   except top_index. Pairs that the rule hides count as weight 0 and score -infinity. */
typedef struct attend_taps {
    uint32_t   struct_size;
    uint32_t   reserved;                   /* 0                                                     */
    /* one number for each query */
    attend_out lse;                        /* [B,H,Tq]    log of the sum of exp scores (nats), sink included */
    attend_out row_max;                    /* [B,H,Tq]    largest score of a key that is seen       */
    attend_out entropy;                    /* [B,H,Tq]    of the row's weights (nats), the sink one more outcome */
    /* the n heaviest keys of each query, heaviest first, ties: lower key first */
    attend_out top_index;                  /* i32 [B,H,Tq,n]  -1 past the last key seen             */
    attend_out top_weight;                 /* [B,H,Tq,n]  0 there; a row that holds NaN: -1 and NaN  */
    attend_out top_rest;                   /* [B,H,Tq]    1 - the sum of the n weights, 0 where nothing is seen, not
                                              even a sink; needs top_weight or top_index            */
    /* chosen rows in full */
    attend_in  rows;                       /* i32 [n]     which queries                             */
    attend_out row_raw;                    /* [B,H,n,Tk]  q.k                                       */
    attend_out row_capped;                 /* [B,H,n,Tk]  scaled, then capped                       */
    attend_out row_biased;                 /* [B,H,n,Tk]  ... plus slopes and bias: what softmax sees */
    attend_out row_weights;                /* [B,H,n,Tk]                                            */
    /* weight received by each key */
    attend_out column_sum;                 /* [B,H,Tk]    summed over the queries                   */
    int64_t    column_first;               /* ... column_first to column_first + column_count - 1;  */
    int64_t    column_count;               /* ... 0: all from column_first on                       */
    /* the grid pooled into r x c cells: cell (y,x) covers queries floor(y Tq/r) to floor((y+1) Tq/r) - 1
       and keys likewise. sum / (queries of the band) gives a grid whose rows sum to 1. */
    attend_out grid_sum;                   /* [B,H,r,c]   sum of the weights                        */
    attend_out grid_count;                 /* [B,H,r,c]   pairs that are seen                       */
    attend_out grid_max;                   /* [B,H,r,c]   largest weight                            */
    /* weight by kind of key */
    attend_in  segments;                   /* i32 [Tk]    kind of each key, 0..n-1                  */
    attend_out segment_mass;               /* [B,H,Tq,n]  sum of the weights on each kind           */
} attend_taps;

static inline attend_taps attend_taps_init(void)
{ attend_taps t; memset(&t, 0, sizeof t); t.struct_size = (uint32_t)sizeof t; return t; }

/* Allocates now all scratch that attend_forward needs for this problem and these taps (or NULL: none; only
   their shapes matter); later calls for them allocate nothing. */
ATTEND_API attend_status attend_reserve(attend_ctx *ctx, const attend_problem *problem, const attend_taps *taps);
/* Bytes of that scratch, before anything is allocated. */
ATTEND_API attend_status attend_scratch_size(attend_ctx *ctx, const attend_problem *problem,
                                             const attend_taps *taps, size_t *bytes);

/* q [B,H,Tq,D]  k [B,G,Tk,D]  v [B,G,Tk,E]  ->  o [B,H,Tq,E], numbers of any type.
   extra and taps may be NULL. */
ATTEND_API attend_status attend_forward(attend_ctx *ctx, const attend_problem *problem,
                                        const attend_in *q, const attend_in *k, const attend_in *v,
                                        const attend_extra *extra, const attend_out *o, const attend_taps *taps);

/* What attend_forward's taps say, without values and output.  q, k, extra and taps as there; value_width does not matter.
   With lse [B,H,Tq], the log-sum-exp of each row, which attend_forward gave, or attend_join over more keys than these,
   weights are exp(score - lse): one pass, and taps.lse, row_max and entropy cannot be asked for.  NULL: it is computed
   first.  attend_reserve for the same problem and taps is enough. */
ATTEND_API attend_status attend_look(attend_ctx *ctx, const attend_problem *problem,
                                     const attend_in *q, const attend_in *k, const attend_extra *extra,
                                     const attend_in *lse, const attend_taps *taps);

/* How attend_forward does a problem, and why.  Reasons are words that complete "..., because"; NULL: there is none. */
typedef struct attend_explanation {
    uint32_t    struct_size;
    int32_t     isa;                       /* an attend_isa: whose kernels run; for f64 it may be narrower than the context's */
    const char *path;                      /* "fast" or "readable"                                  */
    const char *not_fast;                  /* why it is not the fast path: the first condition that ruled it out */
    int32_t     threads;                   /* that have something to do                             */
    int32_t     chunk;                     /* keys at a time, from the first key on; 0 on the readable path */
    int64_t     chunks;                    /* of the keys                                           */
    int32_t     block_heads;               /* a block: a few queries of a few heads that share a key head, */
    int32_t     block_queries;             /* ... one row of a kernel for each                      */
    int32_t     block_most;                /* rows that a block may have                            */
    int32_t     task_blocks;               /* a task: blocks one after another                      */
    int64_t     tasks;
    int64_t     splits;                    /* parts that the chunks of a task are cut into, 1: none */
    const char *not_split;                 /* why they are not cut                                  */
    const char *keys_converted;            /* why keys are converted first; NULL: read in place */
    const char *values_converted;
    const char *compare;                   /* the kernels that do most of the work; NULL on the readable path */
    const char *combine;
    const char *not_pairs;                 /* why keys are not compared by dot products of pairs of bf16; */
                                           /* ... NULL: they are, but for numbers nearer to 0 than 2^-55 */
} attend_explanation;

static inline attend_explanation attend_explanation_init(void)
{ attend_explanation e; memset(&e, 0, sizeof e); e.struct_size = (uint32_t)sizeof e; return e; }

/* Explains attend_forward for these tensors and an output of type o; nothing is computed.  q, k, v and o as there, but
   no element of theirs is read. */
ATTEND_API attend_status attend_explain(attend_ctx *ctx, const attend_problem *problem,
                                        const attend_in *q, const attend_in *k, const attend_in *v,
                                        const attend_extra *extra, attend_dtype o, attend_explanation *explanation);

/* Two results over disjoint keys -> the result over both. o_a, o_b, o [B,H,Tq,E]; lse_a, lse_b, lse
   [B,H,Tq]; lse may be NULL. A part that saw no key (lse -infinity) changes nothing. A sink must be in
   one part only. Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018),
   section 3. */
ATTEND_API attend_status attend_join(attend_ctx *ctx, const attend_in *o_a, const attend_in *lse_a,
                                     const attend_in *o_b, const attend_in *lse_b,
                                     const attend_out *o, const attend_out *lse);

/* ==== 7. The stages, one at a time: plain arithmetic in double, stores everything ============ */

/* e to the power x as the stages take it: the same bits on every machine, and the double nearest to the true value but
   for about one x in 2^40.  NaN for NaN.  Any thread. */
ATTEND_API double attend_exp(double x);

typedef enum attend_place_kind {
    ATTEND_PLACE_ADD               = 1,    /* x [B,T,C]: adds sines and cosines of position         */
    ATTEND_PLACE_ROTATE_NEIGHBOURS = 2,    /* x [B,H,T,D]: turns pairs (0,1) (2,3) ...              */
    ATTEND_PLACE_ROTATE_HALVES     = 3     /* x [B,H,T,D]: turns pairs (0,w/2) (1,w/2+1) ...        */
} attend_place_kind;

/* tokens i32 [B,T], table [N,C] -> x [B,T,C]; a token outside 0..N-1 is ATTEND_ARGUMENT. */
ATTEND_API attend_status attend_embed(attend_ctx *ctx, const attend_in *tokens, const attend_in *table,
                                      const attend_out *x);
/* x, positions i32 [T] or [B,T] -> y shaped like x.  Pair m has the angle position * base^(-2m/width).
   ADD: channel 2m gains the sine, 2m+1 the cosine (Vaswani et al. 2017, section 3.5).
   ROTATE_*: channels (a,b) of a pair become (a cos - b sin, a sin + b cos) (Su et al., "RoFormer", 2021,
   section 3.4.2).  width: channels that take part, counted from the first, even for ROTATE_*; 0 means all;
   the others are copied.  base: usually 10000. */
ATTEND_API attend_status attend_place(attend_ctx *ctx, attend_place_kind kind, double base, int64_t width,
                                      const attend_in *x, const attend_in *positions, const attend_out *y);
/* The same turn with tables of your own: x [B,H,T,D], cosine and sine [T,w/2] or [B,T,w/2] -> y like x. */
ATTEND_API attend_status attend_rotate(attend_ctx *ctx, attend_place_kind kind, const attend_in *x,
                                       const attend_in *cosine, const attend_in *sine, const attend_out *y);
/* y[b,h,t,d] = sum_c x[b,t,c] weight[h,d,c] + bias[h,d].
   x [B,T,C], weight [H,D,C], bias [H,D] or NULL -> y [B,H,T,D]. */
ATTEND_API attend_status attend_project(attend_ctx *ctx, const attend_in *x, const attend_in *weight,
                                        const attend_in *bias, const attend_out *y);
/* q [B,H,Tq,D], k [B,G,Tk,D] -> raw scores R [B,H,Tq,Tk], hidden pairs included. */
ATTEND_API attend_status attend_compare(attend_ctx *ctx, const attend_problem *problem, const attend_in *q,
                                        const attend_in *k, const attend_out *raw);
/* R -> S [B,H,Tq,Tk]: times scale, then softcap, then extra's slopes and bias.  extra may be NULL. */
ATTEND_API attend_status attend_scale(attend_ctx *ctx, const attend_problem *problem, const attend_in *raw,
                                      const attend_extra *extra, const attend_out *scores);
/* S -> S [B,H,Tq,Tk]: pairs hidden by the rule of section 5 become -infinity.  extra may be NULL. */
ATTEND_API attend_status attend_mask(attend_ctx *ctx, const attend_problem *problem, const attend_in *scores,
                                     const attend_extra *extra, const attend_out *masked);
/* S -> P [B,H,Tq,Tk], lse [B,H,Tq] (or NULL).  Of extra (or NULL) only the sinks matter. A row of
   -infinity alone gives weights 0. */
ATTEND_API attend_status attend_normalize(attend_ctx *ctx, const attend_problem *problem, const attend_in *masked,
                                          const attend_extra *extra, const attend_out *weights, const attend_out *lse);
/* P [B,H,Tq,Tk], v [B,G,Tk,E] -> o [B,H,Tq,E].  problem and extra (or NULL) say which values are hidden
   and so not read. */
ATTEND_API attend_status attend_combine(attend_ctx *ctx, const attend_problem *problem, const attend_in *weights,
                                        const attend_in *v, const attend_extra *extra, const attend_out *o);
/* y[b,t,c] = sum_h sum_e o[b,h,t,e] weight[c,h,e] + bias[c].
   o [B,H,T,E], weight [C,H,E], bias [C] or NULL -> y [B,T,C].  (Vaswani et al. 2017, section 3.2.2) */
ATTEND_API attend_status attend_merge(attend_ctx *ctx, const attend_in *o, const attend_in *weight,
                                      const attend_in *bias, const attend_out *y);

typedef struct attend_steps {              /* every intermediate; data NULL = not wanted            */
    uint32_t   struct_size;
    uint32_t   reserved;                   /* 0                                                     */
    attend_out compare;                    /* [B,H,Tq,Tk]                                           */
    attend_out scale;                      /* [B,H,Tq,Tk]                                           */
    attend_out mask;                       /* [B,H,Tq,Tk]                                           */
    attend_out normalize;                  /* [B,H,Tq,Tk]                                           */
    attend_out lse;                        /* [B,H,Tq]                                              */
    attend_out combine;                    /* [B,H,Tq,E]                                            */
} attend_steps;

static inline attend_steps attend_steps_init(void)
{ attend_steps s; memset(&s, 0, sizeof s); s.struct_size = (uint32_t)sizeof s; return s; }

/* The five stages from compare to combine in a row, tensors as in attend_forward: each stored in double
   before the next reads it, and written to steps; the same numbers as calling them one by one.  Memory: one
   row of each, per thread. */
ATTEND_API attend_status attend_chain(attend_ctx *ctx, const attend_problem *problem,
                                      const attend_in *q, const attend_in *k, const attend_in *v,
                                      const attend_extra *extra, const attend_steps *steps);

/* ==== 8. Cache and decode ==================================================================== */

/* Keys and values of one layer, growing as tokens come.  Each of the B batch rows has a length of its own. */
typedef struct attend_cache attend_cache;

/* HOW IT IS STORED.  f32, f16 and bf16: every element rounded once.  i8: every key and every value of every head
   gets a scale of its own, max|x| / 127 rounded to f32, and elements are whole numbers times it, so that each is off by
   at most max|x| / 253; a row that holds NaN or infinity becomes NaN.

   WHERE.  page 0: capacity keys of each batch row lie in one block, taken at once.  Else in pages of so many keys,
   which are taken as the rows grow and shared between them: what one gives back by attend_cache_truncate, another
   may get.  The results have the same bits. */
typedef struct attend_cache_config {
    uint32_t struct_size;
    uint32_t reserved;                     /* 0                                                     */
    int64_t  batch, kv_heads;              /* B, G                                                  */
    int64_t  head_width, value_width;      /* D, E; value_width 0 means D                           */
    int64_t  capacity;                     /* most keys of a batch row, 1 to 2^31 - 1               */
    int64_t  page;                         /* keys of a page, a multiple of 256; 0: no pages        */
    int32_t  key_dtype, value_dtype;       /* ATTEND_F32 (also spelled 0), F16, BF16 or I8          */
} attend_cache_config;

static inline attend_cache_config attend_cache_config_init(void)
{ attend_cache_config c; memset(&c, 0, sizeof c); c.struct_size = (uint32_t)sizeof c; return c; }

/* The cache takes memory from ctx, and only ctx may change it: destroy it before ctx.  On failure *cache is NULL. */
ATTEND_API attend_status attend_cache_create(attend_ctx *ctx, const attend_cache_config *config,
                                             attend_cache **cache);
ATTEND_API void          attend_cache_destroy(attend_cache *cache);
/* Copies k [B,G,T,D] and v [B,G,T,E], numbers of any type, to the end.  counts i32 [B] (NULL: T each) says how
   many of the T tokens batch row b really has, the first ones.  What does not fit (ATTEND_FULL, ATTEND_MEMORY) leaves
   the cache as it was. */
ATTEND_API attend_status attend_cache_append(attend_ctx *ctx, attend_cache *cache, const attend_in *k,
                                             const attend_in *v, const attend_in *counts);
/* Forgets the keys of batch row from `length` on; row -1: of every row.  No row may be shorter than that. */
ATTEND_API attend_status attend_cache_truncate(attend_ctx *ctx, attend_cache *cache, int64_t row, int64_t length);
/* Keys that batch row holds; -1 where there is no such row. */
ATTEND_API int64_t       attend_cache_length(const attend_cache *cache, int64_t row);
/* Borrowed views [B,G,n,D] and [B,G,n,E], n the longest length; either may be NULL. What lies past the length of
   a row means nothing. Valid until the cache changes.  ATTEND_UNSUPPORTED for pages, and for a view of i8. */
ATTEND_API attend_status attend_cache_view(attend_ctx *ctx, const attend_cache *cache, attend_in *k, attend_in *v);
/* attend_forward on the keys and values of the cache, with the same bits as on tensors that hold what it stores (i8:
   the same but for rounding, docs/numerics.md).  problem.keys and problem.query_offset must be 0, extra.key_count,
   query_starts and key_starts missing: the cache knows its keys, and the queries are the last tokens, so that query i of
   row b stands at position length(b) - Tq + i (or at i + extra.query_offsets[b]).  Tk of masks, biases and taps is the
   longest length.  Any context may do it, several at a time, while the cache does not change.  attend_reserve with
   keys at the capacity reserves for it. */
ATTEND_API attend_status attend_decode(attend_ctx *ctx, const attend_problem *problem, const attend_in *q,
                                       const attend_cache *cache, const attend_extra *extra, const attend_out *o,
                                       const attend_taps *taps);

#ifdef __cplusplus
}
#endif
#endif /* ATTEND_H */
