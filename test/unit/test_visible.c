/* WHO SEES WHOM: visible.h against the sentence of attend.h, over offsets, windows, packed batches, counts, masks. */
#include "random_call.h"
#include "reference.h"

#include "base/check.h"
#include "problem/visible.h"

static at_problem import_problem(attend_ctx *ctx, const attend_problem *problem, const attend_extra *extra) {
    at_arguments arguments;
    at_problem resolved;
    at_arguments_begin(&arguments, ctx);
    assert_works(ctx, at_problem_import(&arguments, problem, extra, &resolved));
    return resolved;
}

/* The rule for many keys at once is the rule for each, from any key to any other; nothing past them is written. */
static void compare_forms(const at_problem *problem, const at_query *query) {
    uint8_t sees[1000];
    assert_true(problem->keys < (int64_t)sizeof sees);
    for (int64_t first = 0; first <= problem->keys; first += 1 + first / 2)
        for (int64_t end = first; end <= problem->keys; end += 1 + (end - first) / 2) {
            memset(sees, 7, sizeof sees);
            at_sees_keys(problem, query, first, end, sees);
            for (int64_t j = first; j < end; j++)
                assert_int_equal(sees[j - first], at_sees(problem, query, j));
            assert_int_equal(sees[end - first], 7);
        }
}

static void compare_rule(attend_ctx *ctx, const attend_problem *problem, const attend_extra *extra) {
    at_problem resolved = import_problem(ctx, problem, extra);
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t h = 0; h < problem->heads; h++)
            for (int64_t i = 0; i < problem->queries; i++) {
                at_query query = at_query_of(&resolved, b, h, i);
                assert_true(query.first <= query.end);
                for (int64_t j = 0; j < problem->keys; j++)
                    assert_int_equal(at_sees(&resolved, &query, j), reference_sees(problem, extra, b, h, i, j));
                compare_forms(&resolved, &query);
            }
}

static void test_random_problems(void **state) {
    test_random rng = {11};
    for (int n = 0; n < 3000; n++) {
        random_call call = random_call_make(&rng, MAY_ALL);
        compare_rule(*state, &call.problem, &call.extra);
    }
}

/* Every window over every offset, on grids of all shapes. */
static void test_all_small_windows(void **state) {
    attend_extra extra = attend_extra_init();
    attend_problem problem = attend_problem_init();
    problem.batch = problem.heads = problem.head_width = 1;
    for (problem.queries = 1; problem.queries <= 4; problem.queries++)
        for (problem.keys = 1; problem.keys <= 4; problem.keys++)
            for (problem.query_offset = -5; problem.query_offset <= 5; problem.query_offset++)
                for (problem.ahead = -3; problem.ahead <= 3; problem.ahead++)
                    for (problem.back = -3; problem.back <= 3; problem.back++)
                        for (problem.flags = 0; problem.flags < 4; problem.flags++)
                            compare_rule(*state, &problem, &extra);
}

/* The ends of what positions may be: nothing overflows, and far away is far away. */
static void test_extreme_positions(void **state) {
    const int64_t far = (int64_t)1 << 60, values[] = {-far, -far + 1, -1, 0, 1, far - 1, far};
    attend_extra extra = attend_extra_init();
    attend_problem problem = attend_problem_init();
    problem.batch = problem.heads = problem.head_width = 1;
    problem.queries = problem.keys = 3;
    for (size_t o = 0; o < COUNT_OF(values); o++)
        for (size_t a = 0; a < COUNT_OF(values); a++)
            for (size_t b = 0; b < COUNT_OF(values); b++)
                for (problem.flags = 0; problem.flags < 4; problem.flags++) {
                    problem.query_offset = values[o];
                    problem.ahead = values[a];
                    problem.back = values[b];
                    compare_rule(*state, &problem, &extra);
                }
}

/* Query i belongs to the sequence whose start is not past it and that is not empty. */
static void test_sequences_with_empty_ones(void **state) {
    const double query_starts[] = {0, 0, 2, 2, 2, 5, 5}, key_starts[] = {0, 3, 3, 4, 6, 6, 7};
    attend_extra extra = attend_extra_init();
    attend_problem problem = attend_problem_init();
    problem.batch = problem.heads = problem.head_width = 1;
    problem.queries = 5;
    problem.keys = 7;
    extra.query_starts = test_list(ATTEND_I32, 7, query_starts);
    extra.key_starts = test_list(ATTEND_I32, 7, key_starts);
    at_problem resolved = import_problem(*state, &problem, &extra);
    const int64_t want[] = {1, 1, 4, 4, 4};
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(at_sequence_of(&resolved, i), want[i]);
    compare_rule(*state, &problem, &extra);
}

static void test_position_and_head(void **state) {
    attend_extra extra = attend_extra_init();
    attend_problem problem = attend_problem_init();
    problem.batch = problem.head_width = 1;
    problem.heads = 6;
    problem.kv_heads = 2;
    problem.queries = 3;
    problem.keys = 5;
    problem.query_offset = 2;
    at_problem resolved = import_problem(*state, &problem, &extra);
    for (int64_t h = 0; h < 6; h++) {
        at_query query = at_query_of(&resolved, 0, h, 1);
        assert_int_equal(query.g, h / 3);
        assert_int_equal(query.position, 3);
        assert_true(query.first == 0 && query.end == 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_random_problems),           TEST(test_all_small_windows), TEST(test_extreme_positions),
        TEST(test_sequences_with_empty_ones), TEST(test_position_and_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
