/* Each message about taps: one call that triggers it, and its exact text. */
#include "fixture.h"

enum { B = FIXTURE_B, H = FIXTURE_H, TQ = FIXTURE_TQ, TK = FIXTURE_TK };

static void test_one_number_for_each_query(void **state) {
    REFUSE(f.taps.lse = fixture_out(&f, ATTEND_F32, B, H, TQ, 1), ATTEND_SHAPE, "taps.lse.rank is 4 but must be 3");
    REFUSE(f.taps.lse = fixture_out(&f, ATTEND_F32, B, H, TK, -1), ATTEND_SHAPE,
           "taps.lse.shape[2] is 5 but queries is 4");
    REFUSE(f.taps.row_max = fixture_out(&f, ATTEND_F32, B, 3, TQ, -1), ATTEND_SHAPE,
           "taps.row_max.shape[1] is 3 but heads is 6");
    REFUSE(f.taps.entropy = fixture_out(&f, ATTEND_F32, 1, H, TQ, -1), ATTEND_SHAPE,
           "taps.entropy.shape[0] is 1 but batch is 2");
    REFUSE(f.taps.entropy = fixture_out(&f, ATTEND_I32, B, H, TQ, -1), ATTEND_DTYPE,
           "taps.entropy.dtype is i32 but must be f32, f16, bf16 or f64");
}

static void test_top(void **state) {
    REFUSE(f.taps.top_index = fixture_out(&f, ATTEND_F32, B, H, TQ, 3), ATTEND_DTYPE,
           "taps.top_index.dtype is f32 but must be i32");
    REFUSE(f.taps.top_weight = fixture_out(&f, ATTEND_I32, B, H, TQ, 3), ATTEND_DTYPE,
           "taps.top_weight.dtype is i32 but must be f32, f16, bf16 or f64");
    REFUSE(f.taps.top_index = fixture_out(&f, ATTEND_I32, B, H, TQ, 3);
           f.taps.top_weight = fixture_out(&f, ATTEND_F32, B, H, TQ, 2), ATTEND_SHAPE,
           "taps.top_weight.shape[3] is 2 but top_index.shape[3] is 3");
    REFUSE(f.taps.top_weight = fixture_out(&f, ATTEND_F32, B, H, TK, 2), ATTEND_SHAPE,
           "taps.top_weight.shape[2] is 5 but queries is 4");
    REFUSE(f.taps.top_rest = fixture_out(&f, ATTEND_F32, B, H, TQ, -1), ATTEND_ARGUMENT,
           "taps.top_rest needs taps.top_weight or taps.top_index");
    REFUSE(f.problem.keys = f.k.shape[2] = f.v.shape[2] = ((int64_t)1 << 31) + 1; f.k.stride[2] = f.v.stride[2] = 0;
           f.taps.top_index = fixture_out(&f, ATTEND_I32, B, H, TQ, 3), ATTEND_TOO_LARGE,
           "taps.top_index is i32, too narrow for 2147483649 keys");
}

static void test_rows(void **state) {
    static const int32_t high[] = {0, 4}, low[] = {-1, 0};
    REFUSE(f.taps.rows = fixture_list(&f, 2, high), ATTEND_ARGUMENT, "taps.rows[1] is 4 (allowed 0 to 3)");
    REFUSE(f.taps.rows = fixture_list(&f, 2, low), ATTEND_ARGUMENT, "taps.rows[0] is -1 (allowed 0 to 3)");
    REFUSE(f.taps.rows = fixture_in(&f, ATTEND_F32, 2, -1, -1, -1), ATTEND_DTYPE,
           "taps.rows.dtype is f32 but must be i32");
    REFUSE(f.taps.rows = fixture_in(&f, ATTEND_I32, 2, 1, -1, -1), ATTEND_SHAPE, "taps.rows.rank is 2 but must be 1");
    REFUSE(f.taps.row_raw = fixture_out(&f, ATTEND_F32, B, H, 2, TK), ATTEND_SHAPE,
           "taps.row_raw.shape[2] is 2 but the number of taps.rows is 0");
    REFUSE(f.taps.rows = fixture_list(&f, 1, high); f.taps.row_capped = fixture_out(&f, ATTEND_F32, B, H, 2, TK),
                                                    ATTEND_SHAPE,
                                                    "taps.row_capped.shape[2] is 2 but the number of taps.rows is 1");
    REFUSE(f.taps.rows = fixture_list(&f, 1, high); f.taps.row_biased = fixture_out(&f, ATTEND_F32, B, H, 1, TQ),
                                                    ATTEND_SHAPE, "taps.row_biased.shape[3] is 4 but keys is 5");
    REFUSE(f.taps.rows = fixture_list(&f, 1, high); f.taps.row_weights = fixture_out(&f, ATTEND_F32, B, 1, 1, TK),
                                                    ATTEND_SHAPE, "taps.row_weights.shape[1] is 1 but heads is 6");
}

static void test_columns(void **state) {
    REFUSE(f.taps.column_sum = fixture_out(&f, ATTEND_F32, B, H, TQ, -1), ATTEND_SHAPE,
           "taps.column_sum.shape[2] is 4 but keys is 5");
    REFUSE(f.taps.column_first = -1, ATTEND_ARGUMENT, "taps.column_first is -1 (allowed 0 to 4)");
    REFUSE(f.taps.column_first = 5, ATTEND_ARGUMENT, "taps.column_first is 5 (allowed 0 to 4)");
    REFUSE(f.taps.column_first = 1;
           f.taps.column_count = 4, ATTEND_ARGUMENT, "taps.column_count is 4 (allowed 0 to 3)");
    REFUSE(f.taps.column_count = -2, ATTEND_ARGUMENT, "taps.column_count is -2 (allowed 0 to 4)");
    REFUSE(f.taps.column_first = 4; f.taps.column_count = INT64_MAX, ATTEND_ARGUMENT,
                                    "taps.column_count is 9223372036854775807 (allowed 0 to 0)");
}

static void test_grids(void **state) {
    REFUSE(f.taps.grid_sum = fixture_out(&f, ATTEND_F32, B, H, 3, 3);
           f.taps.grid_count = fixture_out(&f, ATTEND_F32, B, H, 2, 3), ATTEND_SHAPE,
           "taps.grid_count.shape[2] is 2 but the other grid's shape[2] is 3");
    REFUSE(f.taps.grid_count = fixture_out(&f, ATTEND_F32, B, H, 3, 3);
           f.taps.grid_max = fixture_out(&f, ATTEND_F32, B, H, 3, 2), ATTEND_SHAPE,
           "taps.grid_max.shape[3] is 2 but the other grid's shape[3] is 3");
    REFUSE(f.taps.grid_sum = fixture_out(&f, ATTEND_F32, B, 1, 3, 3), ATTEND_SHAPE,
           "taps.grid_sum.shape[1] is 1 but heads is 6");
}

/* One query repeated 2^20 times over a grid of 2^44 rows, all of them without columns. */
static void test_grid_that_does_not_fit(void **state) {
    const int64_t queries = (int64_t)1 << 20, rows = (int64_t)1 << 44;
    fixture f = fixture_make(*state);
    f.problem.batch = f.q.shape[0] = f.k.shape[0] = f.v.shape[0] = f.o.shape[0] = 1;
    f.problem.queries = f.q.shape[2] = queries;
    f.q.stride[2] = 0;
    f.taps.grid_sum = fixture_out(&f, ATTEND_F32, 1, H, 1, 0);
    f.taps.grid_sum.shape[2] = rows;
    f.o = fixture_out(&f, ATTEND_F32, 1, H, 1, 0);
    f.problem.head_width = f.q.shape[3] = f.k.shape[3] = 0;
    f.problem.value_width = f.v.shape[3] = 0;
    f.problem.flags = ATTEND_EXACT_SCALE;
    f.o.shape[2] = queries;
    fixture_refuses(&f, ATTEND_TOO_LARGE, "a grid of 17592186044416 x 0 cells over 1048576 x 5 pairs");
}

/* A grid that no memory holds: it is refused before anything is touched. */
static void test_scratch_for_a_grid_that_does_not_fit(void **state) {
    fixture f = fixture_make(*state);
    f.problem.batch = f.q.shape[0] = f.k.shape[0] = f.v.shape[0] = f.o.shape[0] = 1;
    f.problem.heads = f.q.shape[1] = f.problem.kv_heads = f.k.shape[1] = f.v.shape[1] = f.o.shape[1] = 1;
    const int64_t side[] = {1, 1, (int64_t)1 << 30, (int64_t)1 << 30};
    f.taps.grid_sum = attend_out_dense(f.memory + f.size, ATTEND_F16, 4, side);
    f.problem.flags |= ATTEND_READABLE;
    fixture_refuses(&f, ATTEND_TOO_LARGE, "scratch for 5 keys and taps of 1073741824 x 1073741824 cells does not fit");
}

static void test_scratch_for_a_list_that_does_not_fit(void **state) {
    fixture f = fixture_make(*state);
    const int64_t list[] = {B, H, TQ, (int64_t)1 << 55};
    f.taps.top_weight = attend_out_dense(f.memory + f.size, ATTEND_F16, 4, list);
    fixture_refuses(&f, ATTEND_TOO_LARGE,
                    "scratch for head_width 7, value_width 8 and taps of 36028797018963968 heaviest keys does not fit");
}

static void assert_look_refuses(fixture *f, const attend_in *lse, attend_status status, const char *text) {
    fixture_refused(f, attend_look(f->ctx, &f->problem, &f->q, &f->k, &f->extra, lse, &f->taps), status, text);
}

static void test_looking_alone(void **state) {
    fixture f = fixture_make(*state);
    attend_in lse = fixture_in(&f, ATTEND_F32, B, H, TQ, -1), wrong = fixture_in(&f, ATTEND_F32, B, H, TK, -1);
    assert_look_refuses(&f, &wrong, ATTEND_SHAPE, "lse.shape[2] is 5 but queries is 4");
    f.taps.lse = fixture_out(&f, ATTEND_F32, B, H, TQ, -1);
    assert_look_refuses(&f, &lse, ATTEND_ARGUMENT, "taps.lse is computed only where lse is not given (NULL)");
    f.taps.row_max = f.taps.lse, f.taps.lse.data = NULL;
    assert_look_refuses(&f, &lse, ATTEND_ARGUMENT, "taps.row_max is computed only where lse is not given (NULL)");
    f.taps.entropy = f.taps.row_max, f.taps.row_max.data = NULL;
    assert_look_refuses(&f, &lse, ATTEND_ARGUMENT, "taps.entropy is computed only where lse is not given (NULL)");
    f.q.data = NULL;
    assert_look_refuses(&f, NULL, ATTEND_ARGUMENT, "q.data is NULL");
}

static void test_segments(void **state) {
    static const int32_t kinds[] = {0, 1, 2, 1, 0}, negative[] = {0, -1, 1, 0, 0};
    REFUSE(f.taps.segment_mass = fixture_out(&f, ATTEND_F32, B, H, TQ, 2), ATTEND_ARGUMENT,
           "taps.segment_mass needs taps.segments");
    REFUSE(f.taps.segments = fixture_list(&f, 5, kinds); f.taps.segment_mass = fixture_out(&f, ATTEND_F32, B, H, TQ, 2),
                                                         ATTEND_ARGUMENT, "taps.segments[2] is 2 (allowed 0 to 1)");
    REFUSE(f.taps.segments = fixture_list(&f, 5, negative);
           f.taps.segment_mass = fixture_out(&f, ATTEND_F32, B, H, TQ, 2), ATTEND_ARGUMENT,
           "taps.segments[1] is -1 (allowed 0 to 1)");
    REFUSE(f.taps.segments = fixture_list(&f, 4, kinds); f.taps.segment_mass = fixture_out(&f, ATTEND_F32, B, H, TQ, 3),
                                                         ATTEND_SHAPE, "taps.segments.shape[0] is 4 but keys is 5");
    REFUSE(f.taps.segments = fixture_list(&f, 5, kinds); f.taps.segment_mass = fixture_out(&f, ATTEND_F32, B, H, TK, 3),
                                                         ATTEND_SHAPE,
                                                         "taps.segment_mass.shape[2] is 5 but queries is 4");
}

static void test_overlapping_taps(void **state) {
    REFUSE(f.taps.column_sum = fixture_out(&f, ATTEND_F32, B, H, TK, -1);
           f.taps.column_sum.data = f.o.data, ATTEND_ALIAS, "o overlaps taps.column_sum in memory");
    static const int32_t rows[] = {0, 1};
    REFUSE(f.taps.rows = fixture_list(&f, 2, rows); f.taps.lse = fixture_out(&f, ATTEND_F32, B, H, TQ, -1);
           f.taps.lse.data = (void *)(uintptr_t)f.taps.rows.data, ATTEND_ALIAS,
           "taps.lse overlaps taps.rows in memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_one_number_for_each_query),
        TEST(test_top),
        TEST(test_rows),
        TEST(test_columns),
        TEST(test_grids),
        TEST(test_grid_that_does_not_fit),
        TEST(test_scratch_for_a_grid_that_does_not_fit),
        TEST(test_scratch_for_a_list_that_does_not_fit),
        TEST(test_looking_alone),
        TEST(test_segments),
        TEST(test_overlapping_taps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
