/* Numbers that the program makes for itself, in any type: what is stored is what was meant, down to 0. */
#include "../../cli/check_number.c"

#include "test_support.h"

static void test_every_exponent(void **state) {
    (void)state;
    static const struct {
        attend_dtype type;
        int least, most, digits; /* exponents of normal numbers */
    } types[] = {{ATTEND_F16, -14, 15, 10},
                 {ATTEND_BF16, -126, 127, 7},
                 {ATTEND_F32, -126, 127, 23},
                 {ATTEND_F64, -1022, 1023, 52}};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int exponent = types[t].least - types[t].digits - 3; exponent <= types[t].most; exponent++) {
            char element[8];
            int last = (exponent < types[t].least ? types[t].least : exponent) - types[t].digits;
            double digits = trunc(-1.5 * ldexp(1, exponent - last)), want = ldexp(digits, last);
            check_number_put(types[t].type, element, 1, exponent, UINT64_C(1) << 63);
            double got = check_number_get(types[t].type, element);
            if (got != want)
                fail_msg("%s, exponent %d: %a, not %a", attend_dtype_name(types[t].type), exponent, got, want);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_exponent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
