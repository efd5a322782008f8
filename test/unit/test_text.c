/* base/text.h: UTF-8, what a terminal may see, and which name was meant. */
#include "test_support.h"

#include "base/text.h"

/* ---- UTF-8 --------------------------------------------------------------------------------- */

static size_t encode(uint32_t code, char *text) {
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(0xf00 >> size | code);
    return size;
}

static void test_every_code_point(void **state) {
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char text[4];
        uint32_t found = 0;
        size_t size = encode(code, text);
        bool surrogate = code >= 0xd800 && code < 0xe000;
        assert_int_equal(at_text_character(text, size, &found), surrogate ? 0 : size);
        assert_true(surrogate || found == code);
        assert_int_equal(at_text_character(text, size - 1, &found), 0);
    }
}

static void test_bytes_that_are_no_character(void **state) {
    (void)state;
    const char *const texts[] = {
        "\x80",         "\xbf",         "\xc0\x80",         "\xc1\xbf",         "\xc2\x41",
        "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xff",         "\xe2\x82\x41"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint32_t code = 0;
        assert_int_equal(at_text_character(texts[i], strlen(texts[i]), &code), 0);
    }
}

/* ---- Printing ------------------------------------------------------------------------------ */

static void printable(const char *text, size_t length, const char *wanted) {
    assert_string_equal(at_text_printable(text, length, AT_PRINTABLE_NAME).text, wanted);
}

static void test_printable(void **state) {
    (void)state;
    printable("", 0, "");
    printable("q_proj \xc3\xa9 \xf0\x9f\x98\x80", 14, "q_proj \xc3\xa9 \xf0\x9f\x98\x80");
    printable("a\0b\n\x1b[2J\x7f", 9, "a\\x00b\\x0a\\x1b[2J\\x7f");
    printable("\xc2\x9b\xc2\xa0", 4, "\\xc2\\x9b\xc2\xa0");
    printable("\xff\xc3", 2, "\\xff\\xc3");
}

static void test_cut(void **state) {
    (void)state;
    char text[400];
    char wanted[160];
    memset(text, 'n', sizeof text);
    snprintf(wanted, sizeof wanted, "%.120s", text);
    printable(text, 120, wanted);
    strcat(wanted, "...");
    printable(text, 121, wanted);
    memcpy(text + 119, "\xc3\xa9", 2); /* a character is kept whole or not at all */
    snprintf(wanted, sizeof wanted, "%.119s...", text);
    printable(text, 130, wanted);
    text[119] = text[117] = '\n'; /* and so is an escape */
    snprintf(wanted, sizeof wanted, "%.117s...", text);
    printable(text, 130, wanted);
    assert_int_equal(strlen(at_text_printable(text + 200, 200, AT_PRINTABLE_PATH).text), 200);
}

/* ---- The nearest name ---------------------------------------------------------------------- */

static size_t distance(const char *wanted, const char *candidate) {
    at_nearest nearest = {NULL, 0};
    at_text_consider(&nearest, wanted, candidate);
    return nearest.distance;
}

static void test_distance(void **state) {
    (void)state;
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("abc", ""), 3);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("head", "heads"), 1);
    assert_int_equal(distance("flaw", "lawn"), 2);
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[299] = '\0';
    assert_int_equal(distance(long_name, ""), 120); /* further letters are not compared */
}

static void test_the_nearest_is_kept_and_the_first_of_equals(void **state) {
    (void)state;
    const char *const candidates[] = {"tokens", "heads", "hands", "kv_heads"};
    at_nearest nearest = {NULL, 0};
    for (size_t i = 0; i < COUNT_OF(candidates); i++)
        at_text_consider(&nearest, "head", candidates[i]);
    assert_string_equal(nearest.best, "heads");
    nearest.best = NULL;
    at_text_consider(&nearest, "xx", "ab");
    at_text_consider(&nearest, "xx", "cd");
    assert_string_equal(nearest.best, "ab");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_point), cmocka_unit_test(test_bytes_that_are_no_character),
        cmocka_unit_test(test_printable),        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_distance),         cmocka_unit_test(test_the_nearest_is_kept_and_the_first_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
