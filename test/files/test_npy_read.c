/* Well-formed npy files: every type, either byte order, C and Fortran order, all versions. */
#include "files_support.h"

#include "tensor/tensor.h"

static bytes file;

/* ---- Types --------------------------------------------------------------------------------- */

/* How 1, 2, 3 ... look in each type of numpy. */
typedef struct type_case {
    const char *name;
    int size;
    attend_dtype dtype;
    uint64_t (*encode)(int value);
} type_case;

static uint64_t as_integer(int value) { return (uint64_t)value; }

static uint64_t as_f64(int value) {
    double number = value;
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof number);
    return bits;
}

static uint64_t as_f32(int value) {
    float number = (float)value;
    uint32_t bits = 0;
    memcpy(&bits, &number, sizeof number);
    return bits;
}

static uint64_t as_bf16(int value) { return as_f32(value) >> 16; }

static uint64_t as_f16(int value) {
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    return bits[value];
}

static const type_case types[] = {
    {"f8", 8, ATTEND_F64, as_f64},     {"f4", 4, ATTEND_F32, as_f32},     {"f2", 2, ATTEND_F16, as_f16},
    {"V2", 2, ATTEND_BF16, as_bf16},   {"b1", 1, ATTEND_U8, as_integer},  {"u1", 1, ATTEND_U8, as_integer},
    {"i1", 1, ATTEND_I32, as_integer}, {"i2", 2, ATTEND_I32, as_integer}, {"i4", 4, ATTEND_I32, as_integer},
    {"i8", 8, ATTEND_I32, as_integer}, {"u2", 2, ATTEND_I32, as_integer}, {"u4", 4, ATTEND_I32, as_integer},
    {"u8", 8, ATTEND_I32, as_integer},
};
enum { TYPES = sizeof types / sizeof types[0] };

static void append_element(uint64_t bits, int size, bool big_endian) {
    for (int i = 0; i < size; i++) {
        int place = big_endian ? size - 1 - i : i;
        unsigned char byte = (unsigned char)(bits >> (8 * place) & 0xff);
        append(&file, &byte, 1);
    }
}

/* 1 to 6 in the order of the file, behind padding bytes that move the data. */
static void make_numbers(const type_case *type, char order, const char *fortran, const char *shape, int padding) {
    char header[256];
    snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }%*s\n", order, type->name,
             fortran, shape, padding, "");
    make_npy(&file, 1, header, 0);
    for (int value = 1; value <= 6; value++)
        append_element(type->encode(value), type->size, order == '>');
}

static void test_np13_every_type_in_either_byte_order(void **state) {
    static const char orders[] = {'<', '>', '=', '|'};
    for (int i = 0; i < TYPES * 4; i++) {
        const type_case *type = &types[i / 4];
        make_numbers(type, orders[i % 4], "False", "(2, 3)", 0);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "");
        assert_int_equal(tensor.dtype, type->dtype);
        assert_int_equal(tensor.rank, 2);
        assert_int_equal(tensor.shape[0], 2);
        assert_int_equal(tensor.shape[1], 3);
        for (int64_t r = 0; r < 2; r++)
            for (int64_t c = 0; c < 3; c++)
                assert_true(at_get(&tensor, r, c, 0, 0) == (double)(3 * r + c + 1));
        attend_file_close(opened);
    }
}

static void test_fortran_order_is_strides(void **state) {
    make_numbers(&types[1], '<', "True", "(2, 3)", 0);
    attend_file *opened = open_bytes(*state, &file);
    attend_in tensor = find_tensor(*state, opened, "");
    assert_int_equal(tensor.stride[0], 1);
    assert_int_equal(tensor.stride[1], 2);
    for (int64_t r = 0; r < 2; r++)
        for (int64_t c = 0; c < 3; c++)
            assert_true(at_get(&tensor, r, c, 0, 0) == (double)(r + 2 * c + 1));
    attend_file_close(opened);
}

/* ---- Where the numbers are ----------------------------------------------------------------- */

/* Whether the tensor's numbers are those of the file itself. */
static bool in_place(const attend_in *tensor) {
    const unsigned char *data = tensor->data;
    return data >= file.data && data < file.data + file.size;
}

static void test_aligned_data_is_used_in_place(void **state) {
    int in_place_count = 0;
    for (int padding = 0; padding < 8; padding++) {
        make_numbers(&types[0], '<', "False", "(6,)", padding);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "");
        assert_true((uintptr_t)tensor.data % 8 == 0);
        in_place_count += in_place(&tensor);
        for (int64_t i = 0; i < 6; i++)
            assert_true(at_get(&tensor, i, 0, 0, 0) == (double)(i + 1));
        attend_file_close(opened);
    }
    assert_int_equal(in_place_count, 1);
}

static void test_a_copy_is_made_once(void **state) {
    make_numbers(&types[0], '>', "False", "(6,)", 0);
    attend_file *opened = open_bytes(*state, &file);
    attend_in first = find_tensor(*state, opened, "");
    attend_in second = find_tensor(*state, opened, "");
    assert_false(in_place(&first));
    assert_ptr_equal(first.data, second.data);
    attend_file_close(opened);
}

static void test_scalar(void **state) {
    make_array(&file, "<f4", "False", "()", 4);
    attend_file *opened = open_bytes(*state, &file);
    assert_int_equal(find_tensor(*state, opened, "").rank, 0);
    attend_file_close(opened);
}

static void test_empty_arrays_have_data(void **state) {
    const char *const shapes[] = {"(0,)", "(2, 0)", "(0, 3, 4, 5)", "(0, 4611686018427)"};
    const char *const kinds[] = {"<f8", ">f8", "<i8", "|u1"};
    for (int i = 0; i < 16; i++) {
        make_array(&file, kinds[i % 4], "False", shapes[i / 4], 0);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "");
        assert_non_null(tensor.data);
        assert_true((uintptr_t)tensor.data % 8 == 0);
        assert_true(tensor.shape[i / 4 == 1 ? 1 : 0] == 0);
        attend_file_close(opened);
    }
}

/* ---- Headers ------------------------------------------------------------------------------- */

static void test_versions_1_to_3(void **state) {
    for (int major = 1; major <= 3; major++) {
        make_npy(&file, major, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }     \n", 3);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "");
        assert_int_equal(((const unsigned char *)tensor.data)[2], 2);
        attend_file_close(opened);
    }
}

static void test_spellings_of_a_header(void **state) {
    const char *const headers[] = {
        "{\"shape\":(2,3),\"descr\":\"|u1\",\"fortran_order\":False}\n",
        " { 'fortran_order' : False , 'descr' : '|u1' , 'shape' : ( 2 , 3 , ) , } \t \n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L), }\n",
        "{'descr': '|u1',\n 'fortran_order': False,\n 'shape': (2, 3)}\r\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        make_npy(&file, 1, headers[i], 6);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "");
        assert_int_equal(tensor.shape[0], 2);
        assert_int_equal(tensor.shape[1], 3);
        attend_file_close(opened);
    }
}

/* ---- Integers ------------------------------------------------------------------------------ */

static void integer_case(void **state, const char *descr, uint64_t bits, int size, const char *message, int32_t value) {
    attend_in tensor;
    make_array(&file, descr, "False", "(2, 2)", 0);
    for (int i = 0; i < 4; i++)
        append_element(i == 3 ? bits : 0, size, descr[0] == '>');
    attend_file *opened = open_bytes(*state, &file);
    attend_status status = attend_file_find(*state, opened, "", &tensor);
    assert_fails(*state, status, message[0] == '\0' ? ATTEND_OK : ATTEND_UNSUPPORTED, message);
    if (status == ATTEND_OK)
        assert_int_equal(((const int32_t *)tensor.data)[3], value);
    attend_file_close(opened);
}

static void test_integers_that_fit(void **state) {
    integer_case(state, "|i1", 0x80, 1, "", -128);
    integer_case(state, "<i2", 0x8000, 2, "", -32768);
    integer_case(state, ">i2", 0xffff, 2, "", -1);
    integer_case(state, "<u2", 0xffff, 2, "", 65535);
    integer_case(state, ">i4", 0x80000000, 4, "", INT32_MIN);
    integer_case(state, "<u4", 0x7fffffff, 4, "", INT32_MAX);
    integer_case(state, "<i8", 0xffffffff80000000, 8, "", INT32_MIN);
    integer_case(state, ">i8", 0x7fffffff, 8, "", INT32_MAX);
    integer_case(state, "<u8", 0x7fffffff, 8, "", INT32_MAX);
}

static void test_integers_that_do_not_fit(void **state) {
    integer_case(state, "<u4", 0x80000000, 4, "f: element [1, 1] is 2147483648 (allowed -2147483648 to 2147483647)", 0);
    integer_case(state, "<i8", 0xffffffff7fffffff, 8,
                 "f: element [1, 1] is -2147483649 (allowed -2147483648 to 2147483647)", 0);
    integer_case(state, ">i8", 0x8000000000000000, 8,
                 "f: element [1, 1] is -9223372036854775808 (allowed -2147483648 to 2147483647)", 0);
    integer_case(state, "<u8", 0xffffffffffffffff, 8,
                 "f: element [1, 1] is 18446744073709551615 (allowed -2147483648 to 2147483647)", 0);
}

static void test_the_element_of_a_fortran_array_is_named_by_its_indices(void **state) {
    attend_in tensor;
    make_array(&file, "<u4", "True", "(2, 3)", 0);
    for (int i = 0; i < 6; i++)
        append_element(i == 3 ? 3000000000 : 0, 4, false);
    attend_file *opened = open_bytes(*state, &file);
    attend_status status = attend_file_find(*state, opened, "", &tensor);
    assert_fails(*state, status, ATTEND_UNSUPPORTED,
                 "f: element [1, 1] is 3000000000 (allowed -2147483648 to 2147483647)");
    attend_file_close(opened);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void test_the_one_tensor_has_no_name(void **state) {
    attend_in tensor;
    make_array(&file, "<f4", "False", "(2,)", 8);
    attend_file *opened = open_bytes(*state, &file);
    assert_int_equal(attend_file_count(opened), 1);
    assert_string_equal(attend_file_name(opened, 0), "");
    assert_null(attend_file_name(opened, 1));
    assert_null(attend_file_name(opened, -1));
    attend_status status = attend_file_find(*state, opened, "q", &tensor);
    assert_fails(*state, status, ATTEND_FORMAT, "f: tensor \"q\" missing: an npy file holds one tensor, called \"\"");
    attend_file_close(opened);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_np13_every_type_in_either_byte_order),
        TEST(test_fortran_order_is_strides),
        TEST(test_aligned_data_is_used_in_place),
        TEST(test_a_copy_is_made_once),
        TEST(test_scalar),
        TEST(test_empty_arrays_have_data),
        TEST(test_versions_1_to_3),
        TEST(test_spellings_of_a_header),
        TEST(test_integers_that_fit),
        TEST(test_integers_that_do_not_fit),
        TEST(test_the_element_of_a_fortran_array_is_named_by_its_indices),
        TEST(test_the_one_tensor_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
