/* Attention without the grid.

   Rows go over their keys chunk by chunk and keep three things: the shift M, the sum l, and the output o that is not
   yet divided by l.  This is the algorithm of Dao et al., "FlashAttention" (2022), section 3.1, on the online
   normalizer of Milakov and Gimelshein (2018), section 3, with the division left to the end as in Dao,
   "FlashAttention-2" (2023), section 3.1.

   Chunks begin at multiples of AT_CHUNK from the first key of the sequence, whatever the call; inside a chunk the
   order is fixed by kernel.h.  So the bits of a row do not depend on the rows beside it, nor on threads. */
#include <string.h>

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/size.h"
#include "fused/look_pass.h"
#include "kernel/select.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Queries of a task that are neighbours in one sequence, and where the keys of that sequence begin. */
typedef struct piece {
    at_task task;
    int64_t key_start;
} piece;

/* Cuts the queries where the blocks of a bench do, and where the sequence of a packed batch ends. */
static piece piece_of(const at_problem *problem, const at_plan *plan, const at_task *task) {
    piece part = {*task, 0};
    part.task.queries.end = smaller(task->queries.first + (int64_t)plan->queries * plan->blocks, task->queries.end);
    if (at_given_in(&problem->query_starts)) {
        int64_t s = at_sequence_of(problem, task->queries.first);
        part.task.queries.end = smaller(at_entry(&problem->query_starts, s + 1, 0), part.task.queries.end);
        part.key_start = at_entry(&problem->key_starts, s, 0);
    }
    return part;
}

int32_t at_task_begin(const at_forward_work *work, at_bench *bench, const at_task *task, at_span *keys) {
    int32_t count = 0;
    keys->first = INT64_MAX, keys->end = INT64_MIN;
    for (int64_t i = task->queries.first; i < task->queries.end; i += work->plan.queries) {
        at_block *block = &bench->blocks[count++];
        at_span queries = {i, smaller(i + work->plan.queries, task->queries.end)};
        at_block_begin(work->call, &work->plan, bench, block, &task->heads, &queries, task->b);
        keys->first = smaller(block->span.first, keys->first);
        keys->end = block->span.end > keys->end ? block->span.end : keys->end;
    }
    return count;
}

static void run_piece(const at_forward_work *work, at_bench *bench, const piece *part, int32_t lane) {
    const at_fused *call = work->call;
    const at_task *task = &part->task;
    at_span keys;
    int32_t blocks = at_task_begin(work, bench, task, &keys);
    for (int64_t j = keys.first - (keys.first - part->key_start) % AT_GROUP; j < keys.end;) { /* whole groups */
        int64_t chunk_end = j + AT_CHUNK - (j - part->key_start) % AT_CHUNK;
        at_span chunk = {j, smaller(chunk_end, keys.end)};
        at_panel k = at_block_keys(call, &work->plan, bench, task->b, task->g, chunk);
        at_panel v = at_block_values(call, &work->plan, bench, task->b, task->g, chunk);
        for (int32_t n = 0; n < blocks; n++)
            at_block_step(call, &work->plan, bench, &bench->blocks[n], chunk, k, v);
        j = chunk.end;
    }
    for (int32_t n = 0; n < blocks; n++) {
        at_block_end(call, &work->plan, bench, &bench->blocks[n]);
        if (work->plan.keeps)
            at_received_add(work, &bench->blocks[n], lane);
    }
}

/* Task index: batch row, key head, heads of its group, queries; the last queries first, since with a causal limit
   they see the most keys, and long tasks should not be left for the end. */
at_task at_task_of(const at_forward_work *work, int64_t index) {
    const at_problem *problem = work->call->problem;
    const at_plan *plan = &work->plan;
    int64_t query_task = plan->query_tasks - 1 - index % plan->query_tasks, rest = index / plan->query_tasks;
    int64_t head_task = rest % plan->head_tasks, g = rest / plan->head_tasks % problem->kv_heads;
    at_task task = {rest / plan->head_tasks / problem->kv_heads, g, {0, 0}, {query_task * plan->task_queries, 0}};
    task.heads.first = g * problem->group + head_task * plan->heads;
    task.heads.end = smaller(task.heads.first + plan->heads, (g + 1) * problem->group);
    task.queries.end = smaller(task.queries.first + plan->task_queries, problem->queries);
    return task;
}

static void run_task(void *opaque, int64_t index, int32_t lane) {
    const at_forward_work *work = opaque;
    at_task task = at_task_of(work, index);
    if (work->plan.keeps)
        at_received_begin(work, task.b * work->call->problem->heads + task.heads.first, lane);
    at_bench *bench = at_bench_of(work, lane);
    while (task.queries.first < task.queries.end) {
        piece part = piece_of(work->call->problem, &work->plan, &task);
        run_piece(work, bench, &part, lane);
        task.queries.first = part.task.queries.end;
    }
    if (work->plan.keeps)
        at_received_end(work, lane);
}

at_bench *at_bench_of(const at_forward_work *work, int32_t lane) {
    return at_bench_lay_out(work->call, &work->plan, work->scratch + (size_t)lane * work->lane_size);
}

void *at_tally_of(const at_forward_work *work, int32_t lane) {
    return work->scratch + (size_t)lane * work->lane_size + work->tally_place;
}

static bool measure_lane(at_forward_work *work) {
    const at_problem *problem = work->call->problem;
    size_t received;
    work->ranges = work->plan.keeps ? 1 : 0;
    work->range_keys = problem->keys;
    return at_bench_size(work->call, &work->plan, &work->tally_place) &&
           at_received_size(problem, work->call->taps, false, work, &received) &&
           at_size_add(work->tally_place, received, &work->lane_size);
}

static attend_status measure_work(attend_ctx *ctx, at_forward_work *work, size_t *bytes) {
    const at_problem *problem = work->call->problem;
    size_t parts = 0, lanes = (size_t)at_parallel_lanes(ctx, work->plan.tasks * work->plan.splits);
    if (!measure_lane(work) || !at_size_mul(work->lane_size, lanes, &work->parts_place) ||
        !at_decode_size(work, &parts) || !at_size_add(work->parts_place, parts, bytes))
        return at_fail(ctx, ATTEND_TOO_LARGE,
                       "scratch for head_width %lld, value_width %lld and taps of %lld heaviest keys does not fit",
                       (long long)problem->head_width, (long long)problem->value_width,
                       (long long)work->call->taps->top);
    return ATTEND_OK;
}

/* Scratch of a call: the states of its rows where it will look, then what forward and look need one after the other. */
typedef struct needs {
    size_t states, work, look, all;
} needs;

static attend_status measure_all(attend_ctx *ctx, at_forward_work *work, bool converts, at_forward_work *look,
                                 needs *bytes) {
    bool looks = at_look_wanted(work->call->taps, &work->plan);
    memset(bytes, 0, sizeof *bytes);
    AT_TRY(measure_work(ctx, work, &bytes->work));
    if (looks && !at_look_states_size(work->call->problem, &bytes->states))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch for %lld queries of %lld heads does not fit",
                       (long long)work->call->problem->queries, (long long)work->call->problem->heads);
    if (looks)
        AT_TRY(at_look_measure(ctx, work->call, &work->plan, converts, look, &bytes->look));
    if (!at_size_add(bytes->states, bytes->work > bytes->look ? bytes->work : bytes->look, &bytes->all))
        return at_fail(ctx, ATTEND_TOO_LARGE, "scratch of %zu bytes and as much again does not fit", bytes->states);
    return ATTEND_OK;
}

static attend_status most_scratch(attend_ctx *ctx, const at_problem *problem, const at_taps *taps, size_t *bytes) {
    at_fused call = {.problem = problem, .taps = taps};
    at_forward_work work = {.call = &call}, look;
    needs needed;
    *bytes = 0;
    for (int keeping = 0; keeping < 2; keeping++) {
        at_plan_make_largest(&call, ctx->threads, keeping, &work.plan);
        AT_TRY(measure_all(ctx, &work, true, &look, &needed));
        *bytes = needed.all > *bytes ? needed.all : *bytes;
    }
    return ATTEND_OK;
}

static attend_status forward(attend_ctx *ctx, const at_fused *call) {
    at_fused mine = *call;
    at_forward_work work = {.call = &mine}, look;
    needs bytes;
    void *scratch;
    at_plan_make(call, ctx->isa, ctx->threads, &work.plan);
    AT_TRY(measure_all(ctx, &work, !at_panel_in_place(call->k), &look, &bytes));
    AT_TRY(at_memory_scratch(ctx, bytes.all, &scratch));
    work.scratch = look.scratch = (char *)scratch + bytes.states;
    if (bytes.states > 0)
        mine.states = scratch;
    if ((call->lse == NULL || work.plan.tallies) && work.plan.tasks > 0) {
        if (work.plan.splits > 1)
            AT_TRY(at_decode(ctx, &work));
        else
            AT_TRY(at_parallel(ctx, run_task, &work, work.plan.tasks));
    }
    return bytes.look > 0 ? at_look_run(ctx, &look) : ATTEND_OK;
}

#ifdef AT_DOUBLE
const at_fast at_fast_f64 = {at_plan_refusal, forward, most_scratch, at_plan_explain};
#else
const at_fast at_fast_f32 = {at_plan_refusal, forward, most_scratch, at_plan_explain};
#endif
