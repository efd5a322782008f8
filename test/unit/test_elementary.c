/* The elementary functions give the double nearest to the true value: the bits that tools/make_elementary.py worked out
   with hundreds of digits, and long double's value, within its own error, for many more. */
#include "test_support.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double at_sine(double x) { return at_circle_at(x).sine; }
static double at_cosine(double x) { return at_circle_at(x).cosine; }

/* ---- Bits ------------------------------------------------------------------------------------- */

typedef struct expectation {
    const char *name;
    double (*function)(double);
    uint64_t argument, result;
} expectation;

static const expectation expectations[] = {
#define BITS(name, argument, result) {#name, at_##name, argument, result},
#define BITS2(base, exponent, result)
#include "elementary_bits.inc"
#undef BITS
#undef BITS2
};

static const uint64_t powers[][3] = {
#define BITS(name, argument, result)
#define BITS2(base, exponent, result) {base, exponent, result},
#include "elementary_bits.inc"
#undef BITS
#undef BITS2
};

static void test_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const expectation *e = &expectations[i];
        double x = from_bits(e->argument), result = e->function(x);
        if (to_bits(result) != e->result)
            fail_msg("%s(%a) is %a, should be %a", e->name, x, result, from_bits(e->result));
    }
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        double base = from_bits(powers[i][0]), exponent = from_bits(powers[i][1]), result = at_power(base, exponent);
        if (to_bits(result) != powers[i][2])
            fail_msg("power(%a, %a) is %a, should be %a", base, exponent, result, from_bits(powers[i][2]));
    }
}

/* ---- Edges ------------------------------------------------------------------------------------ */

static void test_edges(void **state) {
    (void)state;
    assert_true(at_exp(-INFINITY) == 0 && at_exp(INFINITY) == INFINITY && at_exp(0) == 1 && at_exp(-0.0) == 1);
    assert_true(at_exp(1e300) == INFINITY && at_exp(-1e300) == 0 && at_exp(-745.2) == 0 && at_exp(709.79) == INFINITY);
    assert_true(at_exp(5e-324) == 1 && at_exp(-5e-324) == 1);
    assert_true(at_log(0) == -INFINITY && at_log(-0.0) == -INFINITY && at_log(INFINITY) == INFINITY && at_log(1) == 0);
    assert_true(isnan(at_log(-1)) && isnan(at_log(-INFINITY)) && isnan(at_log1p(-2)));
    assert_true(at_log1p(-1) == -INFINITY && at_log1p(INFINITY) == INFINITY && at_log1p(5e-324) == 5e-324);
    assert_true(signbit(at_log1p(-0.0)) && at_log1p(0) == 0 && at_log1p(1e300) == at_log(1e300));
    assert_true(at_tanh(INFINITY) == 1 && at_tanh(-INFINITY) == -1 && signbit(at_tanh(-0.0)));
    assert_true(at_circle_at(0).cosine == 1 && at_circle_at(0).sine == 0 && signbit(at_circle_at(-0.0).sine));
    assert_true(isnan(at_circle_at(INFINITY).sine) && isnan(at_circle_at(-INFINITY).cosine));
    assert_true(isnan(at_exp(NAN)) && isnan(at_log(NAN)) && isnan(at_log1p(NAN)) && isnan(at_tanh(NAN)));
    assert_true(isnan(at_circle_at(NAN).sine) && isnan(at_circle_at(NAN).cosine));
    assert_true(at_power(1e300, 2) == INFINITY && at_power(1e300, -2) == 0 && at_power(7, 0) == 1);
    assert_true(at_power(4, -0.5) == 0.5 && at_power(2, -1074) == 5e-324 && at_power(1e-5, 1e300) == 0);
}

/* ---- Against long double ---------------------------------------------------------------------- */

typedef struct comparison {
    const char *name;
    double (*function)(double);
    long double (*reference)(long double);
    double least, most;
} comparison;

/* Half a unit, and what a reference with 11 bits more is wrong by itself. */
static void compare(const comparison *c, uint64_t *seed) {
    for (int i = 0; i < 100000; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        double x = c->least + (c->most - c->least) * ((double)(*seed >> 11) * 0x1p-53), result = c->function(x);
        double unit = nextafter(fabs(result), INFINITY) - fabs(result);
        long double error = fabsl((long double)result - c->reference(x)) / unit;
        if (!(error < 0.502L))
            fail_msg("%s(%a) is %a, %Lf units from long double's", c->name, x, result, error);
    }
}

static void test_long_double(void **state) {
    static const comparison comparisons[] = {
        {"exp", at_exp, expl, -40, 0.5},        {"exp", at_exp, expl, -708, 709},
        {"exp", at_exp, expl, -1e-3, 1e-3},     {"log", at_log, logl, 0, 4},
        {"log", at_log, logl, 0, 1e300},        {"log1p", at_log1p, log1pl, -0.9, 8},
        {"log1p", at_log1p, log1pl, 0, 1e-5},   {"tanh", at_tanh, tanhl, -4, 4},
        {"tanh", at_tanh, tanhl, -1e-4, 1e-4},  {"sine", at_sine, sinl, -7, 7},
        {"sine", at_sine, sinl, 0, 0x1p31},     {"cosine", at_cosine, cosl, -7, 7},
        {"cosine", at_cosine, cosl, 0, 0x1p31},
    };
    uint64_t seed = 31;
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        compare(&comparisons[i], &seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_long_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
