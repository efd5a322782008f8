/* Dot products of pairs of bf16 against multiply-adds of floats, the second of each pair first: bit by bit, with guard
   pages behind the keys; and which numbers they may be given. */
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
#include "kernel/pairs.h"
#include "kernel/select.h"

#include "real_test.h"

enum { WIDTH_MOST = 200, KEYS_MOST = 70, ROUNDS = 300 };

static uint32_t next(uint32_t *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 8; }

/* Of all sizes that fit, 0 here and there, and now and then what is no number. */
static uint16_t number(uint32_t *seed, int wild) {
    uint32_t kind = next(seed) % 40;
    if (kind == 0)
        return (uint16_t)(next(seed) % 2 << 15);
    if (wild && kind == 1)
        return (uint16_t)(0x7f80 + next(seed) % 2 * 0x8000 + next(seed) % 2 * 0x40);
    uint32_t exponent = kind < 8 ? 72 + next(seed) % 100 : 115 + next(seed) % 15;
    return (uint16_t)(next(seed) % 2 << 15 | exponent << 7 | next(seed) % 128);
}

typedef struct matrices {
    _Alignas(64) float queries[WIDTH_MOST * AT_LANES], scores[KEYS_MOST * AT_LANES], highest[AT_LANES];
} matrices;

/* The same problem in floats, by the portable kernels. */
static void compare_floats(const uint16_t *const *q, int32_t rows, int64_t width, const uint16_t *k, int64_t stride,
                           int32_t keys, const uint64_t *seen, matrices *m) {
    static float wide_q[AT_LANES][WIDTH_MOST], wide_k[KEYS_MOST][WIDTH_MOST];
    const float *rows_q[AT_LANES];
    for (int32_t i = 0; i < rows; i++) {
        rows_q[i] = wide_q[i];
        for (int64_t d = 0; d < width; d++)
            wide_q[i][d] = (float)at_half_from_bf16(q[i][d]);
    }
    for (int32_t j = 0; j < keys; j++)
        for (int64_t d = 0; d < width; d++)
            wide_k[j][d] = (float)at_half_from_bf16(k[j * stride + d]);
    const at_kernels *plain = at_kernels_of(ATTEND_ISA_PORTABLE);
    plain->pack(rows_q, rows, width, 1, m->queries);
    plain->compare(m->queries, rows, width, wide_k[0], WIDTH_MOST, keys, 1, seen, m->scores, m->highest, NULL);
}

static void compare_once(const at_pairs *pairs, uint32_t *seed, int wild) {
    static matrices got, want;
    static uint16_t query[AT_LANES][WIDTH_MOST];
    const uint16_t *q[AT_LANES];
    int32_t rows = 1 + (int32_t)(next(seed) % AT_LANES), keys = 1 + (int32_t)(next(seed) % KEYS_MOST);
    int64_t width = 2 + 2 * (int64_t)(next(seed) % (WIDTH_MOST / 2)), stride = width + 2 * (int64_t)(next(seed) % 3);
    uint64_t seen[KEYS_MOST], *mask = next(seed) % 2 ? seen : NULL;
    size_t count = (size_t)((keys - 1) * stride + width);
    guarded block = guard(count / 2, true); /* two to a float */
    uint16_t *k = (uint16_t *)(void *)block.data;
    for (size_t n = 0; n < count; n++)
        k[n] = number(seed, wild);
    for (int32_t i = 0; i < rows; i++) {
        q[i] = query[i];
        for (int64_t d = 0; d < width; d++)
            query[i][d] = number(seed, wild);
        assert_true(pairs->fit(q[i], width));
    }
    for (int32_t j = 0; j < keys; j++)
        seen[j] = (uint64_t)next(seed) << 24 ^ next(seed);
    pairs->pack(q, rows, width, got.queries);
    pairs->compare(got.queries, rows, width, k, stride, keys, mask, got.scores, got.highest, NULL);
    compare_floats(q, rows, width, k, stride, keys, mask, &want);
    for (int32_t j = 0; j < keys; j++)
        for (int32_t i = 0; i < rows; i++)
            if (mask == NULL || seen[j] >> i & 1)
                same_bits(got.scores + j * AT_LANES + i, want.scores + j * AT_LANES + i, 1);
    if (mask == NULL)
        same_bits(got.highest, want.highest, rows);
    unguard(block);
}

static const at_pairs *pairs_or_skip(void) {
    const at_pairs *pairs = at_pairs_of(at_kernels_best());
    if (pairs == NULL) {
        print_message("skipped: no dot products of bf16 here\n");
        skip();
    }
    return pairs;
}

static void test_same_bits_as_multiply_adds(void **state) {
    (void)state;
    const at_pairs *pairs = pairs_or_skip();
    uint32_t seed = 5;
    for (int round = 0; round < ROUNDS; round++)
        compare_once(pairs, &seed, round % 3 == 2);
}

/* 2^-55 is the least that fits; the one below it does not, nor does anything denormal, wherever it stands. */
static void test_what_fits(void **state) {
    (void)state;
    const at_pairs *pairs = pairs_or_skip();
    const uint16_t fits[] = {0, 0x8000, 0x2400, 0xa400, 0x3f80, 0x7f80, 0xffc0},
                   small[] = {1, 0x8001, 0x7f, 0x23ff, 0xa3ff};
    uint16_t row[100];
    for (int n = 0; n < 100; n++)
        row[n] = fits[n % 7];
    assert_true(pairs->fit(row, 100));
    for (int n = 0; n < 100; n++) {
        uint16_t kept = row[n];
        row[n] = small[n % 5];
        assert_false(pairs->fit(row, 100));
        assert_true(pairs->fit(row, n));
        row[n] = kept;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_as_multiply_adds),
                                       cmocka_unit_test(test_what_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
