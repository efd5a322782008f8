/* Every kernel of every instruction set against the portable one, bit by bit, and that one against plain arithmetic in
   wider numbers; with guard pages around whatever is the caller's.  For floats, and for doubles in test_kernels_f64.c. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "kernel/select.h"
#include "real_test.h"

#ifdef AT_DOUBLE
typedef long double wide;
#define wide_exp expl
#define UNIT DBL_EPSILON
#define ODD_NUMBERS {0, -0.0, 1e-310, -1e-320, 3e153, -3e153, 1e250, -1e250, 700, -900, 1, -1}
#define HASH 0xdcae21eacaa46c16u
#else
typedef double wide;
#define wide_exp exp
#define UNIT FLT_EPSILON
#define ODD_NUMBERS {0, -0.0f, 1e-40f, -1e-42f, 3e18f, -3e18f, 1e30f, -1e30f, 88, -120, 1, -1}
#define HASH 0xf1c6733c67e0ec55u
#endif

static wide wide_abs(wide x) { return x < 0 ? -x : x; }
static wide wide_max(wide a, wide b) { return a > b ? a : b; }

/* ---- exp2 ---- */

#ifdef AT_DOUBLE
/* How far y is from 2^x, in units of the last place of a double. */
static long double error_of(double x, double y) {
    long double exact = exp2l((long double)x);
    int last = ilogbl(exact) - 52;
    return fabsl(((long double)y - exact) / ldexpl(1, last < -1074 ? -1074 : last));
}

/* Random numbers everywhere, close to the middle between two whole numbers, and near 0. */
static void exponents(uint32_t *seed, double *x) {
    for (int n = 0; n < AT_LANES * AT_CHUNK; n++) {
        uint64_t high = (*seed = *seed * 1664525u + 1013904223u), low = (*seed = *seed * 1664525u + 1013904223u);
        double part = (double)(high << 21 ^ low) * 0x1p-53; /* 0 .. 1 */
        x[n] = n % 4 == 0 ? -1080 * part : n % 4 == 1 ? floor(-40 * part) + 0.5 + 1e-9 * (part - 0.5) : 0.5 - part;
        if (n % 4 == 3)
            x[n] = -ldexp(part, -(int)(high % 60));
    }
}

static void test_exp2_is_within_one_unit(void **state) {
    (void)state;
    static double x[AT_LANES * AT_CHUNK] __attribute__((aligned(64)));
    static double y[AT_ISA_COUNT][AT_LANES * AT_CHUNK] __attribute__((aligned(64)));
    long double worst = 0;
    uint32_t seed = 1;
    for (int round = 0; round < (getenv("ATTEND_EXHAUSTIVE") ? 10000 : 200); round++) {
        exponents(&seed, x);
        x[7] = -INFINITY, x[8] = NAN, x[9] = -1e300, x[10] = -0.0;
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            at_rows chunk;
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            memset(&chunk, 0, sizeof chunk);
            memcpy(y[isa], x, sizeof x);
            at_kernels_of((attend_isa)isa)->normalize(y[isa], AT_LANES, AT_CHUNK, NULL, 1.0, &chunk);
            for (int n = 0; n < AT_LANES * AT_CHUNK; n++)
                if (bits_of(y[isa][n]) != bits_of(y[ATTEND_ISA_PORTABLE][n]) && !isnan(x[n]))
                    fail_msg("isa %d: 2^%a is %a, not %a", isa, x[n], y[isa][n], y[ATTEND_ISA_PORTABLE][n]);
            assert_true(y[isa][7] == 0 && isnan(y[isa][8]) && y[isa][9] == 0 && y[isa][10] == 1);
        }
        for (int n = 16; n < AT_LANES * AT_CHUNK; n++)
            worst = fmaxl(worst, error_of(x[n], y[ATTEND_ISA_PORTABLE][n]));
    }
    print_message("2^x: worst error %.4f units in the last place\n", (double)worst);
    assert_true(worst <= 0.92L);
}
#else
/* 2^r to about 1e-12, in plain operations that vectorise; |r| <= 1/2. */
static inline double reference_exp2(double r) {
    double x = r * 0.693147180559945309417, sum = 1;
#pragma GCC unroll 12
    for (int k = 11; k > 0; k--)
        sum = 1 + sum * x * (1.0 / k);
    return sum;
}

/* 2^n, for n whole. */
static inline double power_of_two(int64_t n) {
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* How far y is from 2^x, in units of the last place of a float. */
static inline double error_of(float x, float y) {
    double n = ((double)x + 0x1.8p52) - 0x1.8p52, part = reference_exp2((double)x - n);
    int64_t last = (int64_t)n - (part < 1 ? 24 : 23);
    last = last < -149 ? -149 : last;
    return fabs((double)y - part * power_of_two((int64_t)n)) * power_of_two(-last);
}

/* Weights of 48 x 256 floats that follow each other from the bit pattern first on: factor 1 and highest 0 make them
   2^x. */
static void weights_of(const at_kernels *kernels, uint32_t first, float *x, float *y) {
    at_rows chunk;
    memset(&chunk, 0, sizeof chunk);
    for (uint32_t n = 0; n < AT_LANES * AT_CHUNK; n++) {
        uint32_t bits = first + n;
        memcpy(&x[n], &bits, sizeof bits);
    }
    memcpy(y, x, sizeof(float) * AT_LANES * AT_CHUNK);
    kernels->normalize(y, AT_LANES, AT_CHUNK, NULL, 1.0f, &chunk);
}

static double worst_of(const float *x, const float *y) {
    double worst = 0;
    for (int n = 0; n < AT_LANES * AT_CHUNK; n++) {
        float bounded = x[n] >= -150.0f && x[n] <= 0.5f ? x[n] : 0.0f;
        double error = error_of(bounded, x[n] == bounded ? y[n] : 1.0f);
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* ATTEND_EXHAUSTIVE=1 visits every float; else every 97th block of 12288. */
static void test_exp2_is_within_one_unit(void **state) {
    (void)state;
    static float x[AT_LANES * AT_CHUNK] __attribute__((aligned(64))),
        y[AT_LANES * AT_CHUNK] __attribute__((aligned(64)));
    static float z[AT_LANES * AT_CHUNK] __attribute__((aligned(64)));
    const at_kernels *best = at_kernels_of(at_kernels_best());
    uint64_t step = (getenv("ATTEND_EXHAUSTIVE") ? 1 : 97) * (uint64_t)(AT_LANES * AT_CHUNK);
    double worst = 0;
    for (uint64_t first = bits_of(-0.0f); first <= bits_of(-150.0f); first += step) {
        weights_of(best, (uint32_t)first, x, y);
        double here = worst_of(x, y);
        worst = here > worst ? here : worst;
    }
    for (uint64_t first = 0; first <= bits_of(0.5f); first += step) {
        weights_of(best, (uint32_t)first, x, y);
        double here = worst_of(x, y);
        worst = here > worst ? here : worst;
    }
    print_message("2^x: worst error %.4f units in the last place\n", worst);
    assert_true(worst <= 0.90);
    for (int32_t isa = 1; isa < AT_ISA_COUNT; isa++)
        for (uint64_t first = 0; at_kernels_of((attend_isa)isa) && first < UINT32_MAX - AT_LANES * AT_CHUNK;
             first += 997 * step / 97) {
            weights_of(best, (uint32_t)first, x, y);
            weights_of(at_kernels_of((attend_isa)isa), (uint32_t)first, x, z);
            for (int n = 0; n < AT_LANES * AT_CHUNK; n++)
                if (x[n] <= 0.5f || isnan(x[n]))
                    if (bits_of(y[n]) != bits_of(z[n]) && !(isnan(y[n]) && isnan(z[n])))
                        fail_msg("isa %d: 2^%a is %a, not %a", isa, (double)x[n], (double)z[n], (double)y[n]);
        }
}
#endif

/* ---- one problem through one set of kernels ---- */

typedef struct shape {
    int32_t rows, keys;
    int64_t width, value_width, k_extra, v_extra; /* strides are width + extra */
    at_real factor;
    bool masked, at_end, causal;
} shape;

typedef struct inputs {
    guarded q[AT_LANES], k, v;
    uint64_t *seen; /* (keys) */
} inputs;

typedef struct outputs {
    at_rows rows;
    guarded o[AT_LANES];
} outputs;

static at_real random_float(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (at_real)(*seed >> 8) / 0x1p23f - 1;
}

static void fill(at_real *values, size_t count, uint32_t *seed, int kind) {
    static const at_real odd[] = ODD_NUMBERS;
    for (size_t n = 0; n < count; n++) {
        at_real x = random_float(seed);
        values[n] = kind == 0 ? x : kind == 1 ? 8 * x : odd[(*seed >> 16) % (sizeof odd / sizeof odd[0])];
    }
}

static inputs make_inputs(const shape *s, uint32_t seed, int kind) {
    inputs in;
    for (int32_t i = 0; i < s->rows; i++) {
        in.q[i] = guard((size_t)s->width, s->at_end);
        fill(in.q[i].data, (size_t)s->width, &seed, kind);
    }
    size_t k_count = (size_t)((s->keys - 1) * (s->width + s->k_extra) + s->width);
    size_t v_count = (size_t)((s->keys - 1) * (s->value_width + s->v_extra) + s->value_width);
    in.k = guard(k_count, s->at_end);
    in.v = guard(v_count, s->at_end);
    fill(in.k.data, k_count, &seed, kind);
    fill(in.v.data, v_count, &seed, kind == 2 ? 0 : kind);
    in.seen = calloc((size_t)s->keys, sizeof *in.seen);
    assert_non_null(in.seen);
    for (int32_t j = 0; j < s->keys; j++) {
        in.seen[j] = j % 2 ? 0 : ~(((uint64_t)1 << s->rows) - 1); /* bits past the rows may be either */
        for (int32_t i = 0; i < s->rows; i++)
            in.seen[j] |=
                (uint64_t)(s->causal ? j <= i + s->keys / 2 && j > i - s->keys / 5 : random_float(&seed) < 0.5f) << i;
    }
    return in;
}

static outputs run(const at_kernels *kernels, const shape *s, const inputs *in) {
    outputs out;
    at_real *queries = aligned_alloc(64, sizeof(at_real) * AT_LANES * (size_t)s->width);
    at_real *scores = aligned_alloc(64, sizeof(at_real) * AT_LANES * AT_CHUNK);
    at_real *output = aligned_alloc(64, sizeof(at_real) * AT_LANES * (size_t)s->value_width);
    at_real keep[AT_LANES] __attribute__((aligned(64))), take[AT_LANES] __attribute__((aligned(64)));
    const at_real *q[AT_LANES];
    at_real *o[AT_LANES];
    at_rows chunk __attribute__((aligned(64)));
    for (int32_t i = 0; i < s->rows; i++) {
        out.o[i] = guard((size_t)s->value_width, s->at_end);
        q[i] = in->q[i].data;
        o[i] = out.o[i].data;
    }
    begin_rows(&out.rows);
    memset(output, 0, sizeof(at_real) * AT_LANES * (size_t)s->value_width);
    kernels->pack(q, s->rows, s->width, 1.0f, queries);
    for (int32_t j = 0; j < s->keys; j += AT_CHUNK) {
        int32_t keys = s->keys - j < AT_CHUNK ? s->keys - j : AT_CHUNK;
        int64_t k_stride = s->width + s->k_extra, v_stride = s->value_width + s->v_extra;
        const uint64_t *seen = s->masked ? in->seen + j : NULL;
        const at_ahead past = {(uintptr_t)(in->k.data + (j + keys) * k_stride), 64, 4096}; /* the guard page at last */
        kernels->compare(queries, s->rows, s->width, in->k.data + j * k_stride, k_stride, keys, 0, seen, scores,
                         chunk.highest, &past);
        if (seen)
            kernels->highest(scores, s->rows, keys, seen, chunk.highest);
        kernels->normalize(scores, s->rows, keys, seen, s->factor, &chunk);
        kernels->fold(&out.rows, &chunk, s->rows, keep, take);
        kernels->combine(scores, s->rows, keys, seen, in->v.data + j * v_stride, v_stride, s->value_width, keep, take,
                         output, &past);
    }
    kernels->finish(output, s->rows, s->value_width, out.rows.sum, o);
    free(queries);
    free(scores);
    free(output);
    return out;
}

static void free_inputs(const shape *s, inputs *in) {
    for (int32_t i = 0; i < s->rows; i++)
        unguard(in->q[i]);
    unguard(in->k);
    unguard(in->v);
    free(in->seen);
}

static void free_outputs(const shape *s, outputs *out) {
    for (int32_t i = 0; i < s->rows; i++)
        unguard(out->o[i]);
}

/* ---- comparisons ---- */

static void same_outputs(const shape *s, const outputs *a, const outputs *b) {
    same_rows(&a->rows, &b->rows, s->rows);
    for (int32_t i = 0; i < s->rows; i++)
        same_bits(a->o[i].data, b->o[i].data, s->value_width);
}

/* Row i in wider numbers; and what it may be off by: every product, sum and exponential rounded a few times. */
static void check_row(const shape *s, const inputs *in, const outputs *out, int32_t i) {
    wide *score = malloc(sizeof(wide) * (size_t)s->keys), highest = -INFINITY, sum = 0, size = 0;
    for (int32_t j = 0; j < s->keys; j++) {
        const at_real *k = in->k.data + j * (s->width + s->k_extra);
        score[j] = -INFINITY;
        if (s->masked && !(in->seen[j] >> i & 1))
            continue;
        wide product = 0, magnitude = 0;
        for (int64_t d = 0; d < s->width; d++) {
            product += (wide)in->q[i].data[d] * (wide)k[d];
            magnitude += wide_abs((wide)in->q[i].data[d] * (wide)k[d]);
        }
        score[j] = product * (wide)s->factor * (wide)0.693147180559945309417232121458L;
        size = wide_max(size, magnitude * (wide)s->factor);
        highest = wide_max(highest, score[j]);
    }
    for (int32_t j = 0; j < s->keys; j++)
        sum += score[j] > -INFINITY ? wide_exp(score[j] - highest) : 0;
    wide bound = UNIT * (4 + (wide)sqrt((double)s->width) * size) * 8;
    for (int64_t e = 0; e < s->value_width; e++) {
        wide exact = 0;
        for (int32_t j = 0; sum > 0 && j < s->keys; j++)
            if (score[j] > -INFINITY)
                exact += wide_exp(score[j] - highest) / sum * (wide)in->v.data[j * (s->value_width + s->v_extra) + e];
        if (!(wide_abs((wide)out->o[i].data[e] - exact) <= bound))
            fail_msg("row %d element %lld: %.17g, exactly %.17g", i, (long long)e, (double)out->o[i].data[e],
                     (double)exact);
    }
    free(score);
}

static const shape shapes[] = {
    {1, 1, 1, 1, 0, 0, 1.0f, false, true, false},        {48, 256, 64, 64, 0, 0, 0.18f, false, true, false},
    {48, 300, 64, 64, 0, 0, 0.18f, true, true, false},   {48, 257, 17, 33, 3, 1, 0.3f, true, false, false},
    {32, 513, 128, 96, 0, 5, 0.127f, true, true, false}, {33, 100, 65, 63, 1, 0, 0.18f, false, true, false},
    {16, 31, 16, 16, 0, 0, 0.36f, true, false, false},   {17, 8, 15, 8, 0, 0, 0.37f, false, true, false},
    {5, 9, 3, 7, 2, 2, 0.8f, true, true, false},         {47, 255, 8, 1, 0, 0, 0.5f, false, false, false},
    {2, 700, 31, 30, 0, 0, 0.25f, true, true, false},    {1, 600, 128, 128, 0, 0, 0.127f, false, true, false},
    {1, 39, 64, 80, 7, 9, 0.18f, true, true, false},     {4, 300, 128, 128, 0, 0, 0.127f, true, false, false},
    {3, 17, 576, 512, 0, 0, 0.06f, false, true, false},  {8, 530, 33, 20, 0, 0, 0.25f, true, true, false},
};

static void test_all_sets_agree(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
        for (int kind = 0; kind < 3; kind++) {
            const shape *s = &shapes[n];
            inputs in = make_inputs(s, (uint32_t)(n * 3 + (size_t)kind + 1), kind);
            outputs portable = run(at_kernels_of(ATTEND_ISA_PORTABLE), s, &in);
            for (int32_t i = 0; kind < 2 && i < s->rows; i++)
                check_row(s, &in, &portable, i);
            for (int32_t isa = ATTEND_ISA_PORTABLE + 1; isa < AT_ISA_COUNT; isa++) {
                if (at_kernels_of((attend_isa)isa) == NULL)
                    continue;
                outputs fast = run(at_kernels_of((attend_isa)isa), s, &in);
                same_outputs(s, &portable, &fast);
                free_outputs(s, &fast);
            }
            free_outputs(s, &portable);
            free_inputs(s, &in);
        }
}

/* ---- few rows at once ---- */

/* What step_few stands for, step by step. */
static void few_steps(const at_kernels *kernels, const at_few *few, at_rows *state, at_real *output) {
    static _Alignas(64) at_real scores[AT_CHUNK * AT_LANES], keep[AT_LANES], take[AT_LANES];
    static at_rows chunk;
    kernels->compare_few(few->queries, few->rows, few->width, few->k, few->k_dtype, few->k_stride, few->keys, scores,
                         chunk.highest);
    if (few->k_scales != NULL)
        kernels->weigh(scores, few->rows, few->keys, few->k_scales);
    kernels->highest(scores, few->rows, few->keys, NULL, chunk.highest);
    kernels->normalize(scores, few->rows, few->keys, NULL, few->factor, &chunk);
    kernels->fold(state, &chunk, few->rows, keep, take);
    if (few->v_scales != NULL)
        kernels->weigh(scores, few->rows, few->keys, few->v_scales);
    kernels->combine_few(scores, few->rows, few->keys, NULL, few->v, few->v_dtype, few->v_stride, few->value_width,
                         keep, take, output);
}

/* So many elements of that type, random, the last one before a page that may not be touched. */
static guarded elements(int64_t count, int32_t dtype, uint32_t *seed, int kind, const void **first) {
    size_t size = dtype == ATTEND_I8 ? 1 : dtype == AT_REAL_DTYPE ? sizeof(at_real) : 2, bytes = (size_t)count * size;
    guarded block = guard(bytes / sizeof(at_real) + 1, true);
    char *place = (char *)block.map + block.size - (size_t)sysconf(_SC_PAGESIZE) - bytes;
    for (int64_t n = 0; n < count; n++) {
        at_real x;
        fill(&x, 1, seed, kind);
        int8_t byte = (int8_t)(*seed >> 24);
        uint16_t half = dtype == ATTEND_F16 ? at_half_to_f16((double)x) : at_half_to_bf16((double)x);
        memcpy(place + (size_t)n * size, size == 1 ? (void *)&byte : size == 2 ? (void *)&half : (void *)&x, size);
    }
    *first = place;
    return block;
}

/* Step by step, or as a whole: the same bits as the steps of plain C. */
static void check_few_on(const at_kernels *kernels, const at_few *few, bool whole) {
    static _Alignas(64) at_real output[2][300 * AT_LANES];
    at_rows state[2];
    memset(output, 0, sizeof output);
    begin_rows(&state[0]);
    begin_rows(&state[1]);
    few_steps(at_kernels_of(ATTEND_ISA_PORTABLE), few, &state[0], output[0]);
    if (whole)
        kernels->step_few(few, &state[1], output[1]);
    else
        few_steps(kernels, few, &state[1], output[1]);
    same_rows(&state[0], &state[1], few->rows);
    for (int64_t e = 0; e < few->value_width; e++)
        same_bits(output[0] + e * AT_LANES, output[1] + e * AT_LANES, few->rows);
}

static void check_few(int32_t rows, int32_t keys, int64_t width, int64_t value_width, int32_t dtype, int kind) {
    static _Alignas(64) at_real queries[300 * AT_FEW];
    static float scales[AT_CHUNK];
    uint32_t seed = (uint32_t)(rows * 1000 + keys + width);
    const int bytes = dtype == ATTEND_I8;
    const int32_t step = rows == 3 ? 4 : rows, more = keys == 250 && !bytes ? 40 : 0;
    const int64_t all = bytes ? (keys + AT_GROUP - 1) / AT_GROUP * AT_GROUP : keys + more;
    const int64_t stride = width + (keys == 37 && !bytes ? 70 : 0);
    at_few few = {.rows = rows,
                  .keys = keys,
                  .more = more,
                  .queries = queries,
                  .width = width,
                  .k_dtype = dtype,
                  .v_dtype = dtype,
                  .k_stride = stride,
                  .v_stride = value_width,
                  .value_width = value_width,
                  .factor = (at_real)0.2,
                  .k_scales = bytes ? scales : NULL,
                  .v_scales = bytes ? scales : NULL};
    guarded k = elements((all - 1) * stride + width, dtype, &seed, kind, &few.k);
    guarded v = elements(keys * value_width, dtype, &seed, kind == 2 ? 0 : kind, &few.v);
    for (int32_t j = 0; j < keys; j++)
        scales[j] = (float)(random_float(&seed) / 64);
    for (int64_t d = 0; d < width; d++)
        for (int32_t i = 0; i < step; i++)
            queries[d * step + i] = i < rows ? random_float(&seed) : 0;
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        const at_kernels *kernels = at_kernels_of((attend_isa)isa);
        for (int whole = 0; whole < 2 && kernels != NULL; whole++)
            check_few_on(kernels, &few, whole == 1);
    }
    unguard(k);
    unguard(v);
}

static void test_few_at_once(void **state) {
    (void)state;
    static const int32_t rows[] = {1, 2, 3, 4, 8}, keys[] = {1, 15, 37, 250, 256}, widths[] = {1, 17, 64, 80, 128, 299};
    const int types = AT_REAL_DTYPE == ATTEND_F64 ? 1 : 4;
    const int32_t dtypes[] = {AT_REAL_DTYPE, ATTEND_F16, ATTEND_BF16, ATTEND_I8};
    for (int r = 0; r < 5; r++)
        for (int j = 0; j < 5; j++)
            for (int w = 0; w < 6; w++)
                for (int type = 0; type < types; type++)
                    for (int kind = 0; kind < 3; kind++)
                        check_few(rows[r], keys[j], widths[w], widths[5 - w], dtypes[type], kind);
}

/* Hash FNV-1a of the bits of a at_real; one hash for every NaN. */
static uint64_t hash_of(uint64_t hash, at_real x) {
    return (hash ^ (isnan(x) ? 0x7fc00000u : bits_of(x))) * 0x100000001b3u;
}

/* The number below was computed on x86-64, and is the same wherever this test runs. */
static void test_the_same_on_every_machine(void **state) {
    (void)state;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        const shape *s = &shapes[n];
        inputs in = make_inputs(s, (uint32_t)n + 100, (int)(n % 3));
        outputs out = run(at_kernels_of(at_kernels_best()), s, &in);
        for (int32_t i = 0; i < s->rows; i++)
            for (int64_t e = 0; e < s->value_width; e++)
                hash = hash_of(hash, out.o[i].data[e]);
        free_outputs(s, &out);
        free_inputs(s, &in);
    }
    if (hash != HASH)
        fail_msg("hash %#llx", (unsigned long long)hash);
}

/* A row alone, among others, and in another column has the same bits. */
static void test_neighbours_do_not_matter(void **state) {
    (void)state;
    const shape all = {48, 400, 40, 24, 0, 0, 0.25f, true, true, false};
    inputs in = make_inputs(&all, 7, 1);
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        if (at_kernels_of((attend_isa)isa) == NULL)
            continue;
        outputs together = run(at_kernels_of((attend_isa)isa), &all, &in);
        for (int32_t rows = 1; rows <= 48; rows += 5) {
            shape some = all;
            inputs part = in;
            some.rows = rows;
            part.seen = calloc(400, sizeof *part.seen);
            assert_non_null(part.seen);
            for (int32_t i = 0; i < rows; i++) {
                part.q[i] = in.q[47 - i];
                for (int32_t j = 0; j < all.keys; j++)
                    part.seen[j] |= (in.seen[j] >> (47 - i) & 1) << i;
            }
            outputs alone = run(at_kernels_of((attend_isa)isa), &some, &part);
            for (int32_t i = 0; i < rows; i++)
                same_bits(alone.o[i].data, together.o[47 - i].data, all.value_width);
            free_outputs(&some, &alone);
            free(part.seen);
        }
        free_outputs(&all, &together);
    }
    free_inputs(&all, &in);
}

/* NaN and infinity in hidden keys and values change nothing; a row that sees nothing is 0. */
static void test_hidden_content_does_not_matter(void **state) {
    (void)state;
    const shape s = {20, 300, 24, 24, 0, 0, 0.25f, true, true, false};
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        if (at_kernels_of((attend_isa)isa) == NULL)
            continue;
        inputs in = make_inputs(&s, 11, 0);
        for (int32_t j = 0; j < s.keys; j++)
            in.seen[j] &= j % 3 == 0 ? 0 : ~(uint64_t)(1 << 4); /* every third key, and row 4 altogether */
        outputs clean = run(at_kernels_of((attend_isa)isa), &s, &in);
        for (int32_t j = 0; j < s.keys; j += 3)
            for (int64_t d = 0; d < s.width; d++) {
                in.k.data[j * s.width + d] = j % 2 ? NAN : INFINITY;
                in.v.data[j * s.width + d] = j % 2 ? -INFINITY : NAN;
            }
        outputs dirty = run(at_kernels_of((attend_isa)isa), &s, &in);
        same_outputs(&s, &clean, &dirty);
        for (int64_t e = 0; e < s.value_width; e++)
            assert_true(bits_of(dirty.o[4].data[e]) == 0);
        free_outputs(&s, &clean);
        free_outputs(&s, &dirty);
        free_inputs(&s, &in);
    }
}

/* What one row sees, NaN or infinity, the rows beside it do not: their bits are those of clean values. */
static void test_what_one_row_sees_stays_there(void **state) {
    (void)state;
    const shape s = {48, 300, 24, 29, 0, 0, 0.25f, true, true, false};
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
        if (at_kernels_of((attend_isa)isa) == NULL)
            continue;
        inputs in = make_inputs(&s, 13, 0);
        for (int32_t j = 0; j < s.keys; j += 7)
            in.seen[j] = (uint64_t)1 << (j / 7 % 3 * 16); /* row 0, 16 or 32 */
        outputs clean = run(at_kernels_of((attend_isa)isa), &s, &in);
        for (int32_t j = 0; j < s.keys; j += 7)
            in.v.data[j * s.value_width + j % s.value_width] = j % 2 ? NAN : INFINITY;
        outputs dirty = run(at_kernels_of((attend_isa)isa), &s, &in);
        int marked = 0;
        for (int32_t i = 0; i < s.rows; i++)
            for (int64_t e = 0; e < s.value_width; e++) {
                bool same = bits_of(dirty.o[i].data[e]) == bits_of(clean.o[i].data[e]);
                assert_true(same || i % 16 == 0);
                marked += !isfinite(dirty.o[i].data[e]);
            }
        assert_true(marked > 29);
        free_outputs(&s, &clean);
        free_outputs(&s, &dirty);
        free_inputs(&s, &in);
    }
}

/* Every 16-bit float to a number and back, and floats around every tie, as base/half.h has it. */
static void test_halves(void **state) {
    (void)state;
    enum { COUNT = 65536 };
    static uint16_t all[COUNT], back[COUNT];
    static at_real long_ones[COUNT];
    for (int n = 0; n < COUNT; n++)
        all[n] = (uint16_t)n;
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++)
        for (int32_t dtype = ATTEND_F16; at_kernels_of((attend_isa)isa) && dtype <= ATTEND_BF16; dtype++) {
            double (*read)(uint16_t) = dtype == ATTEND_F16 ? at_half_from_f16 : at_half_from_bf16;
            uint16_t (*write)(double) = dtype == ATTEND_F16 ? at_half_to_f16 : at_half_to_bf16;
            at_kernels_of((attend_isa)isa)->widen(all, dtype, COUNT - 1, long_ones);
            for (int n = 0; n < COUNT - 1; n++)
                assert_true((double)long_ones[n] == read(all[n]) || (isnan(long_ones[n]) && isnan(read(all[n]))));
            for (int32_t shift = -2; shift <= 2; shift++) {
                for (int n = 0; n < COUNT; n++) {
                    float near = (float)read(all[n]);
                    uint32_t bits;
                    memcpy(&bits, &near, sizeof bits);
                    bits += (dtype == ATTEND_F16 ? 0x1000u : 0x8000u) + (uint32_t)shift;
                    memcpy(&near, &bits, sizeof bits);
                    long_ones[n] = near;
                }
                at_kernels_of((attend_isa)isa)->narrow(long_ones, dtype, COUNT - 3, back);
                for (int n = 0; n < COUNT - 3; n++)
                    assert_true(
                        back[n] == write((double)long_ones[n]) ||
                        (isnan(long_ones[n]) && isnan(read(back[n])) && isnan(read(write((double)long_ones[n])))));
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp2_is_within_one_unit),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_all_sets_agree),
        cmocka_unit_test(test_few_at_once),
        cmocka_unit_test(test_the_same_on_every_machine),
        cmocka_unit_test(test_neighbours_do_not_matter),
        cmocka_unit_test(test_hidden_content_does_not_matter),
        cmocka_unit_test(test_what_one_row_sees_stays_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
