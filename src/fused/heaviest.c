/* heaviest.c - what every query says of its keys: the heaviest of them, and the weight of each kind of key.  Tasks and
   blocks are those of forward.c. */
#include <string.h>

#include "base/size.h"
#include "fused/look_pass.h"

enum {
    STEP = 32,     /* keys that are searched at once: then the limits rise */
    FORESEEN = 16, /* keys of a list whose limit can be foreseen           */
};

static int64_t kinds_of(const at_taps *taps) {
    return at_given_out(&taps->segment_mass) ? taps->segment_mass.shape[3] : 0;
}

static bool wants_top(const at_taps *taps) { return taps->top > 0 || at_given_out(&taps->top_rest); }

int64_t at_heaviest_tasks(const at_plan *plan, const at_taps *taps) {
    return wants_top(taps) || kinds_of(taps) > 0 ? plan->tasks : 0;
}

/* The tally of one block. */
typedef struct heaviest {
    double *mass;   /* (kinds, AT_LANES) */
    int64_t *index; /* (AT_LANES, n) heaviest first */
    at_real *score; /* (AT_LANES, n) */
    int64_t count[AT_LANES];
    at_real limit[AT_LANES]; /* what is not above it has no place in the list; -infinity: not known yet */
} heaviest;

static bool block_size(const at_taps *taps, size_t *size) {
    size_t kinds, tops;
    return at_size_mul((size_t)kinds_of(taps), AT_LANES * sizeof(double), &kinds) &&
           at_size_mul((size_t)taps->top, AT_LANES * (sizeof(int64_t) + sizeof(at_real)), &tops) &&
           at_size_add(kinds, tops, size) && at_size_add(*size, sizeof(heaviest), size);
}

bool at_heaviest_size(const at_plan *plan, const at_taps *taps, size_t *size) {
    *size = 0;
    return at_heaviest_tasks(plan, taps) == 0 ||
           (block_size(taps, size) && at_size_mul(*size, (size_t)plan->blocks, size));
}

/* The tallies of blocks 0 .. blocks-1: the structs, then their arrays. */
static heaviest *lay_out(const at_look *look, int32_t lane) {
    const at_taps *taps = look->work.call->taps;
    int32_t blocks = look->work.plan.blocks;
    heaviest *tally = at_look_tally(look, lane);
    double *mass = (double *)(void *)(tally + blocks);
    int64_t *index = (int64_t *)(void *)(mass + blocks * kinds_of(taps) * AT_LANES);
    at_real *score = (at_real *)(void *)(index + blocks * taps->top * AT_LANES);
    for (int32_t n = 0; n < blocks; n++) {
        tally[n].mass = mass + n * kinds_of(taps) * AT_LANES;
        tally[n].index = index + n * taps->top * AT_LANES;
        tally[n].score = score + n * taps->top * AT_LANES;
        memset(tally[n].mass, 0, sizeof(double) * AT_LANES * (size_t)kinds_of(taps));
        for (int32_t i = 0; i < AT_LANES; i++) {
            tally[n].count[i] = 0;
            tally[n].limit[i] = -INFINITY;
        }
    }
    return tally;
}

/* ---- the heaviest keys ---- */

/* Keys come in their order, so that of equal scores the lower key, which came first, stays in front.  The place is
   counted and not searched, since no branch could guess it. */
static void insert(heaviest *tally, int64_t top, int32_t i, at_real score, int64_t j) {
    at_real *list = tally->score + i * top, bounded = score > AT_SHIFT_NONE ? score : AT_SHIFT_NONE;
    int64_t *index = tally->index + i * top, count = tally->count[i], last = count < top ? count : top - 1;
    int32_t place = 0;
    if (!(bounded > tally->limit[i]))
        return;
    for (int64_t n = 0; n < count; n++)
        place += list[n] >= bounded;
    memmove(list + place + 1, list + place, sizeof *list * (size_t)(last - place));
    memmove(index + place + 1, index + place, sizeof *index * (size_t)(last - place));
    list[place] = bounded;
    index[place] = j;
    tally->count[i] = last + 1;
    if (last + 1 == top)
        tally->limit[i] = list[top - 1];
}

/* In a whole chunk, the highest scores of its sixteenths are sixteen scores: a list of no more has no place for what is
   below the least of them.  So there is a limit before the list is full. */
static void foresee_limits(const at_kernels *kernels, const at_block *block, const at_real *scores,
                           const uint64_t *seen, heaviest *tally) {
    enum { PART = AT_CHUNK / FORESEEN };
    _Alignas(64) at_real highest[AT_LANES], least[AT_LANES];
    for (int32_t i = 0; i < AT_LANES; i++)
        least[i] = INFINITY;
    for (int32_t n = 0; n < FORESEEN; n++) {
        kernels->highest(scores + n * PART * AT_LANES, block->rows, PART, seen == NULL ? NULL : seen + n * PART,
                         highest);
        for (int32_t i = 0; i < block->rows; i++)
            least[i] = highest[i] < least[i] ? highest[i] : least[i];
    }
    for (int32_t i = 0; i < block->rows; i++)
        if (tally->count[i] == 0 && least[i] > -INFINITY)
            tally->limit[i] = at_real_next(least[i], -INFINITY);
}

static void search(const at_kernels *kernels, const at_block *block, int64_t top, at_span span, const at_real *scores,
                   const uint64_t *seen, heaviest *tally) {
    uint64_t found[STEP];
    if (top <= FORESEEN && span.end - span.first == AT_CHUNK && tally->count[0] == 0)
        foresee_limits(kernels, block, scores, seen, tally);
    for (int64_t first = span.first; first < span.end; first += STEP) {
        int32_t count = (int32_t)(span.end - first < STEP ? span.end - first : STEP);
        int64_t line = first - span.first;
        kernels->above(scores + line * AT_LANES, block->rows, count, seen == NULL ? NULL : seen + line, tally->limit,
                       found);
        for (int32_t n = 0; n < count; n++)
            for (uint64_t rows = found[n]; rows != 0; rows &= rows - 1) {
                int32_t i = __builtin_ctzll(rows);
                insert(tally, top, i, scores[(line + n) * AT_LANES + i], first + n);
            }
    }
}

/* Entries n .. n+count-1 of every list, as weights in bench->scores. */
static void weigh_entries(const at_look *look, at_bench *bench, const at_block *block, const heaviest *tally, int64_t n,
                          int32_t count) {
    const at_plan *plan = &look->work.plan;
    int64_t top = look->work.call->taps->top;
    for (int32_t i = 0; i < block->rows; i++)
        for (int32_t k = 0; k < count; k++)
            bench->scores[k * AT_LANES + i] = n + k < tally->count[i] ? tally->score[i * top + n + k] : 0;
    plan->kernels->reweigh(bench->scores, block->rows, count, NULL, plan->factor, &block->final);
}

/* A row that holds NaN says so instead of naming keys: there is no order among them. */
static double write_entry(const at_taps *taps, const at_query *at, int64_t n, bool broken, int64_t index,
                          at_real weight) {
    double shown = broken ? (double)NAN : index < 0 ? 0 : (double)weight;
    if (at_given_out(&taps->top_index))
        at_set(&taps->top_index, at->b, at->h, at->i, n, (double)(broken ? -1 : index));
    if (at_given_out(&taps->top_weight))
        at_set(&taps->top_weight, at->b, at->h, at->i, n, shown);
    return shown;
}

static void write_top(const at_look *look, at_bench *bench, const at_block *block, const heaviest *tally) {
    const at_taps *taps = look->work.call->taps;
    double rest[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++)
        rest[i] = 1;
    for (int64_t n = 0; n < taps->top; n += AT_CHUNK) {
        int32_t count = (int32_t)(taps->top - n < AT_CHUNK ? taps->top - n : AT_CHUNK);
        weigh_entries(look, bench, block, tally, n, count);
        for (int32_t i = 0; i < block->rows; i++)
            for (int32_t k = 0; k < count; k++)
                rest[i] -= write_entry(taps, &block->query[i], n + k, isnan(block->final.inverse[i]),
                                       n + k < tally->count[i] ? tally->index[i * taps->top + n + k] : -1,
                                       bench->scores[k * AT_LANES + i]);
    }
    for (int32_t i = 0; at_given_out(&taps->top_rest) && i < block->rows; i++) {
        const at_query *at = &block->query[i];
        double shown = isnan(block->final.inverse[i]) ? (double)NAN : block->final.inverse[i] == 0 ? 0 : rest[i];
        at_set(&taps->top_rest, at->b, at->h, at->i, 0, shown);
    }
}

/* ---- the kinds of keys ---- */

static int32_t kind_of(const at_taps *taps, int64_t j) {
    return ((const int32_t *)taps->segments.data)[j * taps->segments.stride[0]];
}

/* Keys of one kind that follow each other in a chunk are summed in floats, and these sums in double. */
static void sort_by_kind(const at_kernels *kernels, const at_taps *taps, const at_block *block, at_span span,
                         const at_real *weights, heaviest *tally) {
    _Alignas(64) at_real sum[AT_LANES], unused[AT_LANES];
    for (int64_t first = span.first, end; first < span.end; first = end) {
        int32_t kind = kind_of(taps, first);
        for (end = first + 1; end < span.end && kind_of(taps, end) == kind; end++)
            ;
        kernels->pool(weights + (first - span.first) * AT_LANES, block->rows, (int32_t)(end - first), sum, unused);
        for (int32_t i = 0; i < block->rows; i++)
            tally->mass[(int64_t)kind * AT_LANES + i] += (double)sum[i];
    }
}

static void write_mass(const at_taps *taps, const at_block *block, const heaviest *tally) {
    for (int32_t i = 0; i < block->rows; i++)
        for (int64_t n = 0; n < kinds_of(taps); n++)
            at_set(&taps->segment_mass, block->query[i].b, block->query[i].h, block->query[i].i, n,
                   tally->mass[n * AT_LANES + i]);
}

/* ---- the task ---- */

static void meet(const at_look *look, at_bench *bench, at_block *block, at_span chunk, at_panel keys, heaviest *tally) {
    const at_fused *call = look->work.call;
    const at_plan *plan = &look->work.plan;
    at_span span = at_block_sees(block, chunk, &keys);
    if (span.first >= span.end)
        return;
    int32_t count = (int32_t)(span.end - span.first);
    const uint64_t *seen = at_see(call->problem, block->query, block->rows, span, bench->seen);
    if (!at_seen_by_some(seen, block->rows, span))
        return;
    at_block_scores(call, plan, bench, block, span, keys, seen);
    if (call->taps->top > 0)
        search(plan->kernels, block, call->taps->top, span, bench->scores, seen, tally);
    if (kinds_of(call->taps) == 0)
        return;
    plan->kernels->reweigh(bench->scores, block->rows, count, seen, plan->factor, &block->final);
    sort_by_kind(plan->kernels, call->taps, block, span, bench->scores, tally);
}

void at_heaviest_run(void *opaque, int64_t index, int32_t lane) {
    const at_look *look = opaque;
    const at_fused *call = look->work.call;
    at_task task = at_task_of(&look->work, index);
    at_bench *bench = at_bench_of(&look->work, lane);
    heaviest *tally = lay_out(look, lane);
    at_span keys;
    int32_t blocks = at_task_begin(&look->work, bench, &task, &keys);
    for (int32_t n = 0; n < blocks; n++)
        at_look_settle(call, &look->work.plan, &bench->blocks[n]);
    for (int64_t j = keys.first - keys.first % AT_CHUNK; j < keys.end;) {
        at_span chunk = {j, j + AT_CHUNK < keys.end ? j + AT_CHUNK : keys.end};
        at_panel k = at_block_keys(call, &look->work.plan, bench, task.b, task.g, chunk);
        for (int32_t n = 0; n < blocks; n++)
            meet(look, bench, &bench->blocks[n], chunk, k, &tally[n]);
        j = chunk.end;
    }
    for (int32_t n = 0; n < blocks; n++) {
        if (wants_top(call->taps))
            write_top(look, bench, &bench->blocks[n], &tally[n]);
        if (kinds_of(call->taps) > 0)
            write_mass(call->taps, &bench->blocks[n], &tally[n]);
    }
}
