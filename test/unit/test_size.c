/* Arithmetic on sizes that says when it does not fit. */
#include "test_support.h"

#include "base/size.h"

static void test_size_mul(void **state) {
    (void)state;
    size_t result;
    assert_true(at_size_mul(6, 7, &result) && result == 42);
    assert_true(at_size_mul(0, SIZE_MAX, &result) && result == 0);
    assert_true(at_size_mul(SIZE_MAX, 1, &result) && result == SIZE_MAX);
    assert_true(at_size_mul(SIZE_MAX / 2, 2, &result) && result == SIZE_MAX - 1);
    assert_false(at_size_mul(SIZE_MAX / 2 + 1, 2, &result));
    assert_false(at_size_mul(SIZE_MAX, SIZE_MAX, &result));
}

static void test_size_add(void **state) {
    (void)state;
    size_t result;
    assert_true(at_size_add(40, 2, &result) && result == 42);
    assert_true(at_size_add(SIZE_MAX, 0, &result) && result == SIZE_MAX);
    assert_true(at_size_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX);
    assert_false(at_size_add(SIZE_MAX, 1, &result));
    assert_false(at_size_add(SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1, &result));
}

static void test_i64_mul(void **state) {
    (void)state;
    int64_t result;
    assert_true(at_i64_mul(-6, 7, &result) && result == -42);
    assert_true(at_i64_mul(INT64_MIN, 1, &result) && result == INT64_MIN);
    assert_true(at_i64_mul(INT64_MIN, 0, &result) && result == 0);
    assert_false(at_i64_mul(INT64_MIN, -1, &result));
    assert_false(at_i64_mul((int64_t)1 << 32, (int64_t)1 << 31, &result));
    assert_true(at_i64_mul((int64_t)1 << 32, -((int64_t)1 << 31), &result) && result == INT64_MIN);
}

static void test_i64_add(void **state) {
    (void)state;
    int64_t result;
    assert_true(at_i64_add(-50, 8, &result) && result == -42);
    assert_true(at_i64_add(INT64_MAX, INT64_MIN, &result) && result == -1);
    assert_false(at_i64_add(INT64_MAX, 1, &result));
    assert_false(at_i64_add(INT64_MIN, -1, &result));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_mul),
        cmocka_unit_test(test_size_add),
        cmocka_unit_test(test_i64_mul),
        cmocka_unit_test(test_i64_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
