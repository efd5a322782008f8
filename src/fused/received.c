/* received.c - what keys receive from many queries: column sums and the pooled grid.

   A task is a range of keys of one head, over all queries from the first to the last: so sums over queries are made by
   one thread in one order, and nothing has to be put together.  Blocks are of one head and begin at multiples of
   AT_LANES queries, whatever the plan of the call.  Scores are made once more, or are those that a block on its way to
   the output has kept: the same bits.  The order of the sums:
       column_sum   the queries of a block in the order of the kernel receive, in floats; the blocks one after another
                    in double
       grid_sum     the keys of a cell one after another in floats, as far as a chunk goes; then the queries of the cell
                    in a block one after another in floats; chunks and blocks one after another in double */
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "fused/cells.h"
#include "fused/look_pass.h"

enum {
    LEAST_KEYS = 512, /* of a range that is made for the sake of threads */
    MOST_KEYS = 4096,
    MOST_FLOATS = 1 << 18, /* of a range that is converted */
    SLOTS = AT_LANES + 2,  /* bands of the grid that a block may touch, the one before it, and an empty one */
};

static bool wants_grid(const at_taps *taps) { return taps->grid_rows > 0 && taps->grid_columns > 0; }

bool at_received_wanted(const at_taps *taps) { return at_given_out(&taps->column_sum) || wants_grid(taps); }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* First key of column x of the grid. */
static int64_t band_start(int64_t x, int64_t count, int64_t total) { return x * total / count; }

/* A range is some columns of the grid, or without one some keys. */
static int64_t units_of(const at_problem *problem, const at_taps *taps) {
    return wants_grid(taps) ? taps->grid_columns : problem->keys;
}

static at_span range_of(const at_forward_work *work, int64_t range) {
    int64_t units = units_of(work->call->problem, work->call->taps);
    at_span span = {range * (units / work->ranges) + least(range, units % work->ranges), 0};
    span.end = span.first + units / work->ranges + (range < units % work->ranges);
    return span;
}

static at_span keys_of(const at_forward_work *work, at_span units) {
    const at_taps *taps = work->call->taps;
    int64_t keys = work->call->problem->keys;
    if (!wants_grid(taps))
        return units;
    return (at_span){band_start(units.first, taps->grid_columns, keys),
                     band_start(units.end, taps->grid_columns, keys)};
}

void at_received_cut(const at_problem *problem, const at_taps *taps, int32_t threads, at_forward_work *work) {
    int64_t units = units_of(problem, taps), keys = problem->keys, heads = problem->batch * problem->heads;
    int64_t width = problem->head_width > 0 ? problem->head_width : 1, fit = MOST_FLOATS / width;
    int64_t most_keys = fit < AT_CHUNK ? AT_CHUNK : least(fit, MOST_KEYS);
    int64_t ranges = (keys + most_keys - 1) / most_keys, busy = heads > 0 ? 4 * (int64_t)threads / heads : 1;
    busy = least(busy, keys / LEAST_KEYS);
    ranges = least(ranges > busy ? ranges : busy, units);
    work->ranges = ranges > 0 ? ranges : 1;
    int64_t longest = (units + work->ranges - 1) / work->ranges;
    work->range_keys = !wants_grid(taps) ? longest : least(keys, longest * (keys / taps->grid_columns + 1));
}

int64_t at_received_tasks(const at_problem *problem, const at_forward_work *work) {
    int64_t tasks, heads = problem->batch * problem->heads;
    return at_i64_mul(heads, work->ranges, &tasks) ? tasks : INT64_MAX; /* as in plan.c */
}

/* ---- the tally ---- */

typedef struct received {
    const at_forward_work *work;
    at_bench *bench;
    int64_t b, h;
    at_span units, keys;        /* of the range */
    at_real *converted;         /* the keys from first_chunk on, (keys, D); NULL where they are in place */
    double *column_sum;         /* (keys) */
    double *sum, *most, *count; /* (SLOTS, columns) of the bands at hand; slot 0 is the one that the last block left */
    double *start;              /* (columns + 1) the first key of each column */
    at_real *line_most;         /* (AT_CHUNK, AT_LANES) */
    int64_t band;               /* in slot 0; -1: none */
    int64_t written;            /* bands that are */
    bool single;                /* each cell of the grid is a single pair, and written at once (cells.h) */
    int32_t slots;              /* that the block at hand touches, slot 0 included */
    int32_t slot[AT_LANES];     /* of each row of the block at hand */
    uint64_t slot_rows[SLOTS];  /* a bit for each */
    int64_t slot_band[SLOTS];
} received;

typedef struct sizes {
    size_t columns, cells, starts, lines, keys;
} sizes;

static bool measure(const at_problem *problem, const at_taps *taps, bool converts, const at_forward_work *work,
                    sizes *count) {
    size_t columns = wants_grid(taps) ? (size_t)((taps->grid_columns + work->ranges - 1) / work->ranges) : 0;
    count->columns = at_given_out(&taps->column_sum) ? (size_t)work->range_keys : 0;
    count->starts = columns + 1;
    count->lines = columns > 0 ? (size_t)AT_CHUNK * AT_LANES : 0;
    return at_size_mul(columns, SLOTS, &count->cells) &&
           at_size_mul(converts ? (size_t)work->range_keys + 2 * AT_CHUNK : 0, (size_t)problem->head_width,
                       &count->keys);
}

bool at_received_size(const at_problem *problem, const at_taps *taps, bool converts, const at_forward_work *work,
                      size_t *size) {
    sizes count;
    size_t doubles, floats;
    *size = 0;
    if (work->ranges == 0)
        return true;
    bool fits = measure(problem, taps, converts, work, &count) && at_size_mul(count.cells, 3, &doubles) &&
                at_size_add(doubles, count.columns, &doubles) && at_size_add(doubles, count.starts, &doubles) &&
                at_size_mul(doubles, sizeof(double), &doubles) && at_size_add(count.lines, count.keys, &floats) &&
                at_size_mul(floats, sizeof(at_real), &floats) && at_size_add(doubles, floats, size) &&
                at_size_add(*size, sizeof(received), size) && at_size_add(*size, 2 * AT_ALIGNMENT, size);
    *size -= fits ? *size % AT_ALIGNMENT : 0;
    return fits;
}

static void clear_cells(received *tally, int32_t slot, int32_t end) {
    int64_t width = tally->units.end - tally->units.first;
    size_t size = sizeof(double) * (size_t)(width * (end - slot));
    memset(tally->sum + slot * width, 0, size);
    memset(tally->most + slot * width, 0, size);
    memset(tally->count + slot * width, 0, size);
}

static void begin_grid(received *tally) {
    int64_t columns = tally->work->call->taps->grid_columns, keys = tally->work->call->problem->keys;
    clear_cells(tally, 0, 1);
    for (int64_t x = tally->units.first; x <= tally->units.end; x++)
        tally->start[x - tally->units.first] = (double)band_start(x, columns, keys);
}

/* Conversion begins where a chunk does. */
static int64_t first_chunk(const received *tally) { return tally->keys.first - tally->keys.first % AT_CHUNK; }

static void convert(const received *tally, int64_t chunk) {
    const at_fused *call = tally->work->call;
    (void)at_panel_of(tally->work->plan.kernels, call->k, tally->b, tally->h / call->problem->group, chunk,
                      least(tally->keys.end - chunk, AT_CHUNK),
                      tally->converted + (chunk - first_chunk(tally)) * call->problem->head_width);
}

static received *begin(const at_forward_work *work, int64_t head, int64_t range, int32_t lane) {
    const at_fused *call = work->call;
    const at_problem *problem = call->problem;
    received *tally = at_tally_of(work, lane);
    bool converts = !work->plan.keeps && !at_panel_in_place(call->k);
    sizes count;
    (void)measure(problem, call->taps, converts, work, &count); /* it fitted */
    tally->work = work;
    tally->bench = at_bench_of(work, lane);
    tally->b = head / problem->heads;
    tally->h = head % problem->heads;
    tally->units = range_of(work, range);
    tally->keys = keys_of(work, tally->units);
    tally->band = -1;
    tally->written = 0;
    tally->single = wants_grid(call->taps) && at_cells_are_single(problem, call->taps);
    size_t head_size = (sizeof *tally + AT_ALIGNMENT - 1) / AT_ALIGNMENT * AT_ALIGNMENT;
    tally->line_most = (at_real *)(void *)((char *)tally + head_size);
    tally->column_sum = (double *)(void *)(tally->line_most + count.lines);
    tally->sum = tally->column_sum + count.columns;
    tally->most = tally->sum + count.cells;
    tally->count = tally->most + count.cells;
    tally->start = tally->count + count.cells;
    memset(tally->column_sum, 0, sizeof(double) * count.columns);
    if (wants_grid(call->taps))
        begin_grid(tally);
    tally->converted = converts ? (at_real *)(void *)(tally->start + count.starts) : NULL;
    for (int64_t j = first_chunk(tally); tally->converted != NULL && j < tally->keys.end; j += AT_CHUNK)
        convert(tally, j);
    return tally;
}

/* ---- the grid ---- */

static void write_cells(const received *tally, const attend_out *tensor, int64_t band, const double *cells) {
    if (at_given_out(tensor))
        at_set_part(tensor, tally->b, tally->h, band, tally->units.first, tally->units.end - tally->units.first, cells);
}

static void write_band(received *tally, int64_t band, int32_t slot) {
    const at_taps *taps = tally->work->call->taps;
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
    const at_problem *problem = tally->work->call->problem;
    int64_t bands = tally->work->call->taps->grid_rows;
    tally->slots = tally->band < 0 ? 0 : 1;
    tally->slot_band[0] = tally->band;
    for (int32_t i = 0; i < block->rows; i++) {
        int64_t band = at_band_of(block->query[i].i, bands, problem->queries);
        if (tally->slots == 0 || tally->slot_band[tally->slots - 1] != band)
            tally->slot_band[tally->slots++] = band;
        tally->slot[i] = tally->slots - 1;
    }
    memset(tally->slot_rows, 0, sizeof tally->slot_rows);
    for (int32_t i = 0; i < block->rows; i++)
        tally->slot_rows[tally->slot[i]] |= (uint64_t)1 << i;
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

/* ---- the grid of single pairs ---- */

/* Rows of queries up to the given one that have not been written, since they see no key of the range. */
static void clear_rows(received *tally, int64_t end) {
    at_span queries = {tally->written, end};
    at_cells_clear(tally->work->call->taps, tally->b, tally->h, queries, tally->keys);
    tally->written = end > tally->written ? end : tally->written;
}

static at_span queries_of(const at_block *block) {
    return (at_span){block->query[0].i, block->query[block->rows - 1].i + 1};
}

/* The keys before and after those that the block may see. */
static void begin_single_rows(received *tally, const at_block *block, at_span span) {
    at_span queries = queries_of(block), before = {tally->keys.first, span.first}, after = {span.end, tally->keys.end};
    clear_rows(tally, queries.first);
    at_cells_clear(tally->work->call->taps, tally->b, tally->h, queries, before);
    at_cells_clear(tally->work->call->taps, tally->b, tally->h, queries, after);
    tally->written = queries.end;
}

/* ---- the grid's counts ---- */

/* Rows of one slot that see the same keys and no others. */
static void count_rows(received *tally, int32_t slot, at_span keys, double rows) {
    int64_t columns = tally->work->call->taps->grid_columns, total = tally->work->call->problem->keys;
    double *count = tally->count + slot * (tally->units.end - tally->units.first);
    const double *start = tally->start;
    int64_t first = at_band_of(keys.first, columns, total) - tally->units.first;
    int64_t last = at_band_of(keys.end - 1, columns, total) - tally->units.first;
    for (int64_t x = first; x <= last; x++)
        count[x] += rows * (start[x + 1] - start[x]);
    count[first] -= rows * ((double)keys.first - start[first]);
    count[last] -= rows * (start[last + 1] - (double)keys.end);
}

/* Where position alone decides who sees whom, for all keys of the range at once. */
static void count_by_position(received *tally, const at_block *block) {
    for (int32_t i = 0, end; i < block->rows; i = end) {
        const at_query *at = &block->query[i];
        at_span keys = {at->first > tally->keys.first ? at->first : tally->keys.first, least(at->end, tally->keys.end)};
        for (end = i + 1; end < block->rows && tally->slot[end] == tally->slot[i] && at[end - i].first == at->first &&
                          at[end - i].end == at->end;
             end++)
            ;
        if (keys.first < keys.end)
            count_rows(tally, tally->slot[i], keys, end - i);
    }
}

/* Where a mask or a bias decides too: for the keys of one span. */
static void count_by_content(received *tally, at_span span, const uint64_t *seen) {
    int64_t columns = tally->work->call->taps->grid_columns, keys = tally->work->call->problem->keys;
    int64_t width = tally->units.end - tally->units.first;
    for (int32_t slot = 0; seen == NULL && slot < tally->slots; slot++)
        count_rows(tally, slot, span, __builtin_popcountll(tally->slot_rows[slot]));
    for (int64_t j = span.first; seen != NULL && j < span.end; j++) {
        double *count = tally->count + at_band_of(j, columns, keys) - tally->units.first;
        for (int32_t slot = 0; slot < tally->slots; slot++)
            count[slot * width] += __builtin_popcountll(seen[j - span.first] & tally->slot_rows[slot]);
    }
}

/* ---- the grid's weights ---- */

/* The maximum passes over NaN; a row that holds it holds it wherever it sees a key. */
static void mark_broken(received *tally, const at_block *block, at_span span, const uint64_t *seen) {
    const at_fused *call = tally->work->call;
    int64_t width = tally->units.end - tally->units.first;
    for (int32_t i = 0; i < block->rows; i++)
        for (int64_t j = span.first; isnan(block->final.inverse[i]) && j < span.end; j++)
            if (seen == NULL || (seen[j - span.first] >> i & 1))
                tally->most[tally->slot[i] * width + at_band_of(j, call->taps->grid_columns, call->problem->keys) -
                            tally->units.first] = (double)NAN;
}

/* Lines for columns that are neighbours, the first of them x: over the rows of each band. */
static void add_lines(received *tally, const at_block *block, int64_t x, int32_t lines, const at_real *values,
                      int32_t most) {
    int64_t width = tally->units.end - tally->units.first;
    double *to[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++)
        to[i] = (most ? tally->most : tally->sum) + tally->slot[i] * width + x;
    tally->work->plan.kernels->across(values, block->rows, lines, most, to);
}

/* The weights of a span of keys inside one chunk: a line for each column of the grid, in their place, then the lines
   over the rows. */
static void tally_grid(received *tally, const at_block *block, at_span span, at_real *weights, const uint64_t *seen) {
    const at_fused *call = tally->work->call;
    const at_taps *taps = call->taps;
    int64_t x = at_band_of(span.first, taps->grid_columns, call->problem->keys) - tally->units.first, column[AT_CHUNK];
    int32_t end[AT_CHUNK], lines = 0;
    do {
        int64_t first = span.first + (lines > 0 ? end[lines - 1] : 0);
        while (tally->start[x + 1] <= (double)first) /* a column without keys, when there are more columns than keys */
            x++;
        column[lines] = x;
        end[lines++] = (int32_t)(least((int64_t)tally->start[x + 1], span.end) - span.first);
    } while (span.first + end[lines - 1] < span.end);
    bool wants_most = at_given_out(&taps->grid_max);
    tally->work->plan.kernels->pool(weights, block->rows, end, lines, weights, wants_most ? tally->line_most : NULL);
    for (int32_t n = 0, next; n < lines; n = next) {
        for (next = n + 1; next < lines && column[next] == column[n] + next - n; next++)
            ;
        if (at_given_out(&taps->grid_sum))
            add_lines(tally, block, column[n], next - n, weights + n * AT_LANES, 0);
        if (wants_most)
            add_lines(tally, block, column[n], next - n, tally->line_most + n * AT_LANES, 1);
    }
    mark_broken(tally, block, span, seen);
}

/* ---- the task ---- */

static void tally_columns(received *tally, const at_block *block, at_span span, const at_real *weights) {
    const at_taps *taps = tally->work->call->taps;
    uint64_t rows = 0;
    for (int32_t i = 0; i < block->rows; i++)
        if (block->query[i].i >= taps->column_first && block->query[i].i < taps->column_end)
            rows |= (uint64_t)1 << i;
    tally->work->plan.kernels->receive(weights, (int32_t)(span.end - span.first), rows,
                                       tally->column_sum + (span.first - tally->keys.first));
}

/* The keys from key first on, as far as its chunk goes. */
static at_panel keys_of_chunk(const received *tally, int64_t first) {
    const at_fused *call = tally->work->call;
    int64_t chunk = first - first % AT_CHUNK, width = call->problem->head_width;
    at_panel keys = at_panel_raw(call->k, tally->b, tally->h / call->problem->group, chunk);
    if (tally->converted != NULL) {
        keys.rows = tally->converted + (chunk - first_chunk(tally)) * width;
        keys.stride = width;
        keys.dtype = AT_REAL_DTYPE;
    }
    return at_panel_from(keys, first - chunk);
}

/* Those that were kept, or made once more. */
static at_real *scores_of(const received *tally, const at_block *block, at_span span, const uint64_t *seen) {
    if (block->kept != NULL)
        return block->kept + span.first * AT_LANES;
    const at_forward_work *work = tally->work;
    at_panel keys = keys_of_chunk(tally, span.first);
    at_ahead then = at_panel_ahead(keys, span.end - span.first, work->call->problem->head_width);
    at_block_scores(work->call, &work->plan, tally->bench, block, span, keys, seen, &then);
    return tally->bench->scores;
}

static void step(received *tally, const at_block *block, at_span span) {
    const at_fused *call = tally->work->call;
    const at_plan *plan = &tally->work->plan;
    const uint64_t *seen = at_see(call->problem, block->query, block->rows, span, tally->bench->seen);
    if (!at_seen_by_some(seen, block->rows, span)) {
        if (tally->single)
            at_cells_clear(call->taps, tally->b, tally->h, queries_of(block), span);
        return;
    }
    at_real *weights = scores_of(tally, block, span, seen);
    plan->kernels->reweigh(weights, block->rows, (int32_t)(span.end - span.first), seen, plan->factor, &block->final);
    if (at_given_out(&call->taps->column_sum))
        tally_columns(tally, block, span, weights);
    if (tally->single)
        at_cells_write(call->taps, plan->kernels, block, span, weights, seen);
    if (!wants_grid(call->taps) || tally->single)
        return;
    if (at_given_out(&call->taps->grid_count) && at_sees_by_content(call->problem))
        count_by_content(tally, span, seen);
    tally_grid(tally, block, span, weights, seen);
}

/* The keys of the range that are in the span, for a block whose sums are known. */
static void add_block(received *tally, const at_block *block, at_span span) {
    const at_fused *call = tally->work->call;
    span.first = span.first > tally->keys.first ? span.first : tally->keys.first;
    span.end = least(span.end, tally->keys.end);
    const bool pools = wants_grid(call->taps) && !tally->single;
    if (tally->single)
        begin_single_rows(tally, block, span);
    if (pools)
        place_rows(tally, block);
    if (pools && at_given_out(&call->taps->grid_count) && !at_sees_by_content(call->problem))
        count_by_position(tally, block);
    for (int64_t j = span.first, next; j < span.end; j = next) {
        next = least(j + AT_CHUNK - j % AT_CHUNK, span.end);
        at_span chunk = {j, next};
        step(tally, block, chunk);
    }
    if (pools)
        finish_rows(tally);
}

/* Whether anything is asked of queries first .. end-1. */
static bool counts(const at_taps *taps, int64_t first, int64_t end) {
    return wants_grid(taps) || (end > taps->column_first && first < taps->column_end);
}

/* Whether queries first .. end-1 may see a key of the range: without packing, positions rise with the queries. */
static bool may_see(const received *tally, int64_t first, int64_t end) {
    const at_problem *problem = tally->work->call->problem;
    if (at_given_in(&problem->query_starts))
        return true;
    at_query low = at_query_of(problem, tally->b, tally->h, first);
    at_query high = at_query_of(problem, tally->b, tally->h, end - 1);
    return low.first < tally->keys.end && high.end > tally->keys.first;
}

static void run_block(received *tally, int64_t first, int64_t end) {
    const at_forward_work *work = tally->work;
    at_block *block = &tally->bench->blocks[0];
    if (!counts(work->call->taps, first, end) || !may_see(tally, first, end))
        return;
    block->rows = 0;
    for (int64_t i = first; i < end; i++)
        block->query[block->rows++] = at_query_of(work->call->problem, tally->b, tally->h, i);
    at_span span = at_span_of(block->query, block->rows);
    if (span.first >= tally->keys.end || span.end <= tally->keys.first)
        return;
    at_block_pack(work->call, &work->plan, tally->bench, block);
    at_look_settle(work->call, &work->plan, block);
    add_block(tally, block, span);
}

static void end(received *tally) {
    const at_taps *taps = tally->work->call->taps;
    for (int64_t j = tally->keys.first; at_given_out(&taps->column_sum) && j < tally->keys.end; j++)
        at_set(&taps->column_sum, tally->b, tally->h, j, 0, tally->column_sum[j - tally->keys.first]);
    if (tally->single)
        clear_rows(tally, taps->grid_rows);
    if (!wants_grid(taps) || tally->single)
        return;
    if (tally->band >= 0) {
        write_empty_bands(tally, tally->band);
        write_band(tally, tally->band, 0);
    }
    write_empty_bands(tally, taps->grid_rows);
}

void at_received_run(void *opaque, int64_t index, int32_t lane) {
    const at_forward_work *work = opaque;
    received *tally = begin(work, index / work->ranges, index % work->ranges, lane);
    int64_t queries = work->call->problem->queries;
    for (int64_t i = 0; i < queries; i += AT_LANES)
        run_block(tally, i, least(i + AT_LANES, queries));
    end(tally);
}

/* ---- beside the output ---- */

void at_received_begin(const at_forward_work *work, int64_t head, int32_t lane) { (void)begin(work, head, 0, lane); }

void at_received_add(const at_forward_work *work, at_block *block, int32_t lane) {
    if (counts(work->call->taps, block->query[0].i, block->query[block->rows - 1].i + 1) &&
        block->span.first < block->span.end)
        add_block(at_tally_of(work, lane), block, block->span);
}

void at_received_end(const at_forward_work *work, int32_t lane) { end(at_tally_of(work, lane)); }
