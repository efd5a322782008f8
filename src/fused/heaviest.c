#include "fused/heaviest.h"

#include <string.h>

#include "base/size.h"
#include "fused/block.h"

enum { FORESEEN = 32 }; /* the longest list whose limit can be foreseen */

static int64_t kinds_of(const at_taps *taps) {
    return at_given_out(&taps->segment_mass) ? taps->segment_mass.shape[3] : 0;
}

/* Kinds that a chunk may hold. */
static int64_t kinds_of_chunk(const at_taps *taps) { return kinds_of(taps) < AT_CHUNK ? kinds_of(taps) : AT_CHUNK; }

static bool wants_top(const at_taps *taps) { return taps->top > 0 || at_given_out(&taps->top_rest); }

bool at_heaviest_wanted(const at_taps *taps) { return wants_top(taps) || kinds_of(taps) > 0; }

/* ---- scratch ---- */

static bool block_size(const at_taps *taps, size_t *size) {
    size_t kinds, tops;
    return at_size_mul((size_t)kinds_of(taps), AT_LANES * sizeof(double), &kinds) &&
           at_size_mul((size_t)taps->top, 2 * AT_LANES * sizeof(at_real), &tops) && at_size_add(kinds, tops, size);
}

bool at_heaviest_size(const at_taps *taps, int32_t blocks, size_t *size) {
    size_t places, sums = (size_t)kinds_of_chunk(taps) * AT_LANES * sizeof(at_real);
    return block_size(taps, size) && at_size_mul(*size, (size_t)blocks, size) &&
           at_size_mul((size_t)kinds_of(taps), sizeof(int32_t), &places) && at_size_add(*size, places, size) &&
           at_size_add(*size, sizeof(at_tallies) + sums, size);
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

at_tallies *at_heaviest_lay_out(const at_taps *taps, int32_t blocks, void *memory) {
    at_tallies *all = memory;
    int64_t kinds = kinds_of(taps), top = taps->top;
    double *mass = (double *)(void *)(all + 1);
    at_real *reals = (at_real *)(void *)(mass + blocks * kinds * AT_LANES);
    for (int32_t n = 0; n < blocks; n++) {
        at_tally *tally = &all->block[n];
        tally->top = top;
        tally->kinds = kinds;
        tally->mass = mass + n * kinds * AT_LANES;
        tally->score = reals + n * 2 * top * AT_LANES;
        tally->key = tally->score + top * AT_LANES;
    }
    all->sums = reals + blocks * 2 * top * AT_LANES;
    all->place = (int32_t *)(void *)(all->sums + kinds_of_chunk(taps) * AT_LANES);
    for (int64_t n = 0; n < kinds; n++)
        all->place[n] = -1;
    memset(all->waiting, 0, sizeof all->waiting);
    fill(all->score, top > 0 ? AT_CHUNK * AT_LANES : 0, -INFINITY);
    return all;
}

static void clear_list(at_tally *tally) {
    fill(tally->score, tally->top * AT_LANES, -INFINITY);
    fill(tally->key, tally->top * AT_LANES, bits_of(-1));
}

void at_heaviest_clear(at_tally *tally) {
    clear_list(tally);
    fill(tally->limit, AT_LANES, -INFINITY);
    tally->begun = false;
    memset(tally->mass, 0, sizeof *tally->mass * (size_t)tally->kinds * AT_LANES);
}

/* ---- the heaviest keys ---- */

/* The highest scores of parts of a chunk are scores too: a list that is no longer than they are many has no place for
   what is below the last of the highest.  So there is a limit before the list is full. */
static void foresee_limits(const at_kernels *kernels, int32_t rows, int32_t count, const at_real *scores,
                           const uint64_t *seen, at_tally *tally) {
    _Alignas(64) at_real highest[FORESEEN * AT_LANES]; /* (FORESEEN, AT_LANES) */
    int32_t part = count / FORESEEN;
    for (int32_t n = 0; n < FORESEEN; n++)
        kernels->highest(scores + n * part * AT_LANES, rows, part, seen == NULL ? NULL : seen + n * part,
                         highest + n * AT_LANES);
    kernels->enlist(highest, highest, rows, FORESEEN, tally->top, tally->score, tally->key);
    for (int32_t i = 0; i < rows; i++)
        tally->limit[i] = at_real_next(tally->score[(tally->top - 1) * AT_LANES + i], -INFINITY);
    clear_list(tally);
}

/* Those that wait go into the lists, and the limits rise. */
static void enlist(const at_kernels *kernels, int32_t rows, at_tallies *all, at_tally *tally) {
    int32_t most = 0;
    for (int32_t i = 0; i < AT_LANES; i++)
        most = all->waiting[i] > most ? all->waiting[i] : most;
    if (most == 0)
        return;
    kernels->enlist(all->score, all->key, rows, most, tally->top, tally->score, tally->key);
    memcpy(tally->limit, tally->score + (tally->top - 1) * AT_LANES, sizeof tally->limit);
    fill(all->score, most * AT_LANES, -INFINITY);
    memset(all->waiting, 0, sizeof all->waiting);
}

/* Keys come in their order, so that of equal scores the lower key, which came first, stays in front. */
void at_heaviest_search(const at_kernels *kernels, int32_t rows, at_span span, const at_real *scores,
                        const uint64_t *seen, at_tallies *all, at_tally *tally) {
    uint64_t found[AT_CHUNK];
    int32_t count = (int32_t)(span.end - span.first);
    if (tally->top == 0)
        return;
    if (tally->top <= FORESEEN && count >= 2 * FORESEEN && !tally->begun)
        foresee_limits(kernels, rows, count, scores, seen, tally);
    tally->begun = true;
    kernels->above(scores, rows, count, seen, tally->limit, found);
    for (int32_t j = 0; j < count; j++)
        for (uint64_t bits = found[j]; bits != 0; bits &= bits - 1) {
            int32_t i = __builtin_ctzll(bits), place = all->waiting[i]++ * AT_LANES + i;
            at_real score = scores[j * AT_LANES + i];
            all->score[place] = score > AT_SHIFT_NONE ? score : AT_SHIFT_NONE;
            all->key[place] = bits_of((int32_t)(span.first + j));
        }
    enlist(kernels, rows, all, tally);
}

/* Entries n .. n+count-1 of row i, whose weights are in bench->scores; returns what they leave of rest.  A row that
   holds NaN says so instead of naming keys: there is no order among them. */
static double write_entries(const at_taps *taps, const at_bench *bench, const at_block *block, int32_t i, int64_t n,
                            int32_t count, double rest) {
    double index[AT_CHUNK], weight[AT_CHUNK];
    const at_query *at = &block->query[i];
    bool broken = isnan(block->final.inverse[i]), weightless = block->final.inverse[i] == 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t key = broken ? -1 : key_of(block->tally->key[(n + k) * AT_LANES + i]);
        index[k] = (double)key;
        weight[k] = broken ? (double)NAN : key < 0 || weightless ? 0 : (double)bench->scores[k * AT_LANES + i];
        rest -= weight[k];
    }
    if (at_given_out(&taps->top_index))
        at_set_part(&taps->top_index, at->b, at->h, at->i, n, count, index);
    if (at_given_out(&taps->top_weight))
        at_set_part(&taps->top_weight, at->b, at->h, at->i, n, count, weight);
    return rest;
}

static void write_top(const at_taps *taps, const at_plan *plan, at_bench *bench, const at_block *block) {
    double rest[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++)
        rest[i] = 1;
    for (int64_t n = 0; n < taps->top; n += AT_CHUNK) {
        int32_t count = (int32_t)(taps->top - n < AT_CHUNK ? taps->top - n : AT_CHUNK);
        memcpy(bench->scores, block->tally->score + n * AT_LANES, sizeof(at_real) * AT_LANES * (size_t)count);
        plan->kernels->reweigh(bench->scores, block->rows, count, NULL, plan->factor, &block->final);
        for (int32_t i = 0; i < block->rows; i++)
            rest[i] = write_entries(taps, bench, block, i, n, count, rest[i]);
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

/* Numbers the kinds of a span as they come: kind (keys) of each key, and kinds (returned) which they are. */
static int32_t number_kinds(const at_taps *taps, at_span span, int32_t *place, int32_t *kind, int32_t *kinds) {
    int32_t count = 0;
    for (int64_t j = span.first; j < span.end; j++) {
        int32_t here = kind_of(taps, j);
        if (place[here] < 0) {
            place[here] = count;
            kinds[count++] = here;
        }
        kind[j - span.first] = place[here];
    }
    for (int32_t n = 0; n < count; n++)
        place[kinds[n]] = -1;
    return count;
}

void at_heaviest_sort(const at_kernels *kernels, const at_taps *taps, int32_t rows, at_span span,
                      const at_real *weights, const at_real *keep, const at_real *take, at_tallies *all,
                      at_tally *tally) {
    int32_t kind[AT_CHUNK], kinds[AT_CHUNK], keys = (int32_t)(span.end - span.first);
    if (tally->kinds == 0)
        return;
    int32_t count = number_kinds(taps, span, all->place, kind, kinds);
    kernels->sort(weights, rows, keys, kind, count, all->sums);
    for (int32_t i = 0; i < rows; i++)
        for (int64_t n = 0; keep[i] != 1 && n < tally->kinds; n++)
            tally->mass[n * AT_LANES + i] *= (double)keep[i];
    for (int32_t n = 0; n < count; n++) {
        double *mass = tally->mass + (int64_t)kinds[n] * AT_LANES;
        for (int32_t i = 0; i < rows; i++)
            mass[i] += (double)all->sums[n * AT_LANES + i] * (double)take[i];
    }
}

/* In a row that holds NaN each kind of which it sees a key is NaN. */
static void spread_nan(const at_problem *problem, const at_taps *taps, const at_query *at, double *mass) {
    for (int64_t j = at->first; j < at->end; j++)
        if (at_sees(problem, at, j))
            mass[(int64_t)kind_of(taps, j) * AT_LANES] = (double)NAN;
}

static void write_mass(const at_problem *problem, const at_taps *taps, const at_block *block, const double *unit) {
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        double *mass = block->tally->mass + i;
        if (isnan(unit[i]) && block->tally->kinds > 0)
            spread_nan(problem, taps, at, mass);
        for (int64_t n = 0; n < block->tally->kinds; n++, mass += AT_LANES)
            at_set(&taps->segment_mass, at->b, at->h, at->i, n, *mass == 0 ? 0 : *mass * unit[i]);
    }
}

void at_heaviest_write(const at_problem *problem, const at_taps *taps, const at_plan *plan, at_bench *bench,
                       const at_block *block, const double *unit) {
    if (wants_top(taps))
        write_top(taps, plan, bench, block);
    write_mass(problem, taps, block, unit);
}
