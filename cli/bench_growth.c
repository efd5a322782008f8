#include "bench_growth.h"

#include <math.h>

#include "bench_report.h"

enum { STEPS_MOST = 12, DOUBLINGS = 4 };

typedef struct growth {
    int count;
    double keys[STEPS_MOST], seconds[STEPS_MOST], memory[STEPS_MOST], scratch[STEPS_MOST], grid[STEPS_MOST];
} growth;

/* The slope of the straight line through (log x, log y) with the least squares: y grows as x to this power. */
static double exponent_of(const growth *found, const double *y) {
    double mean_x = 0, mean_y = 0, above = 0, below = 0;
    for (int n = 0; n < found->count; n++) {
        mean_x += log(found->keys[n]) / found->count;
        mean_y += log(y[n]) / found->count;
    }
    for (int n = 0; n < found->count; n++) {
        double dx = log(found->keys[n]) - mean_x;
        above += dx * (log(y[n]) - mean_y);
        below += dx * dx;
    }
    return above / below;
}

static int measure(const bench_plan *plan, int64_t keys, growth *found, json_t *rows) {
    bench_shape problem = *plan->shape;
    bench_plan smaller = *plan;
    bench_row row = {.runs = 0};
    problem.sizes.queries = problem.sizes.queries == problem.sizes.keys ? keys : problem.sizes.queries;
    problem.sizes.keys = keys;
    smaller.shape = &problem;
    int status = bench_measure(&smaller, &row);
    if (status != CLI_DONE)
        return status;
    int n = found->count++;
    double extra = row.extra_bytes < 0 ? 0 : (double)row.extra_bytes;
    found->keys[n] = (double)keys;
    found->seconds[n] = row.seconds;
    found->memory[n] = (double)row.tensor_bytes + extra;
    found->scratch[n] = extra;
    found->grid[n] = 4.0 * (double)(row.problem.batch * row.problem.heads) * (double)row.problem.queries * (double)keys;
    if (rows != NULL)
        json_array_append_new(rows, bench_report_json(&row));
    else
        printf("%-15s %9lld  %11.4g  %12.2f  %12.2f  %12.2f\n", row.name, (long long)keys, row.seconds * 1e3,
               found->memory[n] / 1048576, extra / 1048576, found->grid[n] / 1048576);
    return CLI_DONE;
}

static void conclude(const bench_plan *plan, const growth *found, json_t *list, json_t *rows) {
    double time = exponent_of(found, found->seconds), memory = exponent_of(found, found->memory);
    double grid = exponent_of(found, found->grid);
    if (rows != NULL)
        json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:f, s:f}", "name", plan->shape->name, "rows", rows,
                                              "time_exponent", time, "memory_exponent", memory, "grid_exponent", grid));
    else
        printf("%-15s grows as  keys^%-6.2f  keys^%-19.2f           keys^%-6.2f\n", plan->shape->name, time, memory,
               grid);
}

int bench_growth(const bench_plan *plan, json_t *list) {
    growth found = {0};
    json_t *rows = list == NULL ? NULL : json_array();
    int64_t keys = plan->shape->sizes.keys;
    int status = CLI_DONE;
    for (int n = 0; n < DOUBLINGS && keys >= BENCH_GROWTH_LEAST; n++)
        keys /= 2;
    if (rows == NULL)
        printf("%-15s %9s  %11s  %12s  %12s  %12s\n", "problem", "keys", "time ms", "memory MiB", "scratch MiB",
               "a grid, MiB");
    for (; keys <= plan->shape->sizes.keys && status == CLI_DONE; keys *= 2)
        status = measure(plan, keys, &found, rows);
    if (status == CLI_DONE)
        conclude(plan, &found, list, rows);
    else
        json_decref(rows);
    return status;
}
