#include "bench_taps.h"

#include <string.h>

enum { TOP = 16, ROWS = 16, CELLS = 512, KINDS = 4 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* One number for each query. */
static int make_number(bench_data *data, const attend_problem *problem, attend_out *made) {
    int64_t numbers[] = {problem->batch, problem->heads, problem->queries};
    return bench_zeros(data, ATTEND_F32, 3, numbers, made);
}

static int make_four(bench_data *data, const attend_problem *problem, attend_dtype dtype, int64_t third, int64_t fourth,
                     attend_out *made) {
    int64_t sizes[] = {problem->batch, problem->heads, third, fourth};
    return bench_zeros(data, dtype, 4, sizes, made);
}

static int none(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    (void)data, (void)problem, (void)taps;
    return CLI_DONE;
}

static int lse(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    return make_number(data, problem, &taps->lse);
}

static int entropy(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    return make_number(data, problem, &taps->lse) || make_number(data, problem, &taps->row_max) ||
           make_number(data, problem, &taps->entropy);
}

static int rows(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    int64_t count = least(ROWS, problem->queries);
    attend_out list;
    int status = bench_zeros(data, ATTEND_I32, 1, &count, &list);
    for (int64_t n = 0; status == CLI_DONE && n < count; n++)
        ((int32_t *)list.data)[n] = (int32_t)least(n * problem->queries / count, INT32_MAX);
    taps->rows = attend_read(list);
    return status || make_four(data, problem, ATTEND_F32, count, problem->keys, &taps->row_weights);
}

static int top(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    int64_t count = least(TOP, problem->keys);
    return make_four(data, problem, ATTEND_I32, problem->queries, count, &taps->top_index) ||
           make_four(data, problem, ATTEND_F32, problem->queries, count, &taps->top_weight) ||
           make_number(data, problem, &taps->top_rest);
}

static int columns(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    int64_t numbers[] = {problem->batch, problem->heads, problem->keys};
    return bench_zeros(data, ATTEND_F32, 3, numbers, &taps->column_sum);
}

static int grid(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    int64_t height = least(CELLS, problem->queries), width = least(CELLS, problem->keys);
    return make_four(data, problem, ATTEND_F32, height, width, &taps->grid_sum) ||
           make_four(data, problem, ATTEND_F32, height, width, &taps->grid_count) ||
           make_four(data, problem, ATTEND_F32, height, width, &taps->grid_max);
}

static int segments(bench_data *data, const attend_problem *problem, attend_taps *taps) {
    attend_out kinds;
    int status = bench_zeros(data, ATTEND_I32, 1, &problem->keys, &kinds);
    for (int64_t j = 0; status == CLI_DONE && j < problem->keys; j++)
        ((int32_t *)kinds.data)[j] = (int32_t)(j % KINDS);
    taps->segments = attend_read(kinds);
    return status || make_four(data, problem, ATTEND_F32, problem->queries, KINDS, &taps->segment_mass);
}

const char *const bench_tap_names[] = {"none", "lse", "entropy", "rows", "top", "columns", "grid", "segments", NULL};
static int (*const makers[])(bench_data *, const attend_problem *, attend_taps *) = {none, lse,     entropy, rows,
                                                                                     top,  columns, grid,    segments};

int bench_taps_make(bench_data *data, const attend_problem *problem, const char *name, attend_taps *taps) {
    int index = 0;
    *taps = attend_taps_init();
    while (strcmp(bench_tap_names[index], name) != 0)
        index++;
    return makers[index](data, problem, taps) == CLI_DONE ? CLI_DONE : CLI_FAILED;
}
