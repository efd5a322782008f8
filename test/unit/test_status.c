/* The statuses: base/status.def and the enumerators of attend.h are the same list. */
#include "test_support.h"

#include <ctype.h>
#include <stdio.h>

typedef struct status_row {
    attend_status value;
    const char *constant, *name;
} status_row;

static const status_row rows[] = {
#define AT_STATUS(constant, name) {constant, #constant, name},
#include "base/status.def"
#undef AT_STATUS
};

/* "ATTEND_TOO_LARGE" is called "too_large". */
static void test_names_are_the_constants_in_lower_case(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        const char *constant = rows[n].constant + strlen("ATTEND_");
        assert_int_equal(strlen(constant), strlen(rows[n].name));
        for (size_t c = 0; constant[c]; c++)
            assert_int_equal(tolower((unsigned char)constant[c]), rows[n].name[c]);
        assert_string_equal(attend_status_name(rows[n].value), rows[n].name);
    }
}

static void test_values_never_change(void **state) {
    (void)state;
    static const int values[] = {0, 10, 11, 12, 13, 14, 20, 21, 22, 23, 30, 31, 32, 33};
    assert_int_equal(COUNT_OF(values), COUNT_OF(rows));
    for (size_t n = 0; n < COUNT_OF(rows); n++)
        assert_int_equal(rows[n].value, values[n]);
}

static void test_other_values_are_unknown(void **state) {
    (void)state;
    for (int value = -3; value < 300; value++) {
        bool listed = false;
        for (size_t n = 0; n < COUNT_OF(rows); n++)
            listed = listed || (int)rows[n].value == value;
        assert_int_equal(strcmp(attend_status_name((attend_status)value), "unknown") == 0, !listed);
    }
}

/* Reads "    ATTEND_SHAPE       = 11," out of the enum of attend.h; false for other lines. */
static bool read_enumerator(const char *line, char *constant, int *value) {
    return sscanf(line, " %39[A-Z_] = %d", constant, value) == 2;
}

static void test_table_is_the_enum_of_the_header(void **state) {
    (void)state;
    const char *root = getenv("ATTEND_SOURCE");
    char path[4096], line[256], constant[40];
    size_t found = 0;
    int value;
    if (root == NULL)
        skip();
    snprintf(path, sizeof path, "%s/include/attend/attend.h", root);
    FILE *header = fopen(path, "r");
    assert_non_null(header);
    while (fgets(line, sizeof line, header) && strstr(line, "typedef enum attend_status {") == NULL)
        ;
    while (fgets(line, sizeof line, header) && line[0] != '}')
        if (read_enumerator(line, constant, &value)) {
            assert_true(found < COUNT_OF(rows));
            assert_string_equal(rows[found].constant, constant);
            assert_int_equal(rows[found++].value, value);
        }
    fclose(header);
    assert_int_equal(found, COUNT_OF(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_the_constants_in_lower_case),
        cmocka_unit_test(test_values_never_change),
        cmocka_unit_test(test_other_values_are_unknown),
        cmocka_unit_test(test_table_is_the_enum_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
