/* kernel_speed - how near the fast path comes to this processor's own peak.

       kernel_speed ISA THREADS HEADS KV_HEADS WIDTH QUERIES KEYS full|causal|WINDOW|mask|bias|alibi f32|f16|bf16

   The peak of multiply-adds (or, for a single query, the speed of reading) is measured between the runs, in the same
   process and on as many threads, and the median of the ratios is printed: on a shared machine nothing else is worth
   much.  A causal or windowed grid counts the pairs that are seen; a mask hides half of them at random, and counts all. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/half.h"
#include "fused/forward.h"
#include "kernel/select.h"
#include "tensor/arguments.h"

static float sink[64]; /* of each thread: what keeps the compiler from leaving the work out */

/* One thread is timed by its own clock, which stands still while other programs have the processor. */
static clockid_t timer = CLOCK_MONOTONIC;

static double now(void) {
    struct timespec t;
    clock_gettime(timer, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Multiply-adds of one thread for about a tenth of a millisecond. */
__attribute__((target("avx512f"), noinline)) static float multiply_add(int64_t steps) {
    __m512 sum[12], b = _mm512_set1_ps(0.999f), c = _mm512_set1_ps(1e-3f), total = _mm512_setzero_ps();
    for (int i = 0; i < 12; i++)
        sum[i] = _mm512_set1_ps(1.0f + (float)i);
    for (int64_t n = 0; n < steps; n++)
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++)
            sum[i] = _mm512_fmadd_ps(sum[i], b, c);
    for (int i = 0; i < 12; i++)
        total = _mm512_add_ps(total, sum[i]);
    return _mm512_reduce_add_ps(total);
}

static double peak_flops(int threads) {
    int64_t steps = 40000;
    double t = now();
#pragma omp parallel num_threads(threads)
    sink[omp_get_thread_num() % 64] = multiply_add(steps);
    return 32.0 * 12 * (double)steps * threads / (now() - t);
}

__attribute__((target("avx512f"), noinline)) static float read_all(const char *from, size_t size) {
    __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
    for (size_t n = 0; n + 256 <= size; n += 256) {
        _mm_prefetch(from + n + 4096, _MM_HINT_T1);
        _mm_prefetch(from + n + 4160, _MM_HINT_T1);
        _mm_prefetch(from + n + 4224, _MM_HINT_T1);
        _mm_prefetch(from + n + 4288, _MM_HINT_T1);
        a = _mm512_add_ps(a, _mm512_loadu_ps(from + n));
        b = _mm512_add_ps(b, _mm512_loadu_ps(from + n + 64));
        c = _mm512_add_ps(c, _mm512_loadu_ps(from + n + 128));
        d = _mm512_add_ps(d, _mm512_loadu_ps(from + n + 192));
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)));
}

static double peak_bytes(int threads, const char *from, size_t size) {
    double t = now();
#pragma omp parallel num_threads(threads)
    {
        size_t part = size / (size_t)threads;
        sink[omp_get_thread_num() % 64] = read_all(from + part * (size_t)omp_get_thread_num(), part);
    }
    return (double)size / (now() - t);
}

static void *block(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static attend_in random_tensor(int32_t dtype, int64_t heads, int64_t tokens, int64_t width) {
    static uint32_t seed = 1;
    int64_t shape[] = {1, heads, tokens, width}, count = heads * tokens * width;
    size_t size = attend_dtype_size((attend_dtype)dtype);
    char *data = block((size_t)count * size);
    for (int64_t n = 0; n < count; n++) {
        double x = 0;
        for (int i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            x += ((double)(seed >> 8) / 0x1p24 - 0.5) * 1.7;
        }
        if (dtype == ATTEND_F32)
            ((float *)(void *)data)[n] = (float)x;
        else
            ((uint16_t *)(void *)data)[n] = dtype == ATTEND_F16 ? at_half_to_f16(x) : at_half_to_bf16(x);
    }
    return attend_in_dense(data, (attend_dtype)dtype, 4, shape);
}

/* mask: random bytes 0 and 1, broadcast over the heads; bias: random floats, likewise; alibi: a slope for each head. */
static attend_extra extra_of(const char *kind, const attend_problem *p) {
    attend_extra extra = attend_extra_init();
    int64_t shape[] = {p->queries, p->keys};
    if (strcmp(kind, "mask") == 0) {
        uint8_t *bytes = block((size_t)(p->queries * p->keys));
        for (int64_t n = 0; n < p->queries * p->keys; n++)
            bytes[n] = (uint8_t)((uint64_t)n * 0x9e3779b97f4a7c15u >> 63);
        extra.mask = attend_in_dense(bytes, ATTEND_U8, 2, shape);
    }
    if (strcmp(kind, "bias") == 0)
        extra.bias = random_tensor(ATTEND_F32, 1, p->queries, p->keys);
    if (strcmp(kind, "alibi") == 0)
        extra.slopes = random_tensor(ATTEND_F32, 1, 1, p->heads);
    if (strcmp(kind, "alibi") == 0)
        extra.slopes.rank = 1, extra.slopes.shape[0] = p->heads, extra.slopes.stride[0] = 1;
    return extra;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double pairs_of(const attend_problem *p) {
    double pairs = 0;
    for (int64_t i = 0; i < p->queries; i++) {
        int64_t end = p->flags & ATTEND_LIMIT_AHEAD ? i + p->query_offset + 1 : p->keys;
        int64_t first = p->flags & ATTEND_LIMIT_BACK ? i + p->query_offset - p->back : 0;
        pairs += (double)((end < p->keys ? end : p->keys) - (first > 0 ? first : 0));
    }
    return pairs * (double)p->heads;
}

int main(int count, char **word) {
    if (count != 10)
        return 2;
    int32_t isa = !strcmp(word[1], "portable") ? 1 : !strcmp(word[1], "avx2") ? 2 : 3, threads = atoi(word[2]);
    int32_t dtype = !strcmp(word[9], "f16") ? ATTEND_F16 : !strcmp(word[9], "bf16") ? ATTEND_BF16 : ATTEND_F32;
    timer = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    attend_problem p = attend_problem_init();
    p.batch = 1, p.heads = atoll(word[3]), p.kv_heads = atoll(word[4]), p.head_width = atoll(word[5]);
    p.queries = atoll(word[6]), p.keys = atoll(word[7]), p.query_offset = p.keys - p.queries;
    if (strcmp(word[8], "causal") == 0 || atoll(word[8]) > 0)
        p.flags = ATTEND_CAUSAL;
    if (atoll(word[8]) > 0)
        p.flags |= ATTEND_LIMIT_BACK, p.back = atoll(word[8]) - 1;
    config.threads = threads;
    attend_in q = random_tensor(dtype, p.heads, p.queries, p.head_width);
    attend_in k = random_tensor(dtype, p.kv_heads, p.keys, p.head_width);
    attend_in v = random_tensor(dtype, p.kv_heads, p.keys, p.head_width);
    attend_out o =
        attend_out_dense(block((size_t)(p.heads * p.queries * p.head_width) * 4), (attend_dtype)dtype, 4, q.shape);
    at_arguments arguments;
    at_problem problem;
    at_taps taps;
    memset(&taps, 0, sizeof taps);
    if (attend_ctx_create(&config, &ctx) != ATTEND_OK)
        return 1;
    at_arguments_begin(&arguments, ctx);
    attend_extra extra = extra_of(word[8], &p);
    if (at_problem_import(&arguments, &p, &extra, &problem) != ATTEND_OK)
        return 1;
    at_fused call = {&problem, &q, &k, &v, &o, &taps, NULL, NULL};
    double flops = 4 * pairs_of(&p) * (double)p.head_width;
    double bytes = 2.0 * (double)(p.kv_heads * p.keys * p.head_width) * (double)attend_dtype_size((attend_dtype)dtype);
    size_t read_size = (size_t)256 << 20;
    char *memory = p.queries == 1 ? block(read_size) : NULL;
    if (memory)
        memset(memory, 1, read_size);
    enum { RUNS = 41 };
    double ratio[RUNS], byte_ratio[RUNS], seconds[RUNS], peaks[RUNS], budget = now() + 2;
    int runs = 0;
    for (int n = -1; n < RUNS && (n < 3 || now() < budget); n++) {
        double peak = peak_flops(threads), read = memory ? peak_bytes(threads, memory, read_size) : 1, t = now();
        if (at_forward(ctx, &call, at_kernels_of((attend_isa)isa)) != ATTEND_OK)
            return 1;
        t = now() - t;
        double after = peak_flops(threads);
        peak = after > peak ? after : peak;
        if (n < 0)
            continue;
        ratio[n] = flops / t / peak, byte_ratio[n] = bytes / t / read, seconds[n] = t, peaks[n] = peak;
        runs = n + 1;
    }
    qsort(ratio, (size_t)runs, sizeof *ratio, by_size);
    qsort(byte_ratio, (size_t)runs, sizeof *ratio, by_size);
    qsort(seconds, (size_t)runs, sizeof *ratio, by_size);
    qsort(peaks, (size_t)runs, sizeof *ratio, by_size);
    printf("%s %s threads, %sx%s heads x %s, %s queries, %s keys, %s, %s: %.3f of %.0f GFLOP/s", word[1], word[2],
           word[3], word[4], word[5], word[6], word[7], word[8], word[9], ratio[runs / 2], peaks[runs / 2] * 1e-9);
    if (memory)
        printf(", %.3f of the bytes", byte_ratio[runs / 2]);
    printf(", %.3f ms (best %.3f), %d runs\n", seconds[runs / 2] * 1e3, seconds[0] * 1e3, runs);
    return isnan(sink[0]);
}
