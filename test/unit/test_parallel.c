/* Running tasks: the context's own threads, and executors of the caller's, sound and faulty. */
#include "test_support.h"

#include <stdatomic.h>

#include "base/context.h"
#include "base/parallel.h"

enum { TASKS = 1000 };

typedef struct tally {
    atomic_int runs[TASKS];
    atomic_int busy[AT_THREADS_MAX]; /* by lane */
    atomic_int shared;               /* times that a lane was used by two at once */
    atomic_int lanes_seen;           /* largest lane + 1 */
} tally;

static void count_task(void *work, int64_t index, int32_t lane) {
    tally *counts = work;
    if (atomic_fetch_add(&counts->busy[lane], 1) != 0)
        atomic_fetch_add(&counts->shared, 1);
    atomic_fetch_add(&counts->runs[index], 1);
    if (lane + 1 > atomic_load(&counts->lanes_seen))
        atomic_store(&counts->lanes_seen, lane + 1);
    atomic_fetch_sub(&counts->busy[lane], 1);
}

static void assert_each_once(const tally *counts, int64_t count) {
    for (int64_t n = 0; n < TASKS; n++)
        assert_int_equal(atomic_load(&counts->runs[n]), n < count);
    assert_int_equal(atomic_load(&counts->shared), 0);
}

static void test_each_task_once(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    static const int64_t counts[] = {0, 1, 2, 7, TASKS};
    for (size_t t = 0; t < COUNT_OF(threads); t++)
        for (size_t c = 0; c < COUNT_OF(counts); c++) {
            attend_ctx *ctx = test_context(threads[t]);
            tally *work = test_block(sizeof *work);
            assert_works(ctx, at_parallel(ctx, count_task, work, counts[c]));
            assert_each_once(work, counts[c]);
            assert_true(atomic_load(&work->lanes_seen) <= at_parallel_lanes(ctx, counts[c]));
        }
}

static void test_lanes(void **state) {
    attend_ctx *ctx = test_context(4);
    (void)state;
    assert_int_equal(at_parallel_lanes(ctx, 0), 1);
    assert_int_equal(at_parallel_lanes(ctx, 1), 1);
    assert_int_equal(at_parallel_lanes(ctx, 3), 3);
    assert_int_equal(at_parallel_lanes(ctx, 4), 4);
    assert_int_equal(at_parallel_lanes(ctx, INT64_MAX), 4);
}

static void test_threads_of_the_process(void **state) {
    (void)state;
    assert_in_range(at_parallel_threads(), 1, AT_THREADS_MAX);
}

/* What an executor of a test does. */
typedef struct script {
    int answer;
    int64_t leave_out; /* index that is not run; -1: none                  */
    int64_t index_add; /* added to one index                               */
    int32_t lane;      /* lane of every task; lanes are right when below 2 */
    int calls;
    int64_t count; /* what it was asked for */
    int32_t lanes;
} script;

static int run_script(void *user, attend_task task, void *work, int64_t count, int32_t lanes) {
    script *s = user;
    s->calls++;
    s->count = count;
    s->lanes = lanes;
    for (int64_t n = 0; n < count; n++)
        if (n != s->leave_out)
            task(work, n == 0 ? n + s->index_add : n, s->lane);
    return s->answer;
}

static attend_ctx *context_with(script *s, int32_t threads) {
    attend_ctx *ctx = test_context(threads);
    ctx->executor.run = run_script;
    ctx->executor.user = s;
    return ctx;
}

static void test_executor_gets_tasks_and_lanes(void **state) {
    script s = {0, -1, 0, 1, 0, 0, 0};
    attend_ctx *ctx = context_with(&s, 3);
    tally *work = test_block(sizeof *work);
    (void)state;
    assert_works(ctx, at_parallel(ctx, count_task, work, TASKS));
    assert_each_once(work, TASKS);
    assert_true(s.calls == 1 && s.count == TASKS && s.lanes == 3);
}

/* One lane needs nobody's help. */
static void test_executor_is_not_asked_for_one_lane(void **state) {
    script s = {1, -1, 0, 0, 0, 0, 0};
    tally *work = test_block(sizeof *work);
    (void)state;
    assert_int_equal(at_parallel(context_with(&s, 1), count_task, work, TASKS), ATTEND_OK);
    assert_each_once(work, TASKS);
    assert_int_equal(at_parallel(context_with(&s, 8), count_task, work, 0), ATTEND_OK);
    assert_int_equal(s.calls, 0);
}

static void expect_failure(script s, const char *message) {
    attend_ctx *ctx = context_with(&s, 2);
    tally *work = test_block(sizeof *work);
    assert_fails(ctx, at_parallel(ctx, count_task, work, TASKS), ATTEND_THREAD, message);
    assert_true(atomic_load(&work->lanes_seen) <= 2);
}

static void test_faulty_executors(void **state) {
    (void)state;
    expect_failure((script){-7, -1, 0, 0, 0, 0, 0}, "the executor returned -7 and ran 1000 of 1000 tasks on 2 lanes");
    expect_failure((script){0, 5, 0, 0, 0, 0, 0}, "the executor returned 0 and ran 999 of 1000 tasks on 2 lanes");
    expect_failure((script){0, -1, TASKS, 0, 0, 0, 0}, "the executor returned 0 and ran 999 of 1000 tasks on 2 lanes");
    expect_failure((script){0, -1, -1, 0, 0, 0, 0}, "the executor returned 0 and ran 999 of 1000 tasks on 2 lanes");
    expect_failure((script){0, -1, 0, 2, 0, 0, 0}, "the executor returned 0 and ran 0 of 1000 tasks on 2 lanes");
    expect_failure((script){0, -1, 0, -1, 0, 0, 0}, "the executor returned 0 and ran 0 of 1000 tasks on 2 lanes");
}

/* The same through the public header: one head works alone, two need the executor. */
static void test_faulty_executor_of_a_forward(void **state) {
    (void)state;
    script s = {3, -1, 0, 0, 0, 0, 0};
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.threads = 2;
    config.executor.run = run_script;
    config.executor.user = &s;
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    test_random rng = {1};
    attend_in in = test_random_tensor(&rng, ATTEND_F32, 1, 2, 3, 4);
    attend_out o = test_tensor(ATTEND_F32, 1, 2, 3, 4);
    attend_problem problem = attend_problem_init();
    assert_works(ctx, attend_problem_from(ctx, &in, &in, &in, &problem));
    attend_status status = attend_forward(ctx, &problem, &in, &in, &in, NULL, &o, NULL);
    assert_fails(ctx, status, ATTEND_THREAD, "the executor returned 3 and ran 2 of 2 tasks on 2 lanes");
    s.answer = 0;
    assert_works(ctx, attend_forward(ctx, &problem, &in, &in, &in, NULL, &o, NULL));
    attend_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_each_task_once),
        TEST(test_lanes),
        TEST(test_threads_of_the_process),
        TEST(test_executor_gets_tasks_and_lanes),
        TEST(test_executor_is_not_asked_for_one_lane),
        TEST(test_faulty_executors),
        TEST(test_faulty_executor_of_a_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
