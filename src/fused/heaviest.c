/* heaviest.c - what every query says of its keys: the heaviest of them, and the weight of each kind of key.  Tasks and
   blocks are those of forward.c. */
#include <string.h>

#include "base/size.h"
#include "fused/look_pass.h"

enum { FORESEEN = 32 }; /* the longest list whose limit can be foreseen */

static int64_t kinds_of(const at_taps *taps) {
    return at_given_out(&taps->segment_mass) ? taps->segment_mass.shape[3] : 0;
}

static bool wants_top(const at_taps *taps) { return taps->top > 0 || at_given_out(&taps->top_rest); }

int64_t at_heaviest_tasks(const at_plan *plan, const at_taps *taps) {
    return wants_top(taps) || kinds_of(taps) > 0 ? plan->tasks : 0;
}

/* The tally of one block.  A number of a key is stored as bits of an at_real. */
typedef struct heaviest {
    _Alignas(64) at_real limit[AT_LANES]; /* what is not above it has no place in the list; -infinity: not known yet */
    at_real *score;                       /* (n, AT_LANES) highest first, -infinity past the last */
    at_real *key;                         /* (n, AT_LANES) -1 there */
    bool begun;                           /* whether a chunk has been searched */
    double *mass;                         /* (kinds, AT_LANES) */
} heaviest;

/* What a thread has.  Scores above their limit wait until their chunk is searched: column i for row i, each as long as
   it happens to be, and -infinity below. */
typedef struct tallies {
    heaviest block[AT_BLOCKS_MAX];
    int32_t waiting[AT_LANES];
    _Alignas(64) at_real score[AT_CHUNK * AT_LANES]; /* (AT_CHUNK, AT_LANES) */
    at_real key[AT_CHUNK * AT_LANES];                /* (AT_CHUNK, AT_LANES) */
} tallies;

static bool block_size(const at_taps *taps, size_t *size) {
    size_t kinds, tops;
    return at_size_mul((size_t)kinds_of(taps), AT_LANES * sizeof(double), &kinds) &&
           at_size_mul((size_t)taps->top, 2 * AT_LANES * sizeof(at_real), &tops) && at_size_add(kinds, tops, size);
}

bool at_heaviest_size(const at_plan *plan, const at_taps *taps, size_t *size) {
    *size = 0;
    return at_heaviest_tasks(plan, taps) == 0 ||
           (block_size(taps, size) && at_size_mul(*size, (size_t)plan->blocks, size) &&
            at_size_add(*size, sizeof(tallies), size));
}

static void fill(at_real *values, int64_t count, at_real value) {
    for (int64_t n = 0; n < count; n++)
        values[n] = value;
}

static at_real bits_of(int32_t key) {
    at_real bits = 0;
    memcpy(&bits, &key, sizeof key);
    return bits;
}

static int32_t key_of(at_real bits) {
    int32_t key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

static void clear_list(heaviest *tally, int64_t top) {
    fill(tally->score, top * AT_LANES, -INFINITY);
    fill(tally->key, top * AT_LANES, bits_of(-1));
}

/* The tallies with their arrays behind them, with nothing in them. */
static tallies *begin_tallies(const at_look *look, int32_t lane) {
    const at_taps *taps = look->work.call->taps;
    tallies *all = at_look_tally(look, lane);
    int64_t kinds = kinds_of(taps) * AT_LANES, tops = taps->top * AT_LANES;
    char *next = (char *)(all + 1);
    for (int32_t n = 0; n < look->work.plan.blocks; n++) {
        heaviest *tally = &all->block[n];
        tally->score = (at_real *)(void *)next;
        tally->key = tally->score + tops;
        tally->mass = (double *)(void *)(tally->key + tops);
        next = (char *)(tally->mass + kinds);
        clear_list(tally, taps->top);
        fill(tally->limit, AT_LANES, -INFINITY);
        tally->begun = false;
        memset(tally->mass, 0, sizeof *tally->mass * (size_t)kinds);
    }
    memset(all->waiting, 0, sizeof all->waiting);
    fill(all->score, taps->top > 0 ? AT_CHUNK * AT_LANES : 0, -INFINITY);
    return all;
}

/* ---- the heaviest keys ---- */

/* The highest scores of parts of a chunk are scores too: a list that is no longer than they are many has no place for
   what is below the last of the highest.  So there is a limit before the list is full. */
static void foresee_limits(const at_kernels *kernels, const at_block *block, int64_t top, int32_t count,
                           const at_real *scores, const uint64_t *seen, heaviest *tally) {
    _Alignas(64) at_real highest[FORESEEN * AT_LANES]; /* (FORESEEN, AT_LANES) */
    int32_t part = count / FORESEEN;
    for (int32_t n = 0; n < FORESEEN; n++)
        kernels->highest(scores + n * part * AT_LANES, block->rows, part, seen == NULL ? NULL : seen + n * part,
                         highest + n * AT_LANES);
    kernels->enlist(highest, highest, block->rows, FORESEEN, top, tally->score, tally->key);
    for (int32_t i = 0; i < block->rows; i++)
        tally->limit[i] = at_real_next(tally->score[(top - 1) * AT_LANES + i], -INFINITY);
    clear_list(tally, top);
}

/* Those that wait go into the lists, and the limits rise. */
static void enlist(const at_kernels *kernels, int32_t rows, int64_t top, tallies *all, heaviest *tally) {
    int32_t most = 0;
    for (int32_t i = 0; i < AT_LANES; i++)
        most = all->waiting[i] > most ? all->waiting[i] : most;
    if (most == 0)
        return;
    kernels->enlist(all->score, all->key, rows, most, top, tally->score, tally->key);
    memcpy(tally->limit, tally->score + (top - 1) * AT_LANES, sizeof tally->limit);
    fill(all->score, most * AT_LANES, -INFINITY);
    memset(all->waiting, 0, sizeof all->waiting);
}

/* Keys come in their order, so that of equal scores the lower key, which came first, stays in front. */
static void search(const at_kernels *kernels, const at_block *block, int64_t top, at_span span, const at_real *scores,
                   const uint64_t *seen, tallies *all, heaviest *tally) {
    uint64_t found[AT_CHUNK];
    int32_t count = (int32_t)(span.end - span.first);
    if (top <= FORESEEN && count >= 2 * FORESEEN && !tally->begun)
        foresee_limits(kernels, block, top, count, scores, seen, tally);
    tally->begun = true;
    kernels->above(scores, block->rows, count, seen, tally->limit, found);
    for (int32_t j = 0; j < count; j++)
        for (uint64_t rows = found[j]; rows != 0; rows &= rows - 1) {
            int32_t i = __builtin_ctzll(rows), place = all->waiting[i]++ * AT_LANES + i;
            at_real score = scores[j * AT_LANES + i];
            all->score[place] = score > AT_SHIFT_NONE ? score : AT_SHIFT_NONE;
            all->key[place] = bits_of((int32_t)(span.first + j));
        }
    enlist(kernels, block->rows, top, all, tally);
}

/* Entries n .. n+count-1 of row i, whose weights are in bench->scores; returns what they leave of rest.  A row that
   holds NaN says so instead of naming keys: there is no order among them. */
static double write_entries(const at_taps *taps, const at_bench *bench, const at_block *block, const heaviest *tally,
                            int32_t i, int64_t n, int32_t count, double rest) {
    double index[AT_CHUNK], weight[AT_CHUNK];
    const at_query *at = &block->query[i];
    bool broken = isnan(block->final.inverse[i]);
    for (int32_t k = 0; k < count; k++) {
        int32_t key = broken ? -1 : key_of(tally->key[(n + k) * AT_LANES + i]);
        index[k] = (double)key;
        weight[k] = broken ? (double)NAN : key < 0 ? 0 : (double)bench->scores[k * AT_LANES + i];
        rest -= weight[k];
    }
    if (at_given_out(&taps->top_index))
        at_set_part(&taps->top_index, at->b, at->h, at->i, n, count, index);
    if (at_given_out(&taps->top_weight))
        at_set_part(&taps->top_weight, at->b, at->h, at->i, n, count, weight);
    return rest;
}

static void write_top(const at_look *look, at_bench *bench, const at_block *block, const heaviest *tally) {
    const at_plan *plan = &look->work.plan;
    const at_taps *taps = look->work.call->taps;
    double rest[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++)
        rest[i] = 1;
    for (int64_t n = 0; n < taps->top; n += AT_CHUNK) {
        int32_t count = (int32_t)(taps->top - n < AT_CHUNK ? taps->top - n : AT_CHUNK);
        memcpy(bench->scores, tally->score + n * AT_LANES, sizeof(at_real) * AT_LANES * (size_t)count);
        plan->kernels->reweigh(bench->scores, block->rows, count, NULL, plan->factor, &block->final);
        for (int32_t i = 0; i < block->rows; i++)
            rest[i] = write_entries(taps, bench, block, tally, i, n, count, rest[i]);
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
                         at_real *weights, heaviest *tally) {
    int32_t end[AT_CHUNK], kind[AT_CHUNK], lines = 0;
    int64_t j = span.first;
    do {
        kind[lines] = kind_of(taps, j);
        while (++j < span.end && kind_of(taps, j) == kind[lines])
            ;
        end[lines++] = (int32_t)(j - span.first);
    } while (j < span.end);
    kernels->pool(weights, block->rows, end, lines, weights, NULL);
    for (int32_t n = 0; n < lines; n++)
        for (int32_t i = 0; i < block->rows; i++)
            tally->mass[(int64_t)kind[n] * AT_LANES + i] += (double)weights[n * AT_LANES + i];
}

static void write_mass(const at_taps *taps, const at_block *block, const heaviest *tally) {
    for (int32_t i = 0; i < block->rows; i++)
        for (int64_t n = 0; n < kinds_of(taps); n++)
            at_set(&taps->segment_mass, block->query[i].b, block->query[i].h, block->query[i].i, n,
                   tally->mass[n * AT_LANES + i]);
}

/* ---- the task ---- */

static void meet(const at_look *look, at_bench *bench, at_block *block, at_span chunk, at_panel keys, tallies *all,
                 heaviest *tally) {
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
        search(plan->kernels, block, call->taps->top, span, bench->scores, seen, all, tally);
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
    tallies *all = begin_tallies(look, lane);
    at_span keys;
    int32_t blocks = at_task_begin(&look->work, bench, &task, &keys);
    for (int32_t n = 0; n < blocks; n++)
        at_look_settle(call, &look->work.plan, &bench->blocks[n]);
    for (int64_t j = keys.first - keys.first % AT_CHUNK; j < keys.end;) {
        at_span chunk = {j, j + AT_CHUNK < keys.end ? j + AT_CHUNK : keys.end};
        at_panel k = at_block_keys(call, &look->work.plan, bench, task.b, task.g, chunk);
        for (int32_t n = 0; n < blocks; n++)
            meet(look, bench, &bench->blocks[n], chunk, k, all, &all->block[n]);
        j = chunk.end;
    }
    for (int32_t n = 0; n < blocks; n++) {
        if (wants_top(call->taps))
            write_top(look, bench, &bench->blocks[n], &all->block[n]);
        if (kinds_of(call->taps) > 0)
            write_mass(call->taps, &bench->blocks[n], &all->block[n]);
    }
}
