/* The public functions that make and name tensors. */
#include "test_support.h"

static void test_dtype_sizes_and_names(void **state) {
    (void)state;
    static const struct {
        attend_dtype dtype;
        size_t size;
        const char *name;
    } rows[] = {{ATTEND_F32, 4, "f32"}, {ATTEND_F16, 2, "f16"}, {ATTEND_BF16, 2, "bf16"}, {ATTEND_F64, 8, "f64"},
                {ATTEND_U8, 1, "u8"},   {ATTEND_I32, 4, "i32"}, {ATTEND_I8, 1, "i8"}};
    for (int dtype = -2; dtype < 40; dtype++) {
        size_t size = 0;
        const char *name = "unknown";
        for (size_t n = 0; n < COUNT_OF(rows); n++)
            if ((int)rows[n].dtype == dtype) {
                size = rows[n].size;
                name = rows[n].name;
            }
        assert_int_equal(attend_dtype_size((attend_dtype)dtype), size);
        assert_string_equal(attend_dtype_name((attend_dtype)dtype), name);
    }
}

static void test_dense_is_in_c_order(void **state) {
    (void)state;
    float data[120] = {0};
    const int64_t shape[] = {2, 3, 4, 5}, strides[] = {60, 20, 5, 1};
    attend_out out = attend_out_dense(data, ATTEND_F32, 4, shape);
    attend_in in = attend_in_dense(data, ATTEND_F32, 4, shape);
    assert_ptr_equal(out.data, data);
    assert_ptr_equal(in.data, data);
    assert_true(out.rank == 4 && in.rank == 4 && out.dtype == ATTEND_F32 && in.dtype == ATTEND_F32);
    assert_memory_equal(out.shape, shape, sizeof shape);
    assert_memory_equal(in.shape, shape, sizeof shape);
    assert_memory_equal(out.stride, strides, sizeof strides);
    assert_memory_equal(in.stride, strides, sizeof strides);
}

/* Nothing to go by gives a tensor that is "not given", and the call that gets it says so. */
static void test_missing_shapes_and_axes(void **state) {
    (void)state;
    float data[1] = {0};
    const int64_t one[] = {1};
    assert_null(attend_in_dense(data, ATTEND_F32, 1, NULL).data);
    assert_null(attend_out_dense(data, ATTEND_F32, 1, NULL).data);
    assert_ptr_equal(attend_in_dense(data, ATTEND_F32, 0, NULL).data, data);
    assert_null(attend_permute(attend_in_dense(data, ATTEND_F32, 1, one), NULL).data);
}

static void test_dense_of_lower_rank(void **state) {
    (void)state;
    const int64_t shape[] = {7, 3};
    attend_in in = attend_in_dense(shape, ATTEND_F64, 2, shape);
    assert_true(in.rank == 2 && in.shape[0] == 7 && in.shape[1] == 3 && in.stride[0] == 3 && in.stride[1] == 1);
    in = attend_in_dense(shape, ATTEND_F64, 0, NULL);
    assert_true(in.rank == 0 && in.data == shape);
}

/* Wrong ranks and sizes are kept for the call that uses them to refuse; nothing past four axes is touched. */
static void test_dense_with_wrong_arguments(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3, 4, 5}, huge[] = {INT64_MAX, INT64_MAX, 3, 2}, none[] = {4, 0, 3, -1};
    assert_int_equal(attend_in_dense(shape, ATTEND_F32, 5, shape).rank, 5);
    assert_int_equal(attend_in_dense(shape, ATTEND_F32, -1, shape).rank, -1);
    assert_int_equal(attend_in_dense(shape, ATTEND_F32, 4, huge).shape[0], INT64_MAX);
    attend_in in = attend_in_dense(shape, ATTEND_F32, 4, none);
    assert_true(in.stride[3] == 1 && in.stride[2] == 1 && in.stride[1] == 3 && in.stride[0] == 3);
}

static void test_permute_moves_axes(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3, 4, 5};
    const int32_t axes[] = {2, 0, 3, 1};
    attend_in from = attend_in_dense(shape, ATTEND_F16, 4, shape), to = attend_permute(from, axes);
    assert_true(to.data == from.data && to.dtype == ATTEND_F16 && to.rank == 4);
    for (int axis = 0; axis < 4; axis++) {
        assert_int_equal(to.shape[axis], from.shape[axes[axis]]);
        assert_int_equal(to.stride[axis], from.stride[axes[axis]]);
    }
}

static void test_permute_refuses_other_axes(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3, 4, 5};
    static const int32_t wrong[][3] = {{0, 1, 3}, {-1, 1, 2}, {0, 1, INT32_MAX},
                                       {0, 0, 1}, {1, 2, 1},  {INT32_MIN, 0, 1}};
    attend_in from = attend_in_dense(shape, ATTEND_F16, 3, shape);
    for (size_t n = 0; n < COUNT_OF(wrong); n++)
        assert_null(attend_permute(from, wrong[n]).data);
    from.rank = 9; /* refused where it is used; no axis past the fourth is read */
    static const int32_t outside[] = {0, 1, 2, 4};
    assert_null(attend_permute(from, outside).data);
}

static void test_read_keeps_everything(void **state) {
    (void)state;
    float data[4] = {0};
    attend_out out = {{2, 2, 9, 9}, {-1, 7, 5, 5}, ATTEND_F32, 2, data};
    attend_in in = attend_read(out);
    assert_memory_equal(in.shape, out.shape, sizeof in.shape);
    assert_memory_equal(in.stride, out.stride, sizeof in.stride);
    assert_true(in.dtype == out.dtype && in.rank == out.rank && in.data == data);
}

static void test_version(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR, ATTEND_VERSION_PATCH);
    assert_string_equal(attend_version_text(), text);
    assert_int_equal(attend_version(), ATTEND_VERSION_MAJOR << 16 | ATTEND_VERSION_MINOR << 8 | ATTEND_VERSION_PATCH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtype_sizes_and_names),
        cmocka_unit_test(test_dense_is_in_c_order),
        cmocka_unit_test(test_missing_shapes_and_axes),
        cmocka_unit_test(test_dense_of_lower_rank),
        cmocka_unit_test(test_dense_with_wrong_arguments),
        cmocka_unit_test(test_permute_moves_axes),
        cmocka_unit_test(test_permute_refuses_other_axes),
        cmocka_unit_test(test_read_keeps_everything),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
