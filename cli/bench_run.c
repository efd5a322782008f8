#include "bench_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "memory_peak.h"
#include "peak.h"

enum { RUNS_MOST = 201, RUNS_LEAST = 3 };

static const size_t read_size = (size_t)256 << 20;
static const double shortest = 1e-3; /* shorter calls are timed together: the loops between them leave cold caches */
static const double bound_by_reading = 32; /* operations for each byte */

/* One row on its way: the context and the outputs of one tap, and every run. */
typedef struct variant {
    attend_ctx *ctx;
    attend_taps taps;
    int64_t repeats;
    double seconds[RUNS_MOST], of_peak[RUNS_MOST], of_read[RUNS_MOST], of_plain[RUNS_MOST];
} variant;

typedef struct bench {
    const bench_plan *plan;
    bench_row *rows;
    bench_data data;
    inputs given;
    attend_out o, lse;
    attend_cache *cache; /* NULL: keys and values are tensors */
    void *memory;        /* (read_size) */
    int32_t threads;
    double flops, bytes;
    int runs;
    double peaks[RUNS_MOST], reads[RUNS_MOST];
    variant all[BENCH_TAPS_MAX];
} bench;

static bool only_looks(const bench *b, const variant *v) { return b->plan->alone && v != &b->all[0]; }

/* attend_look is given log-sum-exps, unless they are what it is to find. */
static attend_status look(const bench *b, const variant *v) {
    const forward_call *call = &b->given.call;
    attend_in lse = attend_read(b->lse);
    bool finds = v->taps.lse.data != NULL;
    return attend_look(v->ctx, &call->problem, &call->q, &call->k, &call->extra, finds ? NULL : &lse, &v->taps);
}

static attend_status decode(const bench *b, const variant *v, const attend_taps *taps) {
    const forward_call *call = &b->given.call;
    attend_problem problem = call->problem;
    problem.keys = problem.query_offset = 0; /* the cache knows them */
    return attend_decode(v->ctx, &problem, &call->q, b->cache, &call->extra, &b->o, taps);
}

static attend_status forward(const bench *b, const variant *v, const attend_taps *taps) {
    const forward_call *call = &b->given.call;
    if (b->cache != NULL)
        return decode(b, v, taps);
    return attend_forward(v->ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &b->o, taps);
}

static int call_once(const bench *b, const variant *v) {
    attend_status status = only_looks(b, v) ? look(b, v) : forward(b, v, &v->taps);
    return status == ATTEND_OK ? CLI_DONE : cli_library_error(v->ctx, status);
}

/* Seconds of one call; below 0 after a message. */
static double time_calls(const bench *b, const variant *v) {
    double start = peak_now(b->threads);
    for (int64_t n = 0; n < v->repeats; n++)
        if (call_once(b, v) != CLI_DONE)
            return -1;
    return (peak_now(b->threads) - start) / (double)v->repeats;
}

/* ---- Before the first run ---------------------------------------------------------------------------------------- */

static int make_tensors(bench *b) {
    const bench_shape *problem_shape = b->plan->shape;
    attend_in made[3];
    int status = bench_tensors(&b->data, &problem_shape->sizes, problem_shape->content, made);
    if (status == CLI_DONE)
        status = inputs_made(b->plan->wish, made, &b->given);
    if (status != CLI_DONE)
        return status;
    const attend_problem *problem = &b->given.call.problem;
    int64_t output[] = {problem->batch, problem->heads, problem->queries, problem->value_width};
    b->threads = attend_ctx_threads(b->given.ctx);
    b->flops = 2 * bench_pairs(problem) * (double)(problem->batch * problem->heads) *
               (double)(problem->head_width + problem->value_width);
    status = bench_extra(&b->data, problem, problem_shape->content, &b->given.call.extra);
    if (status == CLI_DONE)
        status = bench_zeros(&b->data, problem_shape->sizes.dtype, 4, output, &b->o);
    for (int block = 0; block < b->data.count; block++)
        b->bytes += (double)b->data.size[block];
    return status;
}

/* Keys and values go into a cache, and its bytes are those that are read. */
static int make_cache(bench *b) {
    const forward_call *call = &b->given.call;
    const attend_problem *problem = &call->problem;
    attend_cache_config config = attend_cache_config_init();
    config.batch = problem->batch;
    config.kv_heads = problem->kv_heads;
    config.head_width = problem->head_width;
    config.value_width = problem->value_width;
    config.capacity = problem->keys;
    config.key_dtype = config.value_dtype = (int32_t)b->plan->cache;
    attend_status status = attend_cache_create(b->given.ctx, &config, &b->cache);
    if (status == ATTEND_OK)
        status = attend_cache_append(b->given.ctx, b->cache, &call->k, &call->v, NULL);
    if (status != ATTEND_OK)
        return cli_library_error(b->given.ctx, status);
    double numbers = (double)(problem->head_width + problem->value_width);
    double scales = b->plan->cache == ATTEND_I8 ? 2 * sizeof(float) : 0;
    double rows = (double)(problem->batch * problem->kv_heads * problem->keys);
    b->bytes -= rows * numbers * (double)attend_dtype_size(b->plan->shape->sizes.dtype);
    b->bytes += rows * (numbers * (double)attend_dtype_size(b->plan->cache) + scales);
    return CLI_DONE;
}

static int make_variant(bench *b, int index) {
    variant *v = &b->all[index];
    attend_config config = attend_config_init();
    config.threads = b->threads;
    config.isa = (int32_t)attend_ctx_isa(b->given.ctx);
    attend_status status = attend_ctx_create(&config, &v->ctx);
    v->repeats = 1;
    if (status != ATTEND_OK)
        return cli_library_error(NULL, status);
    return bench_taps_make(&b->data, &b->given.call.problem, b->plan->taps[index], &v->taps);
}

/* The log-sum-exps that looking alone is given. */
static int make_lse(bench *b) {
    const attend_problem *problem = &b->given.call.problem;
    int64_t numbers[] = {problem->batch, problem->heads, problem->queries};
    attend_taps taps = attend_taps_init();
    int status = bench_zeros(&b->data, ATTEND_F64, 3, numbers, &b->lse);
    taps.lse = b->lse;
    if (status != CLI_DONE)
        return status;
    attend_status result = forward(b, &b->all[0], &taps);
    return result == ATTEND_OK ? CLI_DONE : cli_library_error(b->all[0].ctx, result);
}

/* The first call: its memory, and how many calls make a time that can be measured. */
static int first_call(bench *b, int index) {
    variant *v = &b->all[index];
    int64_t before = memory_resident();
    memory_peak_reset();
    int status = call_once(b, v);
    int64_t most = memory_peak();
    if (status != CLI_DONE)
        return status;
    b->rows[index].extra_bytes = before < 0 || most < 0 ? -1 : most < before ? 0 : most - before;
    double seconds = time_calls(b, v);
    while (seconds >= 0 && seconds * (double)v->repeats < shortest) {
        v->repeats *= 2;
        seconds = time_calls(b, v);
    }
    return seconds < 0 ? CLI_FAILED : CLI_DONE;
}

static int prepare(bench *b) {
    int status = make_tensors(b);
    if (status == CLI_DONE && b->plan->cache != 0)
        status = make_cache(b);
    for (int index = 0; index < b->plan->tap_count && status == CLI_DONE; index++)
        status = make_variant(b, index);
    if (status == CLI_DONE && b->plan->alone)
        status = make_lse(b);
    b->memory = status == CLI_DONE ? bench_block(&b->data, read_size) : NULL;
    if (b->memory == NULL)
        return status == CLI_DONE ? CLI_FAILED : status;
    for (int block = 0; block < b->data.count; block++) /* pages that are there from now on */
        for (size_t byte = 0; byte < b->data.size[block]; byte += 4096)
            ((volatile char *)b->data.block[block])[byte] = ((volatile char *)b->data.block[block])[byte];
    peak_flops(b->plan->shape->sizes.dtype, b->threads); /* starts the threads */
    for (int index = 0; index < b->plan->tap_count && status == CLI_DONE; index++)
        status = first_call(b, index);
    return status;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* Reading sweeps the caches, so where the work does not wait for memory it is measured once. */
static double read_speed(bench *b) {
    bool again = b->flops / b->bytes < bound_by_reading || b->runs == 0;
    return again ? peak_bytes(b->threads, b->memory, read_size) : b->reads[0];
}

static int run_round(bench *b) {
    attend_dtype dtype = b->plan->shape->sizes.dtype;
    int n = b->runs;
    double before, after = 0, plain = 0;
    b->reads[n] = read_speed(b);
    if (n == 0 && call_once(b, &b->all[0]) != CLI_DONE)
        return CLI_FAILED;
    before = b->peaks[n] = peak_flops(dtype, b->threads);
    for (int index = 0; index < b->plan->tap_count; index++) {
        variant *v = &b->all[index];
        double seconds = v->seconds[n] = time_calls(b, v);
        if (seconds < 0)
            return CLI_FAILED;
        after = peak_flops(dtype, b->threads);
        plain = index == 0 ? seconds : plain;
        v->of_peak[n] = b->flops / seconds / fmax(before, after);
        v->of_read[n] = b->bytes / seconds / b->reads[n];
        v->of_plain[n] = seconds / plain;
        b->peaks[n] = fmax(b->peaks[n], after);
        before = after;
    }
    b->runs++;
    return CLI_DONE;
}

static int run_all(bench *b) {
    double budget = b->plan->seconds * b->plan->tap_count, start = cli_seconds(), spent = 0;
    int status = CLI_DONE;
    while (status == CLI_DONE && b->runs < RUNS_MOST && (b->runs < RUNS_LEAST || spent < budget)) {
        status = run_round(b);
        spent = cli_seconds() - start;
        cli_progress(b->plan->shape->name, fmin(spent / budget, 0.99));
    }
    cli_progress(b->plan->shape->name, 1);
    return status;
}

/* ---- Summary ----------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Element share * (count - 1) of the sorted list. */
static double part_of(double *list, int count, double share) {
    qsort(list, (size_t)count, sizeof *list, by_size);
    return list[(int)(share * (count - 1) + 0.5)];
}

static void summarize(bench *b, int index) {
    variant *v = &b->all[index];
    bench_row *row = &b->rows[index];
    row->name = b->plan->shape->name;
    row->tap = b->plan->taps[index];
    row->path = strcmp(attend_ctx_path(v->ctx), "fast") == 0 ? "fast" : "readable";
    row->isa = attend_ctx_isa(v->ctx);
    row->threads = b->threads;
    row->dtype = b->plan->shape->sizes.dtype;
    row->stored = b->plan->cache != 0 ? b->plan->cache : row->dtype;
    row->problem = b->given.call.problem;
    row->runs = b->runs;
    row->seconds = part_of(v->seconds, b->runs, 0.5);
    row->quarter = part_of(v->seconds, b->runs, 0.25);
    row->three_quarters = part_of(v->seconds, b->runs, 0.75);
    row->least = part_of(v->seconds, b->runs, 0);
    row->flops = b->flops;
    row->bytes = b->bytes;
    row->peak = part_of(b->peaks, b->runs, 0.5);
    row->read = part_of(b->reads, b->runs, 0.5);
    row->of_peak = part_of(v->of_peak, b->runs, 0.5);
    row->of_read = part_of(v->of_read, b->runs, 0.5);
    row->of_plain = part_of(v->of_plain, b->runs, 0.5);
    row->tensor_bytes = (int64_t)b->bytes;
}

int bench_measure(const bench_plan *plan, bench_row *rows) {
    bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return cli_failure("no memory to keep the times in");
    b->plan = plan;
    b->rows = rows;
    int status = prepare(b);
    if (status == CLI_DONE)
        status = run_all(b);
    for (int index = 0; index < plan->tap_count && status == CLI_DONE; index++)
        summarize(b, index);
    for (int index = 0; index < plan->tap_count; index++)
        attend_ctx_destroy(b->all[index].ctx);
    attend_cache_destroy(b->cache);
    inputs_free(&b->given);
    bench_data_free(&b->data);
    free(b);
    return status;
}
