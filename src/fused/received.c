/* received.c - what keys receive from many queries: column sums and the pooled grid.

   A task is a range of keys of one head, over all queries from the first to the last: so sums over queries are made by
   one thread in one order, and nothing has to be put together.  Blocks are of one head and begin at multiples of
   AT_LANES queries, whatever the plan of the call.  The order of the sums:
       column_sum   the queries of a block one after another in floats; the blocks one after another in double
       grid_sum     the keys of a cell one after another in floats, as far as a chunk goes; then the queries of the cell
                    in a block one after another in floats; chunks and blocks one after another in double */
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "fused/look_pass.h"

enum {
    LEAST_KEYS = 512, /* of a range that is made for the sake of threads */
    MOST_KEYS = 4096,
    MOST_FLOATS = 1 << 18, /* of a range that is converted */
    SLOTS = AT_LANES + 2,  /* bands of the grid that a block may touch, the one before it, and an empty one */
};

static bool wants_grid(const at_taps *taps) { return taps->grid_rows > 0 && taps->grid_columns > 0; }

static bool wanted(const at_taps *taps) { return at_given_out(&taps->column_sum) || wants_grid(taps); }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* First key of column x of the grid. */
static int64_t band_start(int64_t x, int64_t count, int64_t total) { return x * total / count; }

/* A range is some columns of the grid, or without one some keys. */
static int64_t units_of(const at_problem *problem, const at_taps *taps) {
    return wants_grid(taps) ? taps->grid_columns : problem->keys;
}

static at_span range_of(const at_look *look, int64_t range) {
    int64_t units = units_of(look->work.call->problem, look->work.call->taps);
    at_span span = {range * (units / look->ranges) + least(range, units % look->ranges), 0};
    span.end = span.first + units / look->ranges + (range < units % look->ranges);
    return span;
}

static at_span keys_of(const at_look *look, at_span units) {
    const at_taps *taps = look->work.call->taps;
    int64_t keys = look->work.call->problem->keys;
    if (!wants_grid(taps))
        return units;
    return (at_span){band_start(units.first, taps->grid_columns, keys),
                     band_start(units.end, taps->grid_columns, keys)};
}

void at_received_cut(const at_problem *problem, const at_taps *taps, int32_t threads, at_look *look) {
    int64_t units = units_of(problem, taps), keys = problem->keys, heads = problem->batch * problem->heads;
    int64_t width = problem->head_width > 0 ? problem->head_width : 1, fit = MOST_FLOATS / width;
    int64_t most_keys = fit < AT_CHUNK ? AT_CHUNK : least(fit, MOST_KEYS);
    int64_t ranges = (keys + most_keys - 1) / most_keys, busy = heads > 0 ? 4 * (int64_t)threads / heads : 1;
    busy = least(busy, keys / LEAST_KEYS);
    ranges = least(ranges > busy ? ranges : busy, units);
    look->ranges = ranges > 0 ? ranges : 1;
    int64_t longest = (units + look->ranges - 1) / look->ranges;
    look->range_keys = !wants_grid(taps) ? longest : least(keys, longest * (keys / taps->grid_columns + 1));
}

int64_t at_received_tasks(const at_problem *problem, const at_taps *taps, const at_look *look) {
    int64_t tasks, heads = problem->batch * problem->heads;
    if (!wanted(taps))
        return 0;
    return at_i64_mul(heads, look->ranges, &tasks) ? tasks : INT64_MAX; /* as in plan.c */
}

/* ---- the tally ---- */

typedef struct received {
    const at_look *look;
    at_bench *bench;
    int64_t b, h;
    at_span units, keys;        /* of the range */
    at_real *converted;         /* the keys from first_chunk on, (keys, D); NULL where they are in place */
    double *column_sum;         /* (keys) */
    double *sum, *most, *count; /* (SLOTS, columns) of the bands at hand; slot 0 is the one that the last block left */
    at_real *line_sum, *line_most; /* (AT_CHUNK, AT_LANES) */
    int64_t band;                  /* in slot 0; -1: none */
    int64_t written;               /* bands that are */
    int32_t slots;                 /* that the block at hand touches, slot 0 included */
    int32_t slot[AT_LANES];        /* of each row of the block at hand */
    int64_t slot_band[SLOTS];
} received;

typedef struct sizes {
    size_t columns, cells, lines, keys;
} sizes;

static bool measure(const at_problem *problem, const at_taps *taps, bool converts, const at_look *look, sizes *count) {
    size_t columns = wants_grid(taps) ? (size_t)((taps->grid_columns + look->ranges - 1) / look->ranges) : 0;
    count->columns = at_given_out(&taps->column_sum) ? (size_t)look->range_keys : 0;
    count->lines = columns > 0 ? (size_t)AT_CHUNK * AT_LANES : 0;
    return at_size_mul(columns, SLOTS, &count->cells) &&
           at_size_mul(converts ? (size_t)look->range_keys + 2 * AT_CHUNK : 0, (size_t)problem->head_width,
                       &count->keys);
}

bool at_received_size(const at_problem *problem, const at_taps *taps, bool converts, const at_look *look,
                      size_t *size) {
    sizes count;
    size_t doubles, floats;
    *size = 0;
    if (!wanted(taps))
        return true;
    return measure(problem, taps, converts, look, &count) && at_size_mul(count.cells, 3, &doubles) &&
           at_size_add(doubles, count.columns, &doubles) && at_size_mul(doubles, sizeof(double), &doubles) &&
           at_size_add(2 * count.lines, count.keys, &floats) && at_size_mul(floats, sizeof(at_real), &floats) &&
           at_size_add(doubles, floats, size) && at_size_add(*size, sizeof(received), size) &&
           at_size_add(*size, AT_ALIGNMENT, size);
}

static void clear_cells(received *tally, int32_t slot, int32_t end) {
    int64_t width = tally->units.end - tally->units.first;
    size_t size = sizeof(double) * (size_t)(width * (end - slot));
    memset(tally->sum + slot * width, 0, size);
    memset(tally->most + slot * width, 0, size);
    memset(tally->count + slot * width, 0, size);
}

/* Conversion begins where a chunk does. */
static int64_t first_chunk(const received *tally) { return tally->keys.first - tally->keys.first % AT_CHUNK; }

static void convert(const received *tally, int64_t chunk) {
    const at_fused *call = tally->look->work.call;
    (void)at_panel_of(tally->look->work.plan.kernels, call->k, tally->b, tally->h / call->problem->group, chunk,
                      least(tally->keys.end - chunk, AT_CHUNK),
                      tally->converted + (chunk - first_chunk(tally)) * call->problem->head_width);
}

static received *begin(const at_look *look, int64_t index, int32_t lane) {
    const at_fused *call = look->work.call;
    const at_problem *problem = call->problem;
    received *tally = at_look_tally(look, lane);
    int64_t head = index / look->ranges;
    sizes count;
    (void)measure(problem, call->taps, !at_panel_in_place(call->k), look, &count); /* it fitted */
    tally->look = look;
    tally->bench = at_bench_of(&look->work, lane);
    tally->b = head / problem->heads;
    tally->h = head % problem->heads;
    tally->units = range_of(look, index % look->ranges);
    tally->keys = keys_of(look, tally->units);
    tally->band = -1;
    tally->written = 0;
    size_t head_size = (sizeof *tally + AT_ALIGNMENT - 1) / AT_ALIGNMENT * AT_ALIGNMENT;
    tally->line_sum = (at_real *)(void *)((char *)tally + head_size);
    tally->line_most = tally->line_sum + count.lines;
    tally->column_sum = (double *)(void *)(tally->line_most + count.lines);
    tally->sum = tally->column_sum + count.columns;
    tally->most = tally->sum + count.cells;
    tally->count = tally->most + count.cells;
    memset(tally->column_sum, 0, sizeof(double) * count.columns);
    if (wants_grid(call->taps))
        clear_cells(tally, 0, 1);
    tally->converted = at_panel_in_place(call->k) ? NULL : (at_real *)(void *)(tally->count + count.cells);
    for (int64_t j = first_chunk(tally); tally->converted != NULL && j < tally->keys.end; j += AT_CHUNK)
        convert(tally, j);
    return tally;
}

/* ---- the grid ---- */

static void write_cells(const received *tally, const attend_out *tensor, int64_t band, const double *cells) {
    attend_out part = *tensor;
    if (!at_given_out(tensor))
        return;
    part.shape[3] = tally->units.end - tally->units.first;
    part.data = (char *)tensor->data +
                tally->units.first * tensor->stride[3] * (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    at_set_row(&part, tally->b, tally->h, band, cells);
}

static void write_band(received *tally, int64_t band, int32_t slot) {
    const at_taps *taps = tally->look->work.call->taps;
    int64_t place = slot * (tally->units.end - tally->units.first);
    write_cells(tally, &taps->grid_sum, band, tally->sum + place);
    write_cells(tally, &taps->grid_max, band, tally->most + place);
    write_cells(tally, &taps->grid_count, band, tally->count + place);
    tally->written = band + 1;
}

/* Bands that no query is in, or none that sees a key of the range, up to the given one. */
static void write_empty_bands(received *tally, int64_t end) {
    if (tally->written >= end)
        return;
    clear_cells(tally, SLOTS - 1, SLOTS);
    while (tally->written < end)
        write_band(tally, tally->written, SLOTS - 1);
}

/* Slot 0 holds the band that is not finished. */
static void place_rows(received *tally, const at_block *block) {
    const at_problem *problem = tally->look->work.call->problem;
    int64_t bands = tally->look->work.call->taps->grid_rows;
    tally->slots = tally->band < 0 ? 0 : 1;
    tally->slot_band[0] = tally->band;
    for (int32_t i = 0; i < block->rows; i++) {
        int64_t band = at_band_of(block->query[i].i, bands, problem->queries);
        if (tally->slots == 0 || tally->slot_band[tally->slots - 1] != band)
            tally->slot_band[tally->slots++] = band;
        tally->slot[i] = tally->slots - 1;
    }
    if (tally->slots > 1)
        clear_cells(tally, 1, tally->slots);
}

static void finish_rows(received *tally) {
    int64_t width = tally->units.end - tally->units.first;
    int32_t last = tally->slots - 1;
    for (int32_t slot = 0; slot < last; slot++) {
        write_empty_bands(tally, tally->slot_band[slot]);
        write_band(tally, tally->slot_band[slot], slot);
    }
    tally->band = tally->slot_band[last];
    if (last == 0)
        return;
    memcpy(tally->sum, tally->sum + last * width, sizeof(double) * (size_t)width);
    memcpy(tally->most, tally->most + last * width, sizeof(double) * (size_t)width);
    memcpy(tally->count, tally->count + last * width, sizeof(double) * (size_t)width);
}

/* Pairs that are seen among count keys, for the rows of each slot. */
static void count_pairs(received *tally, const at_block *block, int64_t x, int32_t count, const uint64_t *seen) {
    int64_t width = tally->units.end - tally->units.first;
    for (int32_t i = 0, end; i < block->rows; i = end) {
        uint64_t rows = 0;
        int64_t pairs = 0;
        for (end = i; end < block->rows && tally->slot[end] == tally->slot[i]; end++)
            rows |= (uint64_t)1 << end;
        for (int32_t j = 0; seen != NULL && j < count; j++)
            pairs += __builtin_popcountll(seen[j] & rows);
        tally->count[tally->slot[i] * width + x] += (double)(seen == NULL ? (int64_t)(end - i) * count : pairs);
    }
}

/* The maximum passes over NaN; a row that holds it holds it wherever it sees a key. */
static void mark_broken(received *tally, const at_block *block, int64_t x, int32_t count, const uint64_t *seen) {
    int64_t width = tally->units.end - tally->units.first;
    for (int32_t i = 0; i < block->rows; i++) {
        bool sees = seen == NULL;
        for (int32_t j = 0; !sees && j < count; j++)
            sees = seen[j] >> i & 1;
        if (sees && isnan(block->final.inverse[i]))
            tally->most[tally->slot[i] * width + x] = (double)NAN;
    }
}

static bool holds_nan(const at_block *block) {
    bool any = false;
    for (int32_t i = 0; i < block->rows; i++)
        any = any || isnan(block->final.inverse[i]);
    return any;
}

/* The weights of a span of keys inside one chunk: a line for each column of the grid, then the lines over the rows. */
static void tally_grid(received *tally, const at_block *block, at_span span, const at_real *weights,
                       const uint64_t *seen) {
    const at_fused *call = tally->look->work.call;
    const at_taps *taps = call->taps;
    const at_kernels *kernels = tally->look->work.plan.kernels;
    int64_t keys = call->problem->keys, width = tally->units.end - tally->units.first;
    double *to[AT_LANES];
    int64_t x = at_band_of(span.first, taps->grid_columns, keys), first = x, previous = x;
    int32_t lines = 0;
    bool broken = holds_nan(block);
    for (int64_t j = span.first, end; j < span.end || lines > 0; j = end) {
        end = j;
        if (j < span.end)
            x = at_band_of(j, taps->grid_columns, keys);
        if (lines > 0 &&
            (j >= span.end || x != previous + 1)) { /* lines go together while their columns are neighbours */
            for (int most = 0; most < 2; most++) {
                if (!at_given_out(most ? &taps->grid_max : &taps->grid_sum))
                    continue;
                for (int32_t i = 0; i < block->rows; i++)
                    to[i] = (most ? tally->most : tally->sum) + tally->slot[i] * width + first - tally->units.first;
                kernels->across(most ? tally->line_most : tally->line_sum, block->rows, lines, most, to);
            }
            lines = 0;
            continue;
        }
        first = lines == 0 ? x : first;
        previous = x;
        end = least(band_start(x + 1, taps->grid_columns, keys), span.end);
        int32_t count = (int32_t)(end - j);
        const uint64_t *words = seen == NULL ? NULL : seen + (j - span.first);
        kernels->pool(weights + (j - span.first) * AT_LANES, block->rows, count, tally->line_sum + lines * AT_LANES,
                      tally->line_most + lines * AT_LANES);
        if (at_given_out(&taps->grid_count))
            count_pairs(tally, block, x - tally->units.first, count, words);
        if (broken)
            mark_broken(tally, block, x - tally->units.first, count, words);
        lines++;
    }
}

/* ---- the task ---- */

static void tally_columns(received *tally, const at_block *block, at_span span, const at_real *weights) {
    const at_taps *taps = tally->look->work.call->taps;
    double *to[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++) {
        bool counts = block->query[i].i >= taps->column_first && block->query[i].i < taps->column_end;
        to[i] = counts ? tally->column_sum + (span.first - tally->keys.first) : NULL;
    }
    tally->look->work.plan.kernels->across(weights, block->rows, (int32_t)(span.end - span.first), 0, to);
}

/* The keys from key first on, as far as its chunk goes. */
static at_panel keys_of_chunk(const received *tally, int64_t first) {
    const at_fused *call = tally->look->work.call;
    int64_t chunk = first - first % AT_CHUNK, width = call->problem->head_width;
    at_panel keys = at_panel_raw(call->k, tally->b, tally->h / call->problem->group, chunk);
    if (tally->converted != NULL) {
        keys.rows = tally->converted + (chunk - first_chunk(tally)) * width;
        keys.stride = width;
        keys.dtype = AT_REAL_DTYPE;
    }
    return at_panel_from(keys, first - chunk);
}

static void step(received *tally, at_block *block, at_span span) {
    const at_look *look = tally->look;
    const at_fused *call = look->work.call;
    const at_plan *plan = &look->work.plan;
    at_bench *bench = tally->bench;
    int32_t count = (int32_t)(span.end - span.first);
    const uint64_t *seen = at_see(call->problem, block->query, block->rows, span, bench->seen);
    if (!at_seen_by_some(seen, block->rows, span))
        return;
    at_block_scores(call, plan, bench, block, span, keys_of_chunk(tally, span.first), seen);
    plan->kernels->reweigh(bench->scores, block->rows, count, seen, plan->factor, &block->final);
    if (at_given_out(&call->taps->column_sum))
        tally_columns(tally, block, span, bench->scores);
    if (wants_grid(call->taps))
        tally_grid(tally, block, span, bench->scores, seen);
}

/* Whether queries first .. end-1 may see a key of the range: without packing, positions rise with the queries. */
static bool may_see(const received *tally, int64_t first, int64_t end) {
    const at_problem *problem = tally->look->work.call->problem;
    if (at_given_in(&problem->query_starts))
        return true;
    at_query low = at_query_of(problem, tally->b, tally->h, first);
    at_query high = at_query_of(problem, tally->b, tally->h, end - 1);
    return low.first < tally->keys.end && high.end > tally->keys.first;
}

static void run_block(received *tally, int64_t first, int64_t end) {
    const at_look *look = tally->look;
    const at_taps *taps = look->work.call->taps;
    at_block *block = &tally->bench->blocks[0];
    bool counts = end > taps->column_first && first < taps->column_end;
    if ((!wants_grid(taps) && !counts) || !may_see(tally, first, end))
        return;
    block->rows = 0;
    for (int64_t i = first; i < end; i++)
        block->query[block->rows++] = at_query_of(look->work.call->problem, tally->b, tally->h, i);
    at_span span = at_span_of(block->query, block->rows);
    if (span.first >= tally->keys.end || span.end <= tally->keys.first)
        return;
    at_block_pack(look->work.call, &look->work.plan, tally->bench, block);
    at_look_settle(look->work.call, &look->work.plan, block);
    span.first = span.first > tally->keys.first ? span.first : tally->keys.first;
    span.end = least(span.end, tally->keys.end);
    if (wants_grid(taps))
        place_rows(tally, block);
    for (int64_t j = span.first, next; j < span.end; j = next) {
        next = least(j + AT_CHUNK - j % AT_CHUNK, span.end);
        at_span chunk = {j, next};
        step(tally, block, chunk);
    }
    if (wants_grid(taps))
        finish_rows(tally);
}

void at_received_run(void *opaque, int64_t index, int32_t lane) {
    received *tally = begin(opaque, index, lane);
    const at_problem *problem = tally->look->work.call->problem;
    const at_taps *taps = tally->look->work.call->taps;
    for (int64_t i = 0; i < problem->queries; i += AT_LANES)
        run_block(tally, i, least(i + AT_LANES, problem->queries));
    for (int64_t j = tally->keys.first; at_given_out(&taps->column_sum) && j < tally->keys.end; j++)
        at_set(&taps->column_sum, tally->b, tally->h, j, 0, tally->column_sum[j - tally->keys.first]);
    if (!wants_grid(taps))
        return;
    if (tally->band >= 0) {
        write_empty_bands(tally, tally->band);
        write_band(tally, tally->band, 0);
    }
    write_empty_bands(tally, taps->grid_rows);
}
