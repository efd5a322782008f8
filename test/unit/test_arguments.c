/* Taking the tensors of one call: what is stored, what is refused, what may not overlap.  The messages are asserted
   one by one in test/api/test_messages.c. */
#include "test_support.h"

#include "tensor/arguments.h"
#include "tensor/tensor.h"

static const at_axis any[] = {{AT_ANY, ""}, {AT_ANY, ""}, {AT_ANY, ""}, {AT_ANY, ""}};

static at_arguments begin(attend_ctx *ctx) {
    at_arguments arguments;
    at_arguments_begin(&arguments, ctx);
    return arguments;
}

/* Garbage past the rank is not used: those axes have one index, which steps nowhere. */
static void test_axes_past_the_rank(void **state) {
    at_arguments arguments = begin(*state);
    float data[6] = {0, 1, 2, 3, 4, 5};
    attend_in given = {{2, 3, INT64_MIN, INT64_MAX}, {3, 1, INT64_MAX, INT64_MIN}, ATTEND_F32, 2, data}, view;
    assert_works(*state, at_argument_in(&arguments, "x", &given, AT_NUMBERS, 2, any, &view));
    assert_true(view.shape[2] == 1 && view.shape[3] == 1 && view.stride[2] == 0 && view.stride[3] == 0);
    assert_true(at_get(&view, 1, 2, 0, 0) == 5);
    assert_int_equal(arguments.count, 1);
    assert_false(arguments.list[0].written);
}

static void test_output_is_taken_as_written(void **state) {
    at_arguments arguments = begin(*state);
    double data[6] = {0};
    attend_out given = {{2, 3, 7, 7}, {1, 2, 7, 7}, ATTEND_F64, 2, data}, view;
    assert_works(*state, at_argument_out(&arguments, "y", &given, AT_NUMBERS, 2, any, &view));
    assert_true(view.data == data && view.rank == 2 && view.dtype == ATTEND_F64);
    assert_true(view.stride[0] == 1 && view.stride[1] == 2 && view.shape[3] == 1 && view.stride[3] == 0);
    assert_true(arguments.list[0].written);
}

static void test_missing_optional_tensors(void **state) {
    at_arguments arguments = begin(*state);
    attend_in absent_in = {.rank = 77, .dtype = 77}, in = {.data = "x"}; /* data NULL: the rest is not looked at */
    attend_out absent_out = {.rank = 77, .dtype = 77}, out = {.data = &in};
    assert_works(*state, at_argument_in_if(&arguments, "x", NULL, AT_NUMBERS, 2, any, &in));
    assert_null(in.data);
    assert_works(*state, at_argument_in_if(&arguments, "x", &absent_in, AT_NUMBERS, 2, any, &in));
    assert_works(*state, at_argument_broadcast(&arguments, "x", &absent_in, AT_NUMBERS, any, &in));
    assert_null(in.data);
    assert_works(*state, at_argument_out_if(&arguments, "y", NULL, AT_NUMBERS, 2, any, &out));
    assert_works(*state, at_argument_out_if(&arguments, "y", &absent_out, AT_NUMBERS, 2, any, &out));
    assert_null(out.data);
    assert_int_equal(arguments.count, 0);
}

/* Every rank and every choice of repeated axes reads the element that the right alignment says. */
static void test_broadcast(void **state) {
    at_arguments arguments = begin(*state);
    const at_axis grid[] = {{2, "a"}, {3, "b"}, {4, "c"}, {5, "d"}};
    for (int32_t rank = 0; rank <= 4; rank++)
        for (unsigned repeats = 0; repeats < 1u << rank; repeats++) {
            int64_t shape[4];
            double numbers[120];
            attend_in view;
            for (int32_t axis = 0; axis < rank; axis++)
                shape[axis] = repeats >> axis & 1 ? 1 : grid[4 - rank + axis].size;
            for (int n = 0; n < 120; n++)
                numbers[n] = n;
            attend_in given = attend_in_dense(numbers, ATTEND_F64, rank, shape);
            arguments.count = 0;
            assert_works(*state, at_argument_broadcast(&arguments, "x", &given, AT_NUMBERS, grid, &view));
            for (int64_t n = 0; n < 120; n++) {
                int64_t whole[] = {n / 60, n / 20 % 3, n / 5 % 4, n % 5}, want = 0;
                for (int32_t axis = 0; axis < rank; axis++)
                    want = want * shape[axis] + (shape[axis] == 1 ? 0 : whole[4 - rank + axis]);
                assert_true(at_get(&view, whole[0], whole[1], whole[2], whole[3]) == (double)want);
            }
        }
}

/* A size of 1 repeats to any size, 0 included; a size of 0 never does. */
static void test_broadcast_to_nothing(void **state) {
    at_arguments arguments = begin(*state);
    const at_axis grid[] = {{2, "batch"}, {3, "heads"}, {4, "queries"}, {0, "keys"}};
    attend_in one = {{1, 1, 1, 1}, {9, 9, 9, 9}, ATTEND_U8, 4, ""}, view;
    assert_works(*state, at_argument_broadcast(&arguments, "x", &one, AT_BYTES, grid, &view));
    assert_true(view.shape[2] == 4 && view.shape[3] == 0);
    one.shape[2] = 0;
    assert_fails(*state, at_argument_broadcast(&arguments, "x", &one, AT_BYTES, grid, &view), ATTEND_SHAPE,
                 "x.shape[2] is 0 but queries is 4 (1 would repeat)");
}

static void test_apart_compares_outputs_with_all(void **state) {
    float data[8] = {0};
    const int64_t four = 4;
    attend_in in = attend_in_dense(data, ATTEND_F32, 1, &four), taken_in;
    attend_out out = attend_out_dense(data + 4, ATTEND_F32, 1, &four), taken_out;
    at_arguments arguments = begin(*state);
    assert_works(*state, at_argument_in(&arguments, "a", &in, AT_NUMBERS, 1, any, &taken_in));
    assert_works(*state, at_argument_in(&arguments, "b", &in, AT_NUMBERS, 1, any, &taken_in));
    assert_works(*state, at_arguments_apart(&arguments)); /* inputs may share */
    assert_true(at_arguments_write_nothing(&arguments));
    assert_works(*state, at_argument_out(&arguments, "y", &out, AT_NUMBERS, 1, any, &taken_out));
    assert_works(*state, at_arguments_apart(&arguments));
    assert_false(at_arguments_write_nothing(&arguments));
    out.data = data + 1;
    assert_works(*state, at_argument_out(&arguments, "z", &out, AT_NUMBERS, 1, any, &taken_out));
    assert_fails(*state, at_arguments_apart(&arguments), ATTEND_ALIAS, "y overlaps z in memory");
    arguments.list[2].written = false;
    assert_fails(*state, at_arguments_apart(&arguments), ATTEND_ALIAS, "z overlaps a in memory");
}

/* Reading and writing each type: exact in, rounded once out. */
static void test_get_and_set(void **state) {
    (void)state;
    static const attend_dtype dtypes[] = {ATTEND_F64, ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_I32};
    for (size_t n = 0; n < COUNT_OF(dtypes); n++) {
        attend_out tensor = test_tensor(dtypes[n], 2, 3, 4, 5);
        attend_in view = attend_read(tensor);
        at_set(&tensor, 1, 2, 3, 4, -57);
        at_set(&tensor, 0, 0, 0, 0, 3);
        assert_true(at_get(&view, 1, 2, 3, 4) == -57 && test_get(&view, 1, 2, 3, 4) == -57);
        assert_true(at_get(&view, 0, 0, 0, 0) == 3 && test_get(&view, 0, 0, 0, 0) == 3);
    }
    const unsigned char bytes[] = {0, 255};
    attend_in mask = {{2, 1, 1, 1}, {1, 0, 0, 0}, ATTEND_U8, 1, bytes};
    assert_true(at_get(&mask, 0, 0, 0, 0) == 0 && at_get(&mask, 1, 0, 0, 0) == 255);
}

static void test_rows(void **state) {
    (void)state;
    const double values[] = {1, 2, 3};
    double row[3] = {0};
    attend_out tensor = test_tensor(ATTEND_F16, 2, 2, 2, 3);
    attend_in view = attend_read(tensor);
    at_set_row(&tensor, 1, 0, 1, values);
    at_get_row(&view, 1, 0, 1, row);
    assert_memory_equal(row, values, sizeof row);
    assert_true(test_get(&view, 1, 0, 1, 2) == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_axes_past_the_rank),
        TEST(test_output_is_taken_as_written),
        TEST(test_missing_optional_tensors),
        TEST(test_broadcast),
        TEST(test_broadcast_to_nothing),
        TEST(test_apart_compares_outputs_with_all),
        TEST(test_get_and_set),
        TEST(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
