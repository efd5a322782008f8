#include "bench_report.h"

#include <math.h>
#include <string.h>

#include "peak.h"

static void print_bytes(int64_t bytes) {
    if (bytes < 0)
        printf("  %10s", "unknown");
    else
        printf("  %6.1f MiB", (double)bytes / 1048576);
}

void bench_report_header(void) {
    printf("%-15s %-8s %-8s %-4s %3s  %10s %21s  %8s %7s  %7s %8s  %10s  %9s  %4s\n", "problem", "taps", "kernels",
           "type", "thr", "time ms", "middle half of runs", "GFLOP/s", "of peak", "GB/s", "of read.", "memory",
           "of plain", "runs");
}

void bench_report_row(const bench_row *row) {
    bool fast = strcmp(row->path, "fast") == 0;
    printf("%-15s %-8s %-8s %-4s %3d  %10.4g %10.4g-%-10.4g  %8.1f %5.1f %%  %7.2f %6.1f %%", row->name, row->tap,
           fast ? attend_isa_name(row->isa) : "readable", attend_dtype_name(row->stored), (int)row->threads,
           row->seconds * 1e3, row->quarter * 1e3, row->three_quarters * 1e3, row->flops / row->seconds * 1e-9,
           row->of_peak * 100, row->bytes / row->seconds * 1e-9, row->of_read * 100);
    print_bytes(row->extra_bytes);
    printf("  %9.3f  %4lld\n", row->of_plain, (long long)row->runs);
    fflush(stdout);
}

static json_t *describe(const attend_problem *problem) {
    bool ahead = problem->flags & ATTEND_LIMIT_AHEAD, back = problem->flags & ATTEND_LIMIT_BACK;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "batch", problem->batch, "heads", problem->heads,
                     "kv_heads", problem->kv_heads, "queries", problem->queries, "keys", problem->keys, "head_width",
                     problem->head_width, "value_width", problem->value_width, "ahead",
                     ahead ? json_integer(problem->ahead) : json_null(), "back",
                     back ? json_integer(problem->back) : json_null());
}

json_t *bench_report_json(const bench_row *row) {
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, "
        "s:o}",
        "name", row->name, "problem", describe(&row->problem), "dtype", attend_dtype_name(row->dtype), "stored",
        attend_dtype_name(row->stored), "taps", row->tap, "path", row->path, "isa", attend_isa_name(row->isa),
        "threads", row->threads, "runs", row->runs, "seconds", row->seconds, "seconds_least", row->least,
        "seconds_quarter", row->quarter, "seconds_three_quarters", row->three_quarters, "flops", row->flops, "bytes",
        row->bytes, "peak_flops_per_second", row->peak, "of_peak", row->of_peak, "read_bytes_per_second", row->read,
        "of_read", row->of_read, "of_plain", row->of_plain, "tensor_bytes", row->tensor_bytes, "extra_bytes",
        row->extra_bytes < 0 ? json_null() : json_integer(row->extra_bytes));
}

/* The best of a few, as others may be using the machine too. */
static double best_flops(attend_dtype dtype, int32_t threads) {
    double best = 0, start = cli_seconds();
    while (cli_seconds() - start < 0.1)
        best = fmax(best, peak_flops(dtype, threads));
    return best;
}

json_t *bench_machine(int32_t threads) {
    bench_data data = {.count = 0};
    size_t size = (size_t)256 << 20;
    void *memory = bench_block(&data, size);
    double read = 0;
    if (memory != NULL)
        memset(memory, 1, size);
    for (int n = 0; n < 10 && memory != NULL; n++)
        read = fmax(read, peak_bytes(threads, memory, size));
    bench_data_free(&data);
    return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f}", "loops", peak_best()->name, "threads", threads,
                     "f32_flops_per_second", best_flops(ATTEND_F32, threads), "f64_flops_per_second",
                     best_flops(ATTEND_F64, threads), "bf16_flops_per_second", best_flops(ATTEND_BF16, threads),
                     "read_bytes_per_second", read);
}

static double number(const json_t *machine, const char *key) {
    return json_real_value(json_object_get(machine, key)) * 1e-9;
}

void bench_report_machine(json_t *machine) {
    printf("machine         %s, %lld %s: f32 %.1f, f64 %.1f, bf16 %.1f GFLOP/s, reading %.1f GB/s\n",
           json_string_value(json_object_get(machine, "loops")),
           (long long)json_integer_value(json_object_get(machine, "threads")),
           json_integer_value(json_object_get(machine, "threads")) == 1 ? "thread" : "threads",
           number(machine, "f32_flops_per_second"), number(machine, "f64_flops_per_second"),
           number(machine, "bf16_flops_per_second"), number(machine, "read_bytes_per_second"));
}
