#include "stage/tally.h"

#include "base/size.h"

static bool wants_grid(const at_taps *taps) {
    return at_given_out(&taps->grid_sum) || at_given_out(&taps->grid_count) || at_given_out(&taps->grid_max);
}

static int64_t segment_count(const at_taps *taps) {
    return at_given_out(&taps->segment_mass) ? taps->segment_mass.shape[3] : 0;
}

bool at_tally_size(const at_problem *problem, const at_taps *taps, size_t *size) {
    size_t cells, grids, tops, numbers;
    return at_size_mul((size_t)taps->grid_rows, (size_t)taps->grid_columns, &cells) && at_size_mul(cells, 3, &grids) &&
           at_size_mul((size_t)taps->top, 2, &tops) && at_size_add((size_t)problem->keys, grids, &numbers) &&
           at_size_add(numbers, tops, &numbers) && at_size_add(numbers, (size_t)segment_count(taps), &numbers) &&
           at_size_mul(numbers, sizeof(double), size);
}

void at_tally_lay_out(const at_problem *problem, const at_taps *taps, void *block, at_tally *tally) {
    int64_t cells = taps->grid_rows * taps->grid_columns;
    tally->columns = block;
    tally->grid_sum = tally->columns + problem->keys;
    tally->grid_count = tally->grid_sum + cells;
    tally->grid_max = tally->grid_count + cells;
    tally->top_weight = tally->grid_max + cells;
    tally->mass = tally->top_weight + taps->top;
    tally->top_index = (int64_t *)(tally->mass + segment_count(taps));
}

void at_tally_begin(const at_problem *problem, const at_taps *taps, at_tally *tally) {
    for (int64_t j = 0; j < problem->keys; j++)
        tally->columns[j] = 0;
    for (int64_t cell = 0; cell < taps->grid_rows * taps->grid_columns; cell++)
        tally->grid_sum[cell] = tally->grid_count[cell] = tally->grid_max[cell] = 0;
}

static void set_if(const attend_out *tensor, const at_query *at, double value) {
    if (at_given_out(tensor))
        at_set(tensor, at->b, at->h, at->i, 0, value);
}

/* Puts key j into the list of the heaviest so far; of equal weights the lower key, which came first, stays
   in front. */
static void insert_top(at_tally *tally, int64_t top, int64_t j, double weight) {
    int64_t place = top;
    while (place > 0 && (tally->top_index[place - 1] < 0 || weight > tally->top_weight[place - 1]))
        place--;
    if (place == top)
        return;
    for (int64_t behind = top - 1; behind > place; behind--) {
        tally->top_weight[behind] = tally->top_weight[behind - 1];
        tally->top_index[behind] = tally->top_index[behind - 1];
    }
    tally->top_weight[place] = weight;
    tally->top_index[place] = j;
}

static void tap_top(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally) {
    double rest = 1;
    bool broken = isnan(row->lse); /* no order among NaN: the row says so instead of naming keys */
    for (int64_t n = 0; n < taps->top; n++) {
        tally->top_weight[n] = broken ? row->lse : 0;
        tally->top_index[n] = -1;
    }
    for (int64_t j = 0; !broken && j < problem->keys; j++)
        if (row->seen[j])
            insert_top(tally, taps->top, j, row->weights[j]);
    for (int64_t n = 0; n < taps->top; n++) {
        rest -= tally->top_weight[n];
        if (at_given_out(&taps->top_index))
            at_set(&taps->top_index, row->at.b, row->at.h, row->at.i, n, (double)tally->top_index[n]);
        if (at_given_out(&taps->top_weight))
            at_set(&taps->top_weight, row->at.b, row->at.h, row->at.i, n, tally->top_weight[n]);
    }
    set_if(&taps->top_rest, &row->at, row->lse == -INFINITY ? 0 : rest);
}

static void copy_if(const attend_out *tensor, const at_query *at, int64_t n, const double *values) {
    if (at_given_out(tensor))
        at_set_row(tensor, at->b, at->h, n, values);
}

static void tap_rows(const at_taps *taps, const at_row *row) {
    int64_t count = at_given_in(&taps->rows) ? taps->rows.shape[0] : 0;
    for (int64_t n = 0; n < count; n++) {
        if ((int64_t)at_get(&taps->rows, n, 0, 0, 0) != row->at.i)
            continue;
        copy_if(&taps->row_raw, &row->at, n, row->raw);
        copy_if(&taps->row_capped, &row->at, n, row->capped);
        copy_if(&taps->row_biased, &row->at, n, row->masked);
        copy_if(&taps->row_weights, &row->at, n, row->weights);
    }
}

static void tap_columns(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally) {
    if (!at_given_out(&taps->column_sum) || row->at.i < taps->column_first || row->at.i >= taps->column_end)
        return;
    for (int64_t j = 0; j < problem->keys; j++)
        tally->columns[j] += row->weights[j];
}

/* A NaN shows, and stays. */
static double larger(double most, double weight) { return isnan(most) || weight <= most ? most : weight; }

static void tap_grid(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally) {
    if (!wants_grid(taps) || taps->grid_rows == 0 || taps->grid_columns == 0)
        return;
    int64_t first = at_band_of(row->at.i, taps->grid_rows, problem->queries) * taps->grid_columns;
    for (int64_t j = 0; j < problem->keys; j++) {
        int64_t cell = first + at_band_of(j, taps->grid_columns, problem->keys);
        if (!row->seen[j])
            continue;
        tally->grid_sum[cell] += row->weights[j];
        tally->grid_count[cell] += 1;
        tally->grid_max[cell] = larger(tally->grid_max[cell], row->weights[j]);
    }
}

static void tap_segments(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally) {
    int64_t count = segment_count(taps);
    for (int64_t n = 0; n < count; n++)
        tally->mass[n] = 0;
    for (int64_t j = 0; count && j < problem->keys; j++)
        tally->mass[(int64_t)at_get(&taps->segments, j, 0, 0, 0)] += row->weights[j];
    if (at_given_out(&taps->segment_mass))
        at_set_row(&taps->segment_mass, row->at.b, row->at.h, row->at.i, tally->mass);
}

void at_tally_row(const at_problem *problem, const at_taps *taps, const at_row *row, at_tally *tally) {
    set_if(&taps->lse, &row->at, row->lse);
    set_if(&taps->row_max, &row->at, row->max);
    set_if(&taps->entropy, &row->at, row->entropy);
    if (taps->top > 0 || at_given_out(&taps->top_rest))
        tap_top(problem, taps, row, tally);
    tap_rows(taps, row);
    tap_columns(problem, taps, row, tally);
    tap_grid(problem, taps, row, tally);
    tap_segments(problem, taps, row, tally);
}

static void write_grid(const attend_out *tensor, int64_t b, int64_t h, const double *cells) {
    for (int64_t y = 0; at_given_out(tensor) && y < tensor->shape[2]; y++)
        at_set_row(tensor, b, h, y, cells + y * tensor->shape[3]);
}

void at_tally_end(const at_problem *problem, const at_taps *taps, int64_t b, int64_t h, const at_tally *tally) {
    for (int64_t j = 0; at_given_out(&taps->column_sum) && j < problem->keys; j++)
        at_set(&taps->column_sum, b, h, j, 0, tally->columns[j]);
    write_grid(&taps->grid_sum, b, h, tally->grid_sum);
    write_grid(&taps->grid_count, b, h, tally->grid_count);
    write_grid(&taps->grid_max, b, h, tally->grid_max);
}
