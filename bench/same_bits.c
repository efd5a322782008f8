/* same_bits - what the fixed order of sums costs (src/kernel/kernel.h): the AVX2 kernels beside the same work in an order
   that is free, in turns, on one thread.

       cmake --build --preset release && build/release/same_bits

   Decode: free are sums over the width in lanes that are added up at the end, the true maximum instead of a whole power of
   two, and sums of weights in lanes.  Prefill: queries lie in lanes, so that the order is nobody's loss but for the chunk
   after which partial sums are folded; free is its length.  Each line: the time of the free one, that of ours, and the
   median of their ratio over all rounds. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "kernel/kernel.h"

enum {
    WIDTH = 128,
    CHUNKS = 1024, /* of a long cache: 128 MiB of keys and as much of values */
    RESIDENT = 1,  /* chunks of a short one, which stays in the second cache  */
    PREFILL_KEYS = 2048,
    ROUNDS = 15,
    LANES = 8,
    VECTORS = WIDTH / LANES,
    RUN = 8,
    AHEAD = 16384, /* bytes */
};
#define ALIGNED _Alignas(64)
#define EACH _Pragma("GCC unroll 16")

typedef float vector __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t whole __attribute__((vector_size(32)));

static float *keys, *values;                     // (CHUNKS, AT_CHUNK, WIDTH)
static ALIGNED float queries[AT_LANES * WIDTH];  // (WIDTH, AT_LANES)
static ALIGNED float few_queries[4 * WIDTH];     // (WIDTH, rows): the same, for decode
static ALIGNED float rows_of_queries[4 * WIDTH]; // (4, WIDTH): the same, for the free order
static ALIGNED float scores[PREFILL_KEYS * AT_LANES];
static ALIGNED float output[AT_LANES * WIDTH];
static const float factor = 0.127517f; /* log2 e / sqrt(WIDTH) */

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static vector at(const float *from) { return *(const vector *)from; }
static void put(float *to, vector a) { *(vector *)to = a; }
static vector all(float a) { return a - (vector){0}; }
static vector greater(vector a, vector b) {
    whole mask = a > b;
    return (vector)(((whole)a & mask) | ((whole)b & ~mask));
}

/* ---- ours ---- */

static at_rows state, chunk;
static ALIGNED float keep[AT_LANES], take[AT_LANES];

static void begin(int32_t rows) {
    for (int32_t n = 0; rows <= 4 && n < WIDTH * rows; n++)
        few_queries[n] = queries[n / rows * AT_LANES + n % rows];
    memset(output, 0, sizeof output);
    for (int i = 0; i < AT_LANES; i++)
        state.shift[i] = AT_SHIFT_NONE, state.sum[i] = 0, state.highest[i] = -INFINITY;
}

static void decode_step(int32_t rows, const float *k, const float *v) {
    const at_few few = {.rows = rows,
                        .keys = AT_CHUNK,
                        .queries = few_queries,
                        .width = WIDTH,
                        .k = k,
                        .v = v,
                        .k_dtype = ATTEND_F32,
                        .v_dtype = ATTEND_F32,
                        .k_stride = WIDTH,
                        .v_stride = WIDTH,
                        .value_width = WIDTH,
                        .factor = factor};
    at_kernels_avx2.step_few(&few, &state, output);
}

static void step(int32_t rows, int32_t count, const float *k, const float *v) {
    const at_kernels *kernels = &at_kernels_avx2;
    const int64_t bytes = WIDTH * (int64_t)sizeof *k;
    const at_ahead now = {(uintptr_t)v, bytes, bytes}, then = {(uintptr_t)k + (uintptr_t)(count * bytes), bytes, bytes};
    kernels->compare(queries, rows, WIDTH, k, WIDTH, count, 0, NULL, scores, chunk.highest, &now);
    kernels->normalize(scores, rows, count, NULL, factor, &chunk);
    kernels->fold(&state, &chunk, rows, keep, take);
    kernels->combine(scores, rows, count, NULL, v, WIDTH, WIDTH, keep, take, output, &then);
}

/* ---- the free order ---- */

typedef struct free_row {
    float highest, sum;
} free_row;
static free_row free_rows[4];
static ALIGNED float free_scores[4 * AT_CHUNK]; // (4, AT_CHUNK)
static ALIGNED float free_output[4 * WIDTH];    // (4, WIDTH)

static inline __attribute__((always_inline)) float sum_of(vector a) {
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

/* Keys side by side that lie apart, as ours do, so that memory is read as fast. */
static inline __attribute__((always_inline)) void free_compare(const float *k, const int rows, const int beside) {
    const int apart = AT_CHUNK / beside;
    for (int j = 0; j < apart; j++) {
        vector sum[4][4];
        EACH for (int r = 0; r < rows; r++) EACH for (int n = 0; n < beside; n++) sum[r][n] = all(0);
        for (int d = 0; d < WIDTH; d += LANES)
            EACH for (int n = 0; n < beside; n++) {
                vector element = at(k + (j + n * apart) * WIDTH + d);
                EACH for (int r = 0; r < rows; r++) sum[r][n] += at(rows_of_queries + r * WIDTH + d) * element;
            }
        EACH for (int r = 0; r < rows; r++) EACH for (int n = 0; n < beside; n++)
            free_scores[r * AT_CHUNK + j + n * apart] = sum_of(sum[r][n]);
    }
}

/* The polynomial of exp2.inc. */
static inline __attribute__((always_inline)) vector free_exp2(vector x) {
    vector bounded = greater(x, all(-120.0f)), n = (bounded + 0x1.8p23f) - 0x1.8p23f, r = bounded - n;
    vector p = r * 0x1.427918p-13f + 0x1.5ef4a2p-10f;
    p = p * r + 0x1.3b2c58p-7f;
    p = p * r + 0x1.c6af9ep-5f;
    p = p * r + 0x1.ebfbdep-3f;
    p = p * r + 0x1.62e43p-1f;
    p = p * r + 1.0f;
    return (vector)((whole)p + (__builtin_convertvector(n, whole) << 23));
}

static inline __attribute__((always_inline)) void free_normalize(const int rows, float *kept) {
    for (int r = 0; r < rows; r++) {
        float *score = free_scores + r * AT_CHUNK;
        vector top = at(score), sum = all(0);
        for (int j = LANES; j < AT_CHUNK; j += LANES)
            top = greater(at(score + j), top);
        float highest = free_rows[r].highest;
        for (int i = 0; i < LANES; i++)
            highest = top[i] > highest ? top[i] : highest;
        for (int j = 0; j < AT_CHUNK; j += LANES) {
            vector weight = free_exp2((at(score + j) - highest) * factor);
            put(score + j, weight);
            sum += weight;
        }
        kept[r] = exp2f((free_rows[r].highest - highest) * factor);
        free_rows[r].highest = highest;
        free_rows[r].sum = free_rows[r].sum * kept[r] + sum_of(sum);
    }
}

/* Runs of keys, with what comes later asked for line by line, as few.inc does. */
static inline __attribute__((always_inline)) void free_combine(const float *v, const float *kept, const int rows,
                                                               const int vectors) {
    for (int r = 0; r < rows; r++)
        for (int e = 0; e < WIDTH; e += LANES)
            put(free_output + r * WIDTH + e, at(free_output + r * WIDTH + e) * kept[r]);
    const char *next = (const char *)v + AHEAD;
    for (int j = 0; j < AT_CHUNK; j += RUN)
        for (int e = 0; e < WIDTH; e += vectors * LANES) {
            vector sum[4][4];
            EACH for (int r = 0; r < rows; r++) EACH for (int i = 0; i < vectors; i++) sum[r][i] =
                at(free_output + r * WIDTH + e + i * LANES);
            for (int n = j; n < j + RUN; n++) {
                EACH for (int l = 0; l < vectors / 2; l++, next += 64) __builtin_prefetch(next, 0, 2);
                EACH for (int i = 0; i < vectors; i++) {
                    vector element = at(v + n * WIDTH + e + i * LANES);
                    EACH for (int r = 0; r < rows; r++) sum[r][i] += free_scores[r * AT_CHUNK + n] * element;
                }
            }
            EACH for (int r = 0; r < rows; r++) EACH for (int i = 0; i < vectors; i++)
                put(free_output + r * WIDTH + e + i * LANES, sum[r][i]);
        }
}

static void free_step_1(const float *k, const float *v) {
    float kept[4];
    free_compare(k, 1, 4);
    free_normalize(1, kept);
    free_combine(v, kept, 1, 4);
}

static void free_step_4(const float *k, const float *v) {
    float kept[4];
    free_compare(k, 4, 2);
    free_normalize(4, kept);
    free_combine(v, kept, 4, 2);
}

/* ---- measuring ---- */

typedef struct task {
    int32_t rows;
    int64_t chunks; /* different ones; CHUNKS are gone over in all */
    int32_t length; /* of a chunk; 0: the free order of decode     */
} task;

static double decode(const task *work) {
    double start = seconds();
    begin(work->rows);
    memset(free_output, 0, sizeof free_output);
    for (int r = 0; r < 4; r++)
        free_rows[r] = (free_row){-1e30f, 0};
    for (int64_t c = 0; c < CHUNKS; c++) {
        const float *k = keys + c % work->chunks * AT_CHUNK * WIDTH, *v = values + c % work->chunks * AT_CHUNK * WIDTH;
        if (work->length != 0)
            decode_step(work->rows, k, v);
        else if (work->rows == 1)
            free_step_1(k, v);
        else
            free_step_4(k, v);
    }
    return seconds() - start;
}

static double prefill(const task *work) {
    double start = seconds();
    for (int block = 0; block < 16; block++) {
        begin(AT_LANES);
        for (int32_t j = 0; j < PREFILL_KEYS; j += work->length)
            step(AT_LANES, work->length, keys + j * WIDTH, values + j * WIDTH);
    }
    return seconds() - start;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare_tasks(const char *name, double (*run)(const task *), const task *free_one, const task *ours) {
    double other[ROUNDS], mine[ROUNDS], ratio[ROUNDS];
    for (int n = 0; n < ROUNDS; n++) {
        other[n] = run(free_one), mine[n] = run(ours);
        ratio[n] = mine[n] / other[n];
    }
    qsort(other, ROUNDS, sizeof *other, by_size);
    qsort(mine, ROUNDS, sizeof *mine, by_size);
    qsort(ratio, ROUNDS, sizeof *ratio, by_size);
    printf("%-46s %8.2f ms %8.2f ms   %.3f   (%.3f to %.3f)\n", name, 1e3 * other[ROUNDS / 2], 1e3 * mine[ROUNDS / 2],
           ratio[ROUNDS / 2], ratio[ROUNDS / 4], ratio[ROUNDS - 1 - ROUNDS / 4]);
}

static float *random_numbers(int64_t count) {
    static uint32_t seed = 1;
    size_t size = (size_t)count * sizeof(float) + AHEAD;
    float *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        exit(EXIT_FAILURE);
    madvise(made, size, MADV_HUGEPAGE);
    for (int64_t n = 0; n < count; n++) {
        seed = seed * 1664525u + 1013904223u;
        made[n] = (float)(seed >> 8) / 0x1p23f - 1.0f;
    }
    return made;
}

/* Both orders answer alike, or nothing that is measured means anything. */
static void check_answers(int32_t rows) {
    decode(&(task){rows, 4, AT_CHUNK});
    float ours = output[rows - 1] / state.sum[rows - 1];
    decode(&(task){rows, 4, 0});
    float other = free_output[(rows - 1) * WIDTH] / free_rows[rows - 1].sum;
    if (fabsf(ours - other) > 1e-5f) {
        fprintf(stderr, "same_bits: %d rows: %.9g and %.9g\n", rows, (double)ours, (double)other);
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return fprintf(stderr, "same_bits: this processor lacks AVX2\n"), EXIT_FAILURE;
    keys = random_numbers((int64_t)CHUNKS * AT_CHUNK * WIDTH);
    values = random_numbers((int64_t)CHUNKS * AT_CHUNK * WIDTH);
    for (int r = 0; r < AT_LANES; r++)
        for (int d = 0; d < WIDTH; d++)
            queries[d * AT_LANES + r] = (float)((r + 3 * d) % 17) / 8.0f - 1.0f;
    for (int r = 0; r < 4; r++)
        for (int d = 0; d < WIDTH; d++)
            rows_of_queries[r * WIDTH + d] = queries[d * AT_LANES + r];
    check_answers(1);
    check_answers(4);
    printf("%-46s %11s %11s   %s\n", "f32, heads of 128", "free", "ours", "ours / free   (middle half)");
    compare_tasks("decode, 1 row, keys from memory", decode, &(task){1, CHUNKS, 0}, &(task){1, CHUNKS, AT_CHUNK});
    compare_tasks("decode, 4 rows, keys from memory", decode, &(task){4, CHUNKS, 0}, &(task){4, CHUNKS, AT_CHUNK});
    compare_tasks("decode, 1 row, keys in the second cache", decode, &(task){1, RESIDENT, 0},
                  &(task){1, RESIDENT, AT_CHUNK});
    compare_tasks("decode, 4 rows, keys in the second cache", decode, &(task){4, RESIDENT, 0},
                  &(task){4, RESIDENT, AT_CHUNK});
    compare_tasks("prefill, 2048 keys, chunks of 128 instead", prefill, &(task){0, 0, 128}, &(task){0, 0, AT_CHUNK});
    compare_tasks("prefill, 2048 keys, chunks of 512 instead", prefill, &(task){0, 0, 512}, &(task){0, 0, AT_CHUNK});
    compare_tasks("prefill, 2048 keys, one chunk instead", prefill, &(task){0, 0, PREFILL_KEYS},
                  &(task){0, 0, AT_CHUNK});
    return EXIT_SUCCESS;
}
