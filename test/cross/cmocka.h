/* cmocka.h - as much of cmocka 1.1 as the tests of the kernels use, where that library is not to be had: a failed
   assertion prints where and what, and leaves its test. */
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*function)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(function) {#function, function, NULL, NULL}
#define cmocka_unit_test_setup_teardown(function, setup, teardown) {#function, function, setup, teardown}
#define cmocka_run_group_tests(tests, setup, teardown) cross_run(tests, sizeof(tests) / sizeof(tests)[0])

/* One for each program, though each file of it includes this. */
jmp_buf *cross_failure(void) __attribute__((weak));
jmp_buf *cross_failure(void) {
    static jmp_buf place;
    return &place;
}

__attribute__((noreturn, format(printf, 3, 4))) static inline void cross_fail(const char *file, int line,
                                                                              const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    longjmp(*cross_failure(), 1);
}

#define print_message(...) ((void)printf(__VA_ARGS__))
#define fail_msg(...) cross_fail(__FILE__, __LINE__, __VA_ARGS__)
#define assert_true(condition) ((condition) ? (void)0 : fail_msg("%s is false", #condition))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_int_equal(got, want) cross_equal((intmax_t)(got), (intmax_t)(want), __FILE__, __LINE__)
#define assert_string_equal(got, want) cross_same_text(got, want, __FILE__, __LINE__)
#define assert_memory_equal(got, want, size) assert_true(memcmp(got, want, size) == 0)

static inline void cross_equal(intmax_t got, intmax_t want, const char *file, int line) {
    if (got != want)
        cross_fail(file, line, "%jd is not %jd", got, want);
}

static inline void cross_same_text(const char *got, const char *want, const char *file, int line) {
    if (strcmp(got, want) != 0)
        cross_fail(file, line, "\"%s\" is not \"%s\"", got, want);
}

/* 1 when the test failed. */
static inline int cross_run_one(const struct CMUnitTest *test) {
    void *state = NULL;
    if (test->setup != NULL && test->setup(&state) != 0)
        return 1;
    int failed = setjmp(*cross_failure()) != 0;
    if (!failed)
        test->function(&state);
    return (test->teardown != NULL && test->teardown(&state) != 0) || failed;
}

static inline int cross_run(const struct CMUnitTest *tests, size_t count) {
    int failures = 0;
    for (size_t n = 0; n < count; n++) {
        int failed = cross_run_one(&tests[n]);
        failures += failed;
        printf("%s %s\n", failed ? "FAILED" : "passed", tests[n].name);
        fflush(stdout);
    }
    return failures;
}

#endif
