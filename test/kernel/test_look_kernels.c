/* The kernels that look, of every instruction set, against loops that say what they are to do. */
#include "test_support.h"

#include "kernel/select.h"

enum { TOP = 7, ROUNDS = 40 };

typedef struct block {
    _Alignas(64) float scores[AT_CHUNK * AT_LANES]; /* (keys, AT_LANES) */
    _Alignas(64) float limit[AT_LANES];
    uint64_t seen[AT_CHUNK];
    int32_t rows, keys;
} block;

/* Few different scores, so that many are equal; now and then NaN or -infinity. */
static void make_block(test_random *rng, block *made) {
    made->rows = (int32_t)random_pick(rng, 1, AT_LANES);
    made->keys = (int32_t)random_pick(rng, 1, AT_CHUNK);
    for (int n = 0; n < AT_CHUNK * AT_LANES; n++)
        made->scores[n] = random_chance(rng, 2)   ? NAN
                          : random_chance(rng, 2) ? -INFINITY
                                                  : (float)random_pick(rng, -20, 20);
    for (int i = 0; i < AT_LANES; i++)
        made->limit[i] = random_chance(rng, 20) ? -INFINITY : (float)random_pick(rng, 0, 25);
    for (int j = 0; j < AT_CHUNK; j++)
        made->seen[j] = ((uint64_t)random_pick(rng, 0, UINT32_MAX) << 32) | (uint64_t)random_pick(rng, 0, UINT32_MAX);
}

static float bounded(float score) { return score > AT_SHIFT_NONE ? score : AT_SHIFT_NONE; }

static void test_above(void **state) {
    (void)state;
    static block b;
    test_random rng = {5};
    for (int n = 0; n < ROUNDS; n++) {
        make_block(&rng, &b);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            const uint64_t *seen = n % 2 ? b.seen : NULL;
            uint64_t found[AT_CHUNK];
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            at_kernels_of((attend_isa)isa)->above(b.scores, b.rows, b.keys, seen, b.limit, found);
            for (int32_t j = 0; j < b.keys; j++) {
                uint64_t want = 0;
                for (int32_t i = 0; i < b.rows; i++)
                    if ((seen == NULL || (seen[j] >> i & 1)) && bounded(b.scores[j * AT_LANES + i]) > b.limit[i])
                        want |= (uint64_t)1 << i;
                assert_true(found[j] == want);
            }
        }
    }
}

/* The place of score j of row i in the order of the heaviest: how many come before it. */
static int32_t rank_of(const block *b, int32_t i, int32_t j) {
    int32_t rank = 0;
    float score = b->scores[j * AT_LANES + i];
    for (int32_t n = 0; n < b->keys; n++) {
        float other = b->scores[n * AT_LANES + i];
        rank += other > score || (other == score && n < j);
    }
    return rank;
}

/* In two parts, as chunks come; names are any bits, those of signalling NaN among them. */
static void test_enlist(void **state) {
    (void)state;
    static block b;
    static float names[AT_CHUNK * AT_LANES];
    test_random rng = {6};
    for (int n = 0; n < ROUNDS; n++) {
        make_block(&rng, &b);
        for (int32_t m = 0; m < AT_CHUNK * AT_LANES; m++) {
            int32_t name = 0x7f800000 + m;
            memcpy(&names[m], &name, sizeof name);
            b.scores[m] = isnan(b.scores[m]) ? -INFINITY : b.scores[m];
        }
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            const at_kernels *kernels = at_kernels_of((attend_isa)isa);
            _Alignas(64) float list[TOP * AT_LANES], listed[TOP * AT_LANES] = {0};
            int32_t part = (int32_t)random_pick(&rng, 0, b.keys);
            if (kernels == NULL)
                continue;
            for (int m = 0; m < TOP * AT_LANES; m++)
                list[m] = -INFINITY;
            kernels->enlist(b.scores, names, b.rows, part, TOP, list, listed);
            kernels->enlist(b.scores + part * AT_LANES, names + part * AT_LANES, b.rows, b.keys - part, TOP, list,
                            listed);
            for (int32_t i = 0; i < b.rows; i++)
                for (int32_t j = 0; j < b.keys; j++) {
                    int32_t rank = rank_of(&b, i, j), place = j * AT_LANES + i, there = rank * AT_LANES + i;
                    if (rank >= TOP || b.scores[place] == -INFINITY)
                        continue;
                    assert_true(list[there] == b.scores[place]);
                    assert_memory_equal(&listed[there], &names[place], sizeof *names);
                }
        }
    }
}

/* Lines of random lengths; the sums in place of the weights. */
static void test_pool(void **state) {
    (void)state;
    static block b;
    static _Alignas(64) float sum[AT_CHUNK * AT_LANES], most[AT_CHUNK * AT_LANES];
    test_random rng = {7};
    for (int n = 0; n < ROUNDS; n++) {
        int32_t end[AT_CHUNK], lines = 0;
        make_block(&rng, &b);
        for (int32_t j = 0; j < b.keys; j = end[lines++])
            end[lines] = (int32_t)random_pick(&rng, j + 1, j + 9 < b.keys ? j + 9 : b.keys);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            memcpy(sum, b.scores, sizeof sum);
            at_kernels_of((attend_isa)isa)->pool(sum, b.rows, end, lines, sum, n % 3 ? most : NULL);
            for (int32_t i = 0; i < b.rows; i++)
                for (int32_t line = 0; line < lines; line++) {
                    float total = 0, top = 0;
                    for (int32_t j = line > 0 ? end[line - 1] : 0; j < end[line]; j++) {
                        total += b.scores[j * AT_LANES + i];
                        top = b.scores[j * AT_LANES + i] > top ? b.scores[j * AT_LANES + i] : top;
                    }
                    assert_true(sum[line * AT_LANES + i] == total || (isnan(total) && isnan(sum[line * AT_LANES + i])));
                    assert_true(n % 3 == 0 || most[line * AT_LANES + i] == top);
                }
        }
    }
}

/* Kinds in any order, some without a key. */
static void test_sort(void **state) {
    (void)state;
    static block b;
    static _Alignas(64) float sums[AT_CHUNK * AT_LANES];
    test_random rng = {8};
    for (int n = 0; n < ROUNDS; n++) {
        int32_t kind[AT_CHUNK], kinds = (int32_t)random_pick(&rng, 1, n % 2 ? 4 : AT_CHUNK);
        make_block(&rng, &b);
        for (int32_t j = 0; j < b.keys; j++)
            kind[j] = j > 0 && random_chance(&rng, 50) ? kind[j - 1] : (int32_t)random_pick(&rng, 0, kinds - 1);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            at_kernels_of((attend_isa)isa)->sort(b.scores, b.rows, b.keys, kind, kinds, sums);
            for (int32_t i = 0; i < b.rows; i++)
                for (int32_t m = 0; m < kinds; m++) {
                    float total = 0, got = sums[m * AT_LANES + i];
                    for (int32_t j = 0; j < b.keys; j++)
                        total += kind[j] == m ? b.scores[j * AT_LANES + i] : 0;
                    assert_true(got == total || (isnan(total) && isnan(got)));
                }
        }
    }
}

/* Of random rows of all lanes; whatever stands in the others is not read. */
static void test_receive(void **state) {
    (void)state;
    static block b;
    test_random rng = {9};
    for (int n = 0; n < ROUNDS; n++) {
        make_block(&rng, &b);
        uint64_t rows = n % 3 ? b.seen[0] : ~(uint64_t)0;
        double want[AT_CHUNK], got[AT_CHUNK + 1];
        for (int32_t j = 0; j < b.keys; j++) {
            float sum[AT_LANES];
            for (int i = 0; i < AT_LANES; i++)
                sum[i] = rows >> i & 1 ? b.scores[j * AT_LANES + i] + 0.1f : 0;
            for (int i = 0; i < 16; i++)
                sum[i] = (sum[i] + sum[i + 16]) + sum[i + 32];
            for (int half = 8; half > 0; half /= 2)
                for (int i = 0; i < half; i++)
                    sum[i] += sum[i + half];
            want[j] = 3 + (double)sum[0];
        }
        for (int m = 0; m < AT_CHUNK * AT_LANES; m++)
            b.scores[m] += 0.1f;
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            for (int j = 0; j <= AT_CHUNK; j++)
                got[j] = 3;
            at_kernels_of((attend_isa)isa)->receive(b.scores, b.keys, rows, got);
            for (int32_t j = 0; j < b.keys; j++)
                assert_true(got[j] == want[j] || (isnan(got[j]) && isnan(want[j])));
            assert_true(got[b.keys] == 3);
        }
    }
}

/* Rows of exactly as many numbers as there are keys, so that a sanitizer sees a number past them. */
static void test_turn(void **state) {
    (void)state;
    static block b;
    test_random rng = {12};
    for (int n = 0; n < ROUNDS; n++) {
        make_block(&rng, &b);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            float *row[AT_LANES];
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            for (int32_t i = 0; i < b.rows; i++)
                row[i] = test_block((size_t)b.keys * sizeof(float));
            at_kernels_of((attend_isa)isa)->turn(b.scores, b.rows, b.keys, row);
            for (int32_t i = 0; i < b.rows; i++)
                for (int32_t j = 0; j < b.keys; j++) {
                    float want = isnan(b.scores[j * AT_LANES + i]) ? NAN : b.scores[j * AT_LANES + i];
                    assert_memory_equal(&row[i][j], &want, sizeof want);
                }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_above),   cmocka_unit_test(test_enlist),
                                       cmocka_unit_test(test_pool),    cmocka_unit_test(test_sort),
                                       cmocka_unit_test(test_receive), TEST(test_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
