#include "fused/decode.h"

#include <string.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/size.h"

enum { KEPT = 5 }; /* of the rows' state: shift, sum, highest, others, distance */

bool at_decode_size(at_forward_work *work, size_t *size) {
    const at_plan *plan = &work->plan;
    size_t rows = (size_t)plan->heads * (size_t)plan->queries;
    *size = 0;
    if (plan->splits == 1)
        return true;
    return at_size_add((size_t)work->call->problem->value_width, KEPT, size) && at_size_mul(*size, rows, size) &&
           at_size_mul(*size, sizeof(at_real), &work->part_size) &&
           at_size_mul(work->part_size, (size_t)plan->chunks, size) && at_size_mul(*size, (size_t)plan->tasks, size) &&
           (work->part_size /= sizeof(at_real)) > 0;
}

static at_real *part_of(const at_forward_work *work, int64_t task, int64_t chunk) {
    at_real *parts = (at_real *)(void *)(work->scratch + work->parts_place);
    return parts + (size_t)(task * work->plan.chunks + chunk) * work->part_size;
}

static void keep_part(const at_block *block, int64_t width, at_real *part) {
    const at_rows *state = &block->state;
    const at_real *kept[KEPT] = {state->shift, state->sum, state->highest, state->others, state->distance};
    size_t rows = (size_t)block->rows, size = rows * sizeof *part;
    for (size_t n = 0; n < KEPT; n++)
        memcpy(part + n * rows, kept[n], size);
    for (int64_t e = 0; e < width; e++)
        memcpy(part + (KEPT + (size_t)e) * rows, block->output + e * AT_LANES, size);
}

static void fold_part(const at_forward_work *work, at_bench *bench, at_block *block, const at_real *part) {
    const at_kernels *kernels = work->plan.kernels;
    at_rows *chunk = &bench->chunk;
    at_real *const kept[KEPT] = {chunk->shift, chunk->sum, chunk->highest, chunk->others, chunk->distance};
    size_t rows = (size_t)block->rows, size = rows * sizeof *part;
    for (size_t n = 0; n < KEPT; n++)
        memcpy(kept[n], part + n * rows, size);
    if (at_given_out(&work->call->taps->entropy))
        kernels->fold_spread(&block->state, chunk, block->rows);
    kernels->fold(&block->state, chunk, block->rows, bench->keep, bench->take);
    kernels->accumulate(part + KEPT * rows, block->rows, block->rows, work->call->problem->value_width, bench->keep,
                        bench->take, block->output);
}

static at_block *begin_block(const at_forward_work *work, at_bench *bench, const at_task *task) {
    at_block_begin(work->call, &work->plan, bench, &bench->blocks[0], &task->heads, &task->queries, task->b);
    return &bench->blocks[0];
}

/* Part index % splits of the chunks of task index / splits, each from a fresh start. */
static void run_part(void *opaque, int64_t index, int32_t lane) {
    const at_forward_work *work = opaque;
    const at_plan *plan = &work->plan;
    int64_t task_index = index / plan->splits, split = index % plan->splits;
    at_task task = at_task_of(work, task_index);
    at_bench *bench = at_bench_of(work, lane);
    at_block *block = begin_block(work, bench, &task);
    for (int64_t c = split * plan->chunks / plan->splits; c < (split + 1) * plan->chunks / plan->splits; c++) {
        at_span chunk = {c * AT_CHUNK, (c + 1) * AT_CHUNK};
        chunk.end = chunk.end < block->span.end ? chunk.end : block->span.end;
        if (chunk.first >= block->span.end || chunk.end <= block->span.first)
            continue;
        at_panel k = at_block_keys(work->call, plan, bench, task.b, task.g, chunk);
        at_panel v = at_block_values(work->call, plan, bench, task.b, task.g, chunk);
        at_block_clear(work->call->problem, block);
        at_block_step(work->call, plan, bench, block, chunk, k, v);
        keep_part(block, work->call->problem->value_width, part_of(work, task_index, c));
    }
}

static void run_fold(void *opaque, int64_t index, int32_t lane) {
    const at_forward_work *work = opaque;
    at_task task = at_task_of(work, index);
    at_bench *bench = at_bench_of(work, lane);
    at_block *block = begin_block(work, bench, &task);
    for (int64_t c = 0; c < work->plan.chunks; c++)
        if (c * AT_CHUNK < block->span.end && (c + 1) * AT_CHUNK > block->span.first)
            fold_part(work, bench, block, part_of(work, index, c));
    at_block_end(work->call, &work->plan, bench, block);
}

attend_status at_decode(attend_ctx *ctx, const at_forward_work *work) {
    at_forward_work copy = *work;
    AT_TRY(at_parallel(ctx, run_part, &copy, work->plan.tasks * work->plan.splits));
    return at_parallel(ctx, run_fold, &copy, work->plan.tasks);
}
