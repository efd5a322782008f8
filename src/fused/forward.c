/* Attention without the grid.

   Rows go over their keys chunk by chunk and keep three things: the shift M, the sum l, and the output o that is not
   yet divided by l.  This is the algorithm of Dao et al., "FlashAttention" (2022), section 3.1, on the online
   normalizer of Milakov and Gimelshein (2018), section 3, with the division left to the end as in Dao,
   "FlashAttention-2" (2023), section 3.1.

   Chunks begin at multiples of AT_CHUNK from the first key of the sequence, whatever the call; inside a chunk the
   order is fixed by kernel.h.  So the bits of a row do not depend on the rows beside it, nor on threads. */
#include "fused/forward.h"

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"
#include "fused/block.h"

typedef struct forward_work {
    const at_fused *call;
    at_plan         plan;
    char           *scratch;
    size_t          lane_size;
} forward_work;

/* Queries that are neighbours in one sequence, and the keys of that sequence. */
typedef struct piece {
    int64_t b, g;
    at_span heads, queries;
    int64_t key_start;
} piece;

/* Cuts [first, end) where the sequence of a packed batch ends. */
static piece piece_of(const at_problem *problem, int64_t b, int64_t g, at_span heads, at_span queries) {
    piece part = {b, g, heads, queries, 0};
    if (at_given_in(&problem->query_starts)) {
        int64_t s = at_sequence_of(problem, queries.first);
        int64_t sequence_end = at_entry(&problem->query_starts, s + 1, queries.end);
        part.queries.end = sequence_end < queries.end ? sequence_end : queries.end;
        part.key_start = at_entry(&problem->key_starts, s, 0);
    }
    return part;
}

/* Begins the blocks of a piece; returns how many, and the keys that any of them may see. */
static int32_t begin_blocks(const forward_work *work, at_bench *bench, const piece *part, at_span *keys) {
    int32_t count = 0;
    keys->first = INT64_MAX, keys->end = INT64_MIN;
    for (int64_t i = part->queries.first; i < part->queries.end; i += work->plan.queries) {
        at_block *block = &bench->blocks[count++];
        at_span queries = {i, i + work->plan.queries < part->queries.end ? i + work->plan.queries : part->queries.end};
        at_block_begin(work->call, &work->plan, bench, block, &part->heads, &queries, part->b);
        keys->first = block->span.first < keys->first ? block->span.first : keys->first;
        keys->end = block->span.end > keys->end ? block->span.end : keys->end;
    }
    return count;
}

static void run_piece(const forward_work *work, at_bench *bench, const piece *part) {
    const at_fused *call = work->call;
    at_span keys;
    int32_t blocks = begin_blocks(work, bench, part, &keys);
    for (int64_t j = keys.first; j < keys.end;) {
        int64_t chunk_end = j + AT_CHUNK - (j - part->key_start) % AT_CHUNK;
        at_span chunk = {j, chunk_end < keys.end ? chunk_end : keys.end};
        at_panel k = at_panel_of(call->k, part->b, part->g, chunk.first, chunk.end - chunk.first, bench->keys);
        at_panel v = at_panel_of(call->v, part->b, part->g, chunk.first, chunk.end - chunk.first, bench->values);
        for (int32_t n = 0; n < blocks; n++)
            at_block_step(call, &work->plan, bench, &bench->blocks[n], chunk, k, v);
        j = chunk.end;
    }
    for (int32_t n = 0; n < blocks; n++)
        at_block_end(call, &work->plan, bench, &bench->blocks[n]);
}

/* Task index: batch row, key head, heads of its group, queries; the last queries first, since with a causal limit
   they see the most keys, and long tasks should not be left for the end. */
static void run_task(void *opaque, int64_t index, int32_t lane) {
    const forward_work *work = opaque;
    const at_problem *problem = work->call->problem;
    const at_plan *plan = &work->plan;
    int64_t queries_of_task = (int64_t)plan->queries * plan->blocks;
    int64_t query_task = plan->query_tasks - 1 - index % plan->query_tasks, rest = index / plan->query_tasks;
    int64_t head_task = rest % plan->head_tasks, g = rest / plan->head_tasks % problem->kv_heads;
    int64_t b = rest / plan->head_tasks / problem->kv_heads;
    at_span heads = {g * problem->group + head_task * plan->heads, g * problem->group + (head_task + 1) * plan->heads};
    at_span queries = {query_task * queries_of_task, (query_task + 1) * queries_of_task};
    at_bench *bench = at_bench_lay_out(problem, plan, work->scratch + (size_t)lane * work->lane_size);
    heads.end = heads.end < (g + 1) * problem->group ? heads.end : (g + 1) * problem->group;
    queries.end = queries.end < problem->queries ? queries.end : problem->queries;
    while (queries.first < queries.end) {
        piece part = piece_of(problem, b, g, heads, queries);
        run_piece(work, bench, &part);
        queries.first = part.queries.end;
    }
}

static attend_status measure(attend_ctx *ctx, const at_problem *problem, const at_plan *plan, size_t *lane_size,
                             size_t *bytes) {
    size_t lanes = (size_t)at_parallel_lanes(ctx, plan->tasks);
    if (!at_bench_size(problem, plan, lane_size) || !at_size_mul(*lane_size, lanes, bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for head_width %lld and value_width %lld does not fit",
                       (long long)problem->head_width, (long long)problem->value_width);
    return ATTEND_OK;
}

attend_status at_forward_scratch(attend_ctx *ctx, const at_problem *problem, size_t *bytes) {
    at_plan plan;
    size_t lane_size;
    at_plan_make_largest(problem, &plan);
    return measure(ctx, problem, &plan, &lane_size, bytes);
}

attend_status at_forward(attend_ctx *ctx, const at_fused *call, const at_kernels *kernels) {
    forward_work work = {.call = call};
    size_t bytes = 0;
    void *scratch;
    at_plan_make(call, kernels, &work.plan);
    AT_TRY(measure(ctx, call->problem, &work.plan, &work.lane_size, &bytes));
    if (work.plan.tasks == 0)
        return ATTEND_OK;
    AT_TRY(at_memory_scratch(ctx, bytes, &scratch));
    work.scratch = scratch;
    return at_parallel(ctx, run_task, &work, work.plan.tasks);
}
