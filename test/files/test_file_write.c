/* Writing tensors and reading them back: every type, strides of all kinds, both formats. */
#include "folder_support.h"

#include "tensor/tensor.h"

/* ---- One tensor out and in ----------------------------------------------------------------- */

static const attend_dtype types[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64, ATTEND_U8, ATTEND_I32};
static const attend_file_format formats[] = {ATTEND_NPY, ATTEND_SAFETENSORS};

/* Rounds of every bit pattern: the bytes of a tensor, not numbers, must survive (a NaN's payload too). */
static void fill(unsigned char *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i * 37 + 11);
}

static void same_element(const attend_in *a, const attend_in *b, const int64_t *index) {
    size_t size = attend_dtype_size((attend_dtype)a->dtype);
    int64_t at_a = 0;
    int64_t at_b = 0;
    for (int axis = 0; axis < a->rank; axis++) {
        at_a += index[axis] * a->stride[axis];
        at_b += index[axis] * b->stride[axis];
    }
    assert_memory_equal((const char *)a->data + at_a * (int64_t)size, (const char *)b->data + at_b * (int64_t)size,
                        size);
}

static void same_tensor(const attend_in *a, const attend_in *b) {
    int64_t shape[4] = {1, 1, 1, 1};
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->dtype, b->dtype);
    for (int axis = 0; axis < a->rank; axis++) {
        assert_int_equal(a->shape[axis], b->shape[axis]);
        shape[axis] = a->shape[axis];
    }
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; i++) {
        int64_t index[4] = {i / (shape[1] * shape[2] * shape[3]), i / (shape[2] * shape[3]) % shape[1],
                            i / shape[3] % shape[2], i % shape[3]};
        same_element(a, b, index);
    }
}

static void round_trip(attend_ctx *ctx, attend_file_format format, const attend_in *tensor) {
    static const char *const names[] = {"a tensor \"quoted\", \xc3\xa9"};
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    attend_file *file = NULL;
    attend_in back;
    assert_works(ctx, attend_file_write(ctx, path, format, names, tensor, 1));
    assert_works(ctx, attend_file_open(ctx, path, &file));
    assert_works(ctx, attend_file_find(ctx, file, format == ATTEND_NPY ? "" : names[0], &back));
    same_tensor(tensor, &back);
    for (int axis = back.rank - 1, step = 1; axis >= 0;
         step *= (int)(back.shape[axis] > 0 ? back.shape[axis] : 1), axis--)
        assert_int_equal(back.stride[axis], step);
    attend_file_close(file);
    remove_folder(&place, (const char *const[]){"t", NULL});
}

static void test_every_type_in_both_formats(void **state) {
    _Alignas(8) unsigned char data[2 * 3 * 4 * 5 * 8];
    const int64_t shape[4] = {2, 3, 4, 5};
    fill(data, sizeof data);
    for (int i = 0; i < 12; i++)
        for (int32_t rank = 0; rank <= 4; rank++) {
            attend_in tensor = attend_in_dense(data, types[i / 2], rank, shape);
            round_trip(*state, formats[i % 2], &tensor);
        }
}

static void test_strides_of_all_kinds(void **state) {
    _Alignas(8) unsigned char data[2 * 3 * 4 * 5 * 8];
    const int64_t shape[4] = {2, 3, 4, 5};
    const int32_t turned[4] = {3, 1, 0, 2};
    fill(data, sizeof data);
    for (int i = 0; i < 12; i++) {
        attend_in tensor = attend_in_dense(data, types[i / 2], 4, shape);
        attend_in permuted = attend_permute(tensor, turned);
        round_trip(*state, formats[i % 2], &permuted);
        attend_in every_other = tensor;
        every_other.shape[3] = 3;
        every_other.stride[3] = 2;
        round_trip(*state, formats[i % 2], &every_other);
        attend_in backwards = tensor;
        backwards.data = data + 119 * attend_dtype_size(types[i / 2]);
        for (int axis = 0; axis < 4; axis++)
            backwards.stride[axis] *= -1;
        round_trip(*state, formats[i % 2], &backwards);
        attend_in repeated = tensor;
        repeated.stride[1] = repeated.stride[3] = 0;
        round_trip(*state, formats[i % 2], &repeated);
    }
}

static void test_tensors_larger_than_the_buffer(void **state) {
    const int64_t shape[2] = {150, 401};
    const int32_t swapped[2] = {1, 0};
    float *data = malloc(sizeof(float) * 150 * 401);
    assert_non_null(data);
    fill((unsigned char *)data, sizeof(float) * 150 * 401);
    attend_in tensor = attend_in_dense(data, ATTEND_F32, 2, shape);
    attend_in transposed = attend_permute(tensor, swapped);
    for (int i = 0; i < 2; i++) {
        round_trip(*state, formats[i], &tensor);
        round_trip(*state, formats[i], &transposed);
    }
    free(data);
}

static void test_empty_tensors(void **state) {
    const double nothing = 0;
    const int64_t shape[3] = {2, 0, 3};
    attend_in tensor = attend_in_dense(&nothing, ATTEND_F64, 3, shape);
    round_trip(*state, ATTEND_NPY, &tensor);
    round_trip(*state, ATTEND_SAFETENSORS, &tensor);
}

/* ---- What is in the file ------------------------------------------------------------------- */

static void test_npy_header(void **state) {
    static const struct {
        attend_dtype dtype;
        int32_t rank;
        const char *header;
    } cases[] = {{ATTEND_F32, 0, "{'descr': '<f4', 'fortran_order': False, 'shape': (), } "},
                 {ATTEND_F16, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), } "},
                 {ATTEND_U8, 2, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), } "},
                 {ATTEND_BF16, 2, "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 3), } "}};
    const float data[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    folder place = make_folder();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char content[256] = {0};
        attend_in tensor = attend_in_dense(data, cases[i].dtype, cases[i].rank, shape);
        const char *path = in_folder(&place, "t.npy");
        assert_works(*state, attend_file_write(*state, path, ATTEND_NPY, NULL, &tensor, 1));
        FILE *stream = fopen(path, "rb");
        assert_non_null(stream);
        size_t size = fread(content, 1, sizeof content, stream);
        fclose(stream);
        size_t header = 10 + content[8] + 256u * content[9];
        assert_int_equal(header % 64, 0);
        assert_memory_equal(content, "\x93NUMPY\x01\x00", 8);
        assert_memory_equal(content + 10, cases[i].header, strlen(cases[i].header));
        assert_int_equal(content[header - 1], '\n');
        assert_true(size > header);
    }
    remove_folder(&place, (const char *const[]){"t.npy", NULL});
}

static void test_many_tensors_keep_their_order_and_are_aligned(void **state) {
    const double data[3] = {1, 2, 3};
    const int64_t shape[1] = {3};
    const char *const names[] = {"u8", "f64", "i32", "f16", "f32"};
    const attend_dtype dtypes[] = {ATTEND_U8, ATTEND_F64, ATTEND_I32, ATTEND_F16, ATTEND_F32};
    attend_in tensors[5];
    attend_in back;
    attend_file *file = NULL;
    folder place = make_folder();
    const char *path = in_folder(&place, "t.safetensors");
    for (int i = 0; i < 5; i++)
        tensors[i] = attend_in_dense(data, dtypes[i], 1, shape);
    assert_works(*state, attend_file_write(*state, path, ATTEND_SAFETENSORS, names, tensors, 5));
    assert_works(*state, attend_file_open(*state, path, &file));
    for (int i = 0; i < 5; i++) {
        assert_string_equal(attend_file_name(file, i), names[i]);
        assert_works(*state, attend_file_find(*state, file, names[i], &back));
        same_tensor(&tensors[i], &back);
        assert_null(file->entries[i].copy);
    }
    attend_file_close(file);
    remove_folder(&place, (const char *const[]){"t.safetensors", NULL});
}

static void test_no_tensors(void **state) {
    attend_file *file = NULL;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    assert_works(*state, attend_file_write(*state, path, ATTEND_SAFETENSORS, NULL, NULL, 0));
    assert_works(*state, attend_file_open(*state, path, &file));
    assert_int_equal(attend_file_count(file), 0);
    attend_file_close(file);
    remove_folder(&place, (const char *const[]){"t", NULL});
}

/* ---- Arguments ----------------------------------------------------------------------------- */

static void argument(attend_ctx *ctx, const char *const *names, const attend_in *tensors, int64_t count,
                     attend_status wanted, const char *message) {
    folder place = make_folder();
    attend_status status = attend_file_write(ctx, in_folder(&place, "t"), ATTEND_SAFETENSORS, names, tensors, count);
    assert_fails(ctx, status, wanted, message);
    remove_folder(&place, (const char *const[]){NULL});
}

static void test_arguments_of_write(void **state) {
    const float data[2] = {1, 2};
    const int64_t shape[1] = {2};
    attend_in tensor = attend_in_dense(data, ATTEND_F32, 1, shape);
    assert_int_equal(attend_file_write(NULL, "t", ATTEND_NPY, NULL, &tensor, 1), ATTEND_ARGUMENT);
    assert_fails(*state, attend_file_write(*state, NULL, ATTEND_NPY, NULL, &tensor, 1), ATTEND_ARGUMENT,
                 "path is NULL");
    assert_fails(*state, attend_file_write(*state, "t", (attend_file_format)7, NULL, &tensor, 1), ATTEND_ARGUMENT,
                 "format is 7, not an attend_file_format");
    assert_fails(*state, attend_file_write(*state, "t", ATTEND_NPY, NULL, &tensor, 2), ATTEND_ARGUMENT,
                 "count is 2 (allowed 1 for npy)");
    assert_fails(*state, attend_file_write(*state, "t", ATTEND_NPY, NULL, NULL, 1), ATTEND_ARGUMENT, "tensors is NULL");
    argument(*state, NULL, &tensor, 1, ATTEND_ARGUMENT, "names is NULL");
    argument(*state, NULL, &tensor, -1, ATTEND_ARGUMENT, "count is -1 (allowed 0 or more)");
    const char *const name[] = {"w"};
    argument(*state, name, &tensor, INT64_MAX, ATTEND_TOO_LARGE, "count is 9223372036854775807: too many tensors");
}

static void test_names_of_write(void **state) {
    const float data[2] = {1, 2};
    const int64_t shape[1] = {2};
    attend_in one = attend_in_dense(data, ATTEND_F32, 1, shape);
    const attend_in two[2] = {one, one};
    static const struct {
        const char *names[2];
        const char *message;
    } cases[] = {{{"a", NULL}, "names[1] is NULL"},
                 {{"a", ""}, "names[1] \"\" is empty"},
                 {{"\x1b[2J", "b"}, "names[0] \"\\x1b[2J\" holds control character U+001B"},
                 {{"a", "\xff"}, "names[1] \"\\xff\" is not valid UTF-8"},
                 {{"a", "__metadata__"}, "names[1] \"__metadata__\" is not a tensor's"},
                 {{"a", "a"}, "names[1] \"a\" was given before"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        argument(*state, cases[i].names, two, 2, ATTEND_ARGUMENT, cases[i].message);
}

static void test_tensors_of_write(void **state) {
    const float data[2] = {1, 2};
    const int64_t shape[1] = {2};
    const char *const name[] = {"w"};
    attend_in tensor = attend_in_dense(data, ATTEND_F32, 1, shape);
    tensor.data = NULL;
    argument(*state, name, &tensor, 1, ATTEND_ARGUMENT, "tensors[0].data is NULL");
    tensor = attend_in_dense(data, (attend_dtype)9, 1, shape);
    argument(*state, name, &tensor, 1, ATTEND_DTYPE, "tensors[0].dtype is 9, not an attend_dtype");
    tensor = attend_in_dense(data, ATTEND_F32, 1, shape);
    tensor.rank = 5;
    argument(*state, name, &tensor, 1, ATTEND_SHAPE, "tensors[0].rank is 5 (allowed 0 to 4)");
    tensor.rank = 1;
    tensor.shape[0] = -2;
    argument(*state, name, &tensor, 1, ATTEND_SHAPE, "tensors[0].shape[0] is -2 (allowed 0 or more)");
    tensor.shape[0] = INT64_MAX;
    tensor.stride[0] = 0; /* small in memory, but not in a file */
    argument(*state, name, &tensor, 1, ATTEND_TOO_LARGE, "tensors[0]: shape [9223372036854775807] is too large");
}

static void test_tensors_that_are_too_large_together(void **state) {
    const double data[1] = {1};
    const int64_t shape[1] = {(int64_t)1 << 59};
    const char *const names[] = {"a", "b", "c"};
    attend_in tensors[3];
    for (int i = 0; i < 3; i++) {
        tensors[i] = attend_in_dense(data, ATTEND_F64, 1, shape);
        tensors[i].stride[0] = 0;
    }
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    char message[120];
    snprintf(message, sizeof message, "%s: the tensors together are too large", path);
    assert_fails(*state, attend_file_write(*state, path, ATTEND_SAFETENSORS, names, tensors, 3), ATTEND_TOO_LARGE,
                 message);
    remove_folder(&place, (const char *const[]){NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_type_in_both_formats),
        TEST(test_strides_of_all_kinds),
        TEST(test_tensors_larger_than_the_buffer),
        TEST(test_empty_tensors),
        TEST(test_npy_header),
        TEST(test_many_tensors_keep_their_order_and_are_aligned),
        TEST(test_no_tensors),
        TEST(test_arguments_of_write),
        TEST(test_names_of_write),
        TEST(test_tensors_of_write),
        TEST(test_tensors_that_are_too_large_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
