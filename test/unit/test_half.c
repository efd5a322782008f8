/* 16-bit floats: every pattern, and rounding against the definition, ties and edges included. */
#include "test_support.h"

#include "base/half.h"

typedef struct half_kind {
    double (*from)(uint16_t bits);
    uint16_t (*to)(double value);
    int fraction_bits;
    int bias;
    double largest, smallest; /* of the finite ones; above 0 */
} half_kind;

static const half_kind kinds[] = {
    {at_half_from_f16, at_half_to_f16, 10, 15, 65504, 0x1p-24},
    {at_half_from_bf16, at_half_to_bf16, 7, 127, 0x1.fep127, 0x1p-133},
};

/* The value by the definition of IEEE 754-2019, section 3.4. */
static double value_of(const half_kind *kind, unsigned bits) {
    int fraction = (int)bits & ((1 << kind->fraction_bits) - 1);
    int exponent = (int)(bits & 0x7fff) >> kind->fraction_bits;
    double sign = bits & 0x8000 ? -1 : 1, part = fraction / (double)(1 << kind->fraction_bits);
    if (exponent == 2 * kind->bias + 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * part * exp2(1 - kind->bias);
    return sign * (1 + part) * exp2(exponent - kind->bias);
}

static void test_every_pattern(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(kinds); n++)
        for (unsigned bits = 0; bits < 0x10000; bits++) {
            double got = kinds[n].from((uint16_t)bits), want = value_of(&kinds[n], bits);
            if (isnan(want)) {
                assert_true(isnan(got));
                assert_true(isnan(kinds[n].from(kinds[n].to(got))));
                continue;
            }
            assert_true(got == want && signbit(got) == signbit(want));
            assert_int_equal(kinds[n].to(got), bits);
        }
}

/* Between two neighbours: nearest, the middle to the even one, and just beside the middle to its own side. */
static void test_rounding_between_all_neighbours(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        unsigned infinity = (2u * (unsigned)kinds[n].bias + 1) << kinds[n].fraction_bits;
        for (unsigned low = 0; low + 1 < infinity; low++) {
            double below = kinds[n].from((uint16_t)low), above = kinds[n].from((uint16_t)(low + 1));
            double middle = below + (above - below) / 2;
            assert_int_equal(kinds[n].to(middle), low % 2 ? low + 1 : low);
            assert_int_equal(kinds[n].to(nextafter(middle, 0)), low);
            assert_int_equal(kinds[n].to(nextafter(middle, INFINITY)), low + 1);
            assert_int_equal(kinds[n].to(-middle), 0x8000 + (low % 2 ? low + 1 : low));
        }
    }
}

static void test_overflow(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        unsigned infinity = (2u * (unsigned)kinds[n].bias + 1) << kinds[n].fraction_bits;
        double half_step = exp2(kinds[n].bias - kinds[n].fraction_bits - 1);
        assert_true(kinds[n].from((uint16_t)(infinity - 1)) == kinds[n].largest);
        assert_int_equal(kinds[n].to(nextafter(kinds[n].largest + half_step, 0)), infinity - 1);
        assert_int_equal(kinds[n].to(kinds[n].largest + half_step), infinity);
        assert_int_equal(kinds[n].to(1e300), infinity);
        assert_int_equal(kinds[n].to(-1e300), 0x8000 | infinity);
        assert_int_equal(kinds[n].to(INFINITY), infinity);
        assert_int_equal(kinds[n].to(-INFINITY), 0x8000 | infinity);
    }
}

static void test_underflow(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        double half = kinds[n].smallest / 2;
        assert_int_equal(kinds[n].to(kinds[n].smallest), 1);
        assert_int_equal(kinds[n].to(half), 0); /* a tie, and 0 is even */
        assert_int_equal(kinds[n].to(nextafter(half, 1)), 1);
        assert_int_equal(kinds[n].to(-half), 0x8000);
        assert_int_equal(kinds[n].to(4.9e-324), 0);
        assert_int_equal(kinds[n].to(0.0), 0);
        assert_int_equal(kinds[n].to(-0.0), 0x8000);
    }
}

static void test_nan_stays_nan(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        uint16_t bits = kinds[n].to((double)NAN), negative = kinds[n].to(-(double)NAN);
        assert_true(isnan(kinds[n].from(bits)) && isnan(kinds[n].from(negative)));
        assert_int_equal(bits >> (kinds[n].fraction_bits - 1) & 1, 1); /* quiet */
    }
}

/* Rounding to float first would give the upper neighbour: 1 + 2^-11 + 2^-40 is just above a tie. */
static void test_no_third_type_in_between(void **state) {
    (void)state;
    assert_int_equal(at_half_to_f16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_int_equal(at_half_to_f16(1 + 0x1p-11), 0x3c00);
    assert_int_equal(at_half_to_f16(1 + 0x1p-11 - 0x1p-40), 0x3c00);
    assert_int_equal(at_half_to_bf16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    assert_int_equal(at_half_to_bf16(1 + 0x1p-8), 0x3f80);
}

#ifdef __FLT16_MAX__
__extension__ typedef _Float16 compiler_half;

static uint16_t compiler_to_f16(double value) {
    compiler_half half = (compiler_half)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static void test_against_the_compiler(void **state) {
    (void)state;
    test_random rng = {7};
    for (int n = 0; n < 1000000; n++) {
        double value = ldexp(random_real(&rng), (int)random_pick(&rng, -28, 18));
        assert_int_equal(at_half_to_f16(value), compiler_to_f16(value));
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pattern),
        cmocka_unit_test(test_rounding_between_all_neighbours),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_nan_stays_nan),
        cmocka_unit_test(test_no_third_type_in_between),
#ifdef __FLT16_MAX__
        cmocka_unit_test(test_against_the_compiler),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
