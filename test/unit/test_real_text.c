/* Numbers in messages: "." whatever the locale. */
#include "test_support.h"

#include <locale.h>

#include "base/text.h"

static void assert_text(double value, const char *want) { assert_string_equal(at_text_real(value).text, want); }

static void check_numbers(void) {
    assert_text(0, "0");
    assert_text(-0.5, "-0.5");
    assert_text(1e300, "1e+300");
    assert_text(-1.25e-7, "-1.25e-07");
    assert_text(INFINITY, "inf");
    assert_text(-INFINITY, "-inf");
    assert_non_null(strstr(at_text_real(NAN).text, "nan"));
}

static void test_numbers(void **state) {
    (void)state;
    check_numbers();
}

static void test_numbers_where_the_comma_is_the_point(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8"};
    char text[16] = "";
    for (size_t n = 0; n < COUNT_OF(names) && text[1] != ','; n++)
        if (setlocale(LC_NUMERIC, names[n]) != NULL)
            snprintf(text, sizeof text, "%.1f", 0.5);
    if (text[1] != ',') {
        printf("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    check_numbers();
    setlocale(LC_NUMERIC, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_where_the_comma_is_the_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
