/* Splitting the keys and joining the parts by their log-sum-exp equals not splitting. */
#include "random_call.h"

typedef struct part {
    attend_in o, lse; /* (B, H, Tq, E) (B, H, Tq) */
} part;

static part run_part(attend_ctx *ctx, const random_call *call) {
    const attend_problem *p = &call->problem;
    random_call one = *call;
    attend_taps taps = attend_taps_init();
    one.o = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, call->o.shape[3]);
    taps.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    assert_works(ctx, random_call_forward(ctx, &one, &taps));
    return (part){attend_read(one.o), attend_read(taps.lse)};
}

/* The keys first .. first + count - 1 of a call whose mask and bias have all four axes or none. */
static random_call keys_of(const random_call *call, int64_t first, int64_t count) {
    random_call some = *call;
    some.problem.keys = count;
    some.problem.query_offset -= first;
    some.k = test_slice(call->k, 2, first, count);
    some.v = test_slice(call->v, 2, first, count);
    if (call->extra.mask.data)
        some.extra.mask = test_slice(call->extra.mask, 3, first, count);
    if (call->extra.bias.data)
        some.extra.bias = test_slice(call->extra.bias, 3, first, count);
    return some;
}

static part join(attend_ctx *ctx, part a, part b) {
    attend_out o = test_tensor(ATTEND_F64, a.o.shape[0], a.o.shape[1], a.o.shape[2], a.o.shape[3]);
    attend_out lse = test_tensor(ATTEND_F64, a.o.shape[0], a.o.shape[1], a.o.shape[2], -1);
    assert_works(ctx, attend_join(ctx, &a.o, &a.lse, &b.o, &b.lse, &o, &lse));
    return (part){attend_read(o), attend_read(lse)};
}

static random_call splittable_call(test_random *rng) {
    random_call call = random_call_make(rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_SCALE | MAY_STRIDE);
    const attend_problem *p = &call.problem;
    if (random_chance(rng, 50)) {
        attend_out mask = test_tensor(ATTEND_U8, p->batch, p->heads, p->queries, p->keys);
        for (int64_t n = 0; n < p->batch * p->heads * p->queries * p->keys; n++)
            ((unsigned char *)mask.data)[n] = random_chance(rng, 50);
        call.extra.mask = attend_read(mask);
    }
    if (random_chance(rng, 50)) {
        attend_in bias = test_random_tensor(rng, ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
        call.extra.bias = bias;
    }
    return call;
}

/* Parts of every size, empty ones too; the sink goes with one of them. */
static void test_split_and_join(void **state) {
    test_random rng = {31};
    for (int n = 0; n < 200; n++) {
        random_call call = splittable_call(&rng);
        part whole = run_part(*state, &call);
        for (int64_t first = 0; first <= call.problem.keys; first++) {
            random_call low = keys_of(&call, 0, first), high = keys_of(&call, first, call.problem.keys - first);
            *(random_chance(&rng, 50) ? &low.extra.sinks : &high.extra.sinks) = (attend_in){.data = NULL};
            part joined = join(*state, run_part(*state, &low), run_part(*state, &high));
            assert_tensors_close(&joined.o, &whole.o, 1e-12);
            assert_tensors_close(&joined.lse, &whole.lse, 1e-12);
        }
    }
}

/* Key by key, from either end, in any grouping. */
static void test_many_parts(void **state) {
    test_random rng = {32};
    for (int n = 0; n < 100; n++) {
        random_call call = splittable_call(&rng);
        call.extra.sinks.data = NULL;
        part whole = run_part(*state, &call), sum = {{{0}, {0}, 0, 0, NULL}, {{0}, {0}, 0, 0, NULL}};
        for (int64_t j = 0; j < call.problem.keys; j++) {
            random_call one = keys_of(&call, j, 1);
            part next = run_part(*state, &one);
            sum = j == 0 ? next : random_chance(&rng, 50) ? join(*state, sum, next) : join(*state, next, sum);
        }
        assert_tensors_close(&sum.o, &whole.o, 1e-12);
        assert_tensors_close(&sum.lse, &whole.lse, 1e-12);
    }
}

/* A part that saw no key changes no bit, whatever its output holds. */
static void test_empty_part_changes_nothing(void **state) {
    const double held[] = {NAN, INFINITY, -1e300, 5}, values[] = {1.25, -0.0, INFINITY, -3}, lse_value = 0.7;
    const double none = -INFINITY;
    part seen = {test_tensor_of(ATTEND_F64, 1, 1, 1, 4, values), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &lse_value)};
    part empty = {test_tensor_of(ATTEND_F64, 1, 1, 1, 4, held), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &none)};
    part left = join(*state, empty, seen), right = join(*state, seen, empty), both = join(*state, empty, empty);
    assert_same_bits(&left.o, &seen.o);
    assert_same_bits(&left.lse, &seen.lse);
    assert_same_bits(&right.o, &seen.o);
    assert_same_bits(&right.lse, &seen.lse);
    for (int64_t e = 0; e < 4; e++)
        assert_true(test_get(&both.o, 0, 0, 0, e) == 0);
    assert_true(test_get(&both.lse, 0, 0, 0, -1) == -INFINITY);
}

/* NaN in a part that was seen is not lost. */
static void test_nan_in_a_part(void **state) {
    const double nan_value = NAN, one = 1, none = -INFINITY;
    attend_in nan_o = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &nan_value);
    attend_in o = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one);
    attend_in nan_lse = test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &nan_value);
    attend_in lse = test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &one);
    attend_in no_lse = test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &none);
    const part parts[][2] = {
        {{nan_o, lse}, {o, lse}},        {{o, lse}, {nan_o, lse}},        {{nan_o, nan_lse}, {o, lse}},
        {{o, lse}, {nan_o, nan_lse}},    {{nan_o, lse}, {o, no_lse}},     {{o, no_lse}, {nan_o, lse}},
        {{nan_o, nan_lse}, {o, no_lse}}, {{o, no_lse}, {nan_o, nan_lse}},
    };
    for (size_t n = 0; n < COUNT_OF(parts); n++) {
        part joined = join(*state, parts[n][0], parts[n][1]);
        assert_true(isnan(test_get(&joined.o, 0, 0, 0, 0)));
        bool nan_sum = parts[n][0].lse.data == nan_lse.data || parts[n][1].lse.data == nan_lse.data;
        assert_int_equal(isnan(test_get(&joined.lse, 0, 0, 0, 0)) != 0, nan_sum);
    }
}

/* Log-sum-exps far apart, and far from 0: no overflow, no loss. */
static void test_distant_parts(void **state) {
    const double a_lse[] = {1e4, -1e4, 1e300, -1e300, 700}, b_lse[] = {-1e4, -1e4, 1e300, 1e300, 0};
    const double want[] = {1, 1.5, 1.5, 2, 1};
    for (size_t n = 0; n < COUNT_OF(want); n++) {
        const double one = 1, two = 2;
        part a = {test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &a_lse[n])};
        part b = {test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &two), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &b_lse[n])};
        part joined = join(*state, a, b);
        double high = fmax(a_lse[n], b_lse[n]);
        assert_close(test_get(&joined.o, 0, 0, 0, 0), want[n], 1e-15);
        assert_close(test_get(&joined.lse, 0, 0, 0, 0), a_lse[n] == b_lse[n] ? high + log(2) : high, 1e-15);
    }
}

/* Infinity reaches the whole, however little of it its part weighs. */
static void test_infinity_in_a_distant_part(void **state) {
    const double one = 1, infinite = -INFINITY, near = 0, far = -5000;
    part a = {test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &near)};
    part b = {test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &infinite), test_tensor_of(ATTEND_F64, 1, 1, 1, -1, &far)};
    part joined = join(*state, a, b), turned = join(*state, b, a);
    assert_true(test_get(&joined.o, 0, 0, 0, 0) == infinite);
    assert_true(test_get(&turned.o, 0, 0, 0, 0) == infinite);
}

/* lse is optional, types and layouts may differ. */
static void test_join_in_other_types_and_layouts(void **state) {
    test_random rng = {33};
    const int64_t shape[] = {2, 3, 4, 5};
    static const attend_dtype dtypes[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64};
    for (int n = 0; n < 50; n++) {
        attend_in tensors[4]; /* o_a, lse_a, o_b, lse_b */
        for (int t = 0; t < 4; t++) {
            attend_out tensor = test_strided(&rng, dtypes[random_pick(&rng, 0, 3)], t % 2 ? 3 : 4, shape, true);
            for (int64_t m = 0; m < 120; m++)
                test_set(&tensor, m / 60, m / 20 % 3, m / 5 % 4, m % 5, random_real(&rng));
            tensors[t] = attend_read(tensor);
        }
        attend_out o = test_strided(&rng, dtypes[random_pick(&rng, 0, 3)], 4, shape, false);
        double want[120];
        for (int64_t m = 0; m < 120; m++) {
            int64_t b = m / 60, h = m / 20 % 3, i = m / 5 % 4, e = m % 5;
            double a_share = exp(test_get(&tensors[1], b, h, i, 0)), b_share = exp(test_get(&tensors[3], b, h, i, 0));
            want[m] = (a_share * test_get(&tensors[0], b, h, i, e) + b_share * test_get(&tensors[2], b, h, i, e)) /
                      (a_share + b_share);
        }
        assert_works(*state, attend_join(*state, &tensors[0], &tensors[1], &tensors[2], &tensors[3], &o, NULL));
        attend_in got = attend_read(o);
        assert_rounded(&got, want, 1e-13);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_split_and_join),
        TEST(test_many_parts),
        TEST(test_empty_part_changes_nothing),
        TEST(test_nan_in_a_part),
        TEST(test_distant_parts),
        TEST(test_infinity_in_a_distant_part),
        TEST(test_join_in_other_types_and_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
