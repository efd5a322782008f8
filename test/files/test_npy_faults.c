/* Malformed npy files: one test for each row of the catalogue, NP-01 to NP-18. */
#include "files_support.h"

static bytes file;

#define HEADER(order, shape) "{'descr': '<f4', 'fortran_order': " order ", 'shape': " shape ", }\n"

/* A header of version 1.0 in front of no data must fail with this message. */
static void header_fault(void **state, const char *header, attend_status status, const char *message) {
    make_npy(&file, 1, header, 0);
    expect_fault(*state, &file, status, message);
}

static void test_np01_empty_file(void **state) {
    file.size = 0;
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 0: not an npy or safetensors file (file is empty)");
}

static void test_np02_wrong_magic(void **state) {
    make_array(&file, "<f4", "False", "(2,)", 8);
    file.data[0] = 0x92;
    expect_fault(*state, &file, ATTEND_FORMAT,
                 "f: byte 0: not an npy file (found \"\\x92NUMPY\", expected \"\\x93NUMPY\")");
    file.data[0] = 0x93;
    file.data[3] = 'n';
    expect_fault(*state, &file, ATTEND_FORMAT,
                 "f: byte 0: not an npy or safetensors file (found \"\\x93NUnPY\\x01\\x00\")");
}

static void test_np02_file_ends_in_the_magic(void **state) {
    make_array(&file, "<f4", "False", "(2,)", 8);
    for (file.size = 1; file.size < 10; file.size++) {
        char message[80];
        snprintf(message, sizeof message, "f: byte %zu: npy file ends before its header", file.size);
        expect_fault(*state, &file, ATTEND_FORMAT, message);
    }
}

static void test_np03_zip_archive(void **state) {
    file.size = 0;
    append(&file, "PK\x03\x04\x14\0\0\0\0\0xxxxxxxxxxxx", 22);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED,
                 "f: byte 0: this is a zip archive (npz?): unpack it and give one .npy member");
}

static void test_np04_version(void **state) {
    make_npy(&file, 4, HEADER("False", "(2,)"), 8);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 6: npy version 4.0 (allowed 1.0, 2.0, 3.0)");
    file.data[6] = 0;
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 6: npy version 0.0 (allowed 1.0, 2.0, 3.0)");
    file.data[6] = 1;
    file.data[7] = 1;
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 6: npy version 1.1 (allowed 1.0, 2.0, 3.0)");
}

static void test_np05_header_past_the_file(void **state) {
    file.size = 0;
    append(&file, "\x93NUMPY\x01\x00\x28\x23", 10);
    append_numbers(&file, 190);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 8: header of 9000 bytes ends past the file (190 left)");
    file.data[8] = file.data[9] = 0xff;
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 8: header of 65535 bytes (limit 10000)");
}

static void test_np06_header_over_the_limit(void **state) {
    file.size = 0;
    append(&file, "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
    append_numbers(&file, 100);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 8: header of 4294967295 bytes (limit 10000)");
    char header[10002];
    memset(header, ' ', sizeof header);
    memcpy(header, HEADER("False", "()"), sizeof HEADER("False", "()") - 2);
    header[10000] = '\n';
    header[10001] = '\0';
    make_npy(&file, 1, header, 4);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 8: header of 10001 bytes (limit 10000)");
    header[9999] = '\n';
    header[10000] = '\0';
    make_npy(&file, 1, header, 4);
    attend_file_close(open_bytes(*state, &file));
}

static void test_np07_not_a_dictionary(void **state) {
    header_fault(state, "(1, 2)\n", ATTEND_FORMAT, "f: byte 10: header is not a literal dictionary (at \"(\")");
    header_fault(state, "__import__('os').system('true')\n", ATTEND_FORMAT,
                 "f: byte 10: header is not a literal dictionary (at \"_\")");
    header_fault(state, "{\n", ATTEND_FORMAT, "f: byte 12: header is not a literal dictionary (it ends early)");
    header_fault(state, "{'descr' '<f4'}\n", ATTEND_FORMAT,
                 "f: byte 19: header is not a literal dictionary (at \"'\")");
    header_fault(state, "{'descr': '<f4' 'shape': ()}\n", ATTEND_FORMAT,
                 "f: byte 26: header is not a literal dictionary (at \"'\")");
    header_fault(state, HEADER("False", "(2 3)"), ATTEND_FORMAT,
                 "f: byte 63: header is not a literal dictionary (at \"3\")");
    header_fault(state, "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x\n", ATTEND_FORMAT,
                 "f: byte 64: header is not a literal dictionary (at \"x\")");
    header_fault(state, "{'de\\x73cr': '<f4'}\n", ATTEND_FORMAT,
                 "f: byte 14: header is not a literal dictionary (at \"\\\")");
    header_fault(state, "{'descr\n", ATTEND_FORMAT, "f: byte 18: header is not a literal dictionary (it ends early)");
}

static void test_np07_ten_thousand_brackets(void **state) {
    char header[9001];
    memset(header, '(', sizeof header);
    memcpy(header, "{'shape': ", 10);
    memcpy(header + 8999, "\n", 2);
    header_fault(state, header, ATTEND_FORMAT, "f: byte 21: shape[0] is ( (allowed 0 to 2^63-1)");
}

static void test_np08_keys(void **state) {
    header_fault(state, "{'descr': '<f4', 'fortran_order': False, }\n", ATTEND_FORMAT,
                 "f: byte 10: key \"shape\" missing");
    header_fault(state, "{}\n", ATTEND_FORMAT, "f: byte 10: key \"descr\" missing");
    header_fault(state, "{'descr': '<f4', 'shape': (), }\n", ATTEND_FORMAT,
                 "f: byte 10: key \"fortran_order\" missing");
    header_fault(state, "{'x': 1, 'descr': '<f4'}\n", ATTEND_FORMAT, "f: byte 11: unknown key \"x\"");
    header_fault(state, "{'descr': '<f4', \"descr\": '<f8'}\n", ATTEND_FORMAT, "f: byte 27: key \"descr\" twice");
}

static void shape_fault(void **state, const char *shape, attend_status status, const char *message) {
    make_array(&file, "<f4", "False", shape, 0);
    expect_fault(*state, &file, status, message);
}

static void test_np09_shape_values(void **state) {
    shape_fault(state, "[2, 3]", ATTEND_FORMAT, "f: byte 60: shape must be a tuple (found [)");
    shape_fault(state, "5", ATTEND_FORMAT, "f: byte 60: shape must be a tuple (found 5)");
    shape_fault(state, "(5)", ATTEND_FORMAT, "f: byte 60: shape must be a tuple (found a number in brackets)");
    shape_fault(state, "(2, -4)", ATTEND_FORMAT, "f: byte 64: shape[1] is -4 (allowed 0 to 2^63-1)");
    shape_fault(state, "(-0,)", ATTEND_FORMAT, "f: byte 61: shape[0] is -0 (allowed 0 to 2^63-1)");
    shape_fault(state, "(3.0,)", ATTEND_FORMAT, "f: byte 61: shape[0] is 3.0 (allowed 0 to 2^63-1)");
    shape_fault(state, "(True,)", ATTEND_FORMAT, "f: byte 61: shape[0] is True (allowed 0 to 2^63-1)");
    shape_fault(state, "(0x10,)", ATTEND_FORMAT, "f: byte 61: shape[0] is 0x10 (allowed 0 to 2^63-1)");
    shape_fault(state, "(+1,)", ATTEND_FORMAT, "f: byte 61: shape[0] is +1 (allowed 0 to 2^63-1)");
    shape_fault(state, "(01,)", ATTEND_FORMAT, "f: byte 61: shape[0] is 01 (allowed 0 to 2^63-1)");
    shape_fault(state, "(L,)", ATTEND_FORMAT, "f: byte 61: shape[0] is L (allowed 0 to 2^63-1)");
    shape_fault(state, "(,)", ATTEND_FORMAT, "f: byte 61: shape[0] is , (allowed 0 to 2^63-1)");
    shape_fault(state, "(100000000000000000000,)", ATTEND_FORMAT,
                "f: byte 61: shape[0] is 100000000000000000000 (allowed 0 to 2^63-1)");
    shape_fault(state, "(9223372036854775808,)", ATTEND_FORMAT,
                "f: byte 61: shape[0] is 9223372036854775808 (allowed 0 to 2^63-1)");
    header_fault(state, "{'shape': (1,\n", ATTEND_FORMAT, "f: byte 24: shape[1] is  (allowed 0 to 2^63-1)");
}

static void test_np10_shape_that_wraps(void **state) {
    shape_fault(state, "(4294967296, 4294967296)", ATTEND_TOO_LARGE,
                "f: shape [4294967296, 4294967296] of F32 is too large");
    shape_fault(state, "(9223372036854775807,)", ATTEND_TOO_LARGE,
                "f: shape [9223372036854775807] of F32 is too large");
    shape_fault(state, "(4611686018427387904, 4, 0)", ATTEND_TOO_LARGE,
                "f: shape [4611686018427387904, 4, 0] of F32 is too large");
    shape_fault(state, "(9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807)",
                ATTEND_TOO_LARGE,
                "f: shape [9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]"
                " of F32 is too large");
}

static void type_fault(void **state, const char *descr, const char *message) {
    make_array(&file, descr, "False", "(2,)", 16);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, message);
}

static void test_np11_object_array(void **state) {
    type_fault(state, "|O", "f: byte 20: object arrays hold Python code and are never loaded: save with dtype float32");
    type_fault(state, "|O8",
               "f: byte 20: object arrays hold Python code and are never loaded: save with dtype float32");
}

static void test_np12_types_that_are_not_numbers(void **state) {
    const char *const types[] = {"<U8", "<M8[ns]", "<c8", "<f3", "f4", "float32", "", "<", "<f44", "|V4", "~f4"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char message[160];
        snprintf(message, sizeof message,
                 "f: byte 20: dtype \"%s\" is not numeric (allowed f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, V2 as bf16)",
                 types[i]);
        type_fault(state, types[i], message);
    }
    header_fault(state, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", ATTEND_UNSUPPORTED,
                 "f: byte 20: structured dtypes are not numeric: save one field");
    header_fault(state, "{'descr': 4, 'fortran_order': False, 'shape': (2,), }\n", ATTEND_FORMAT,
                 "f: byte 20: descr must be a string (found 4)");
}

static void test_np14_fortran_order(void **state) {
    const char *const values[] = {"1", "true", "None", "0"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char message[80];
        make_array(&file, "<f4", values[i], "(2,)", 8);
        snprintf(message, sizeof message, "f: byte 44: fortran_order must be True or False (found %s)", values[i]);
        expect_fault(*state, &file, ATTEND_FORMAT, message);
    }
    make_array(&file, "<f4", "'True'", "(2,)", 8);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 44: fortran_order must be True or False (found ')");
}

static void test_np15_data_too_short(void **state) {
    make_array(&file, "<f4", "False", "(32, 32)", 4095);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 72: 4095 bytes of data, need 4096 for shape [32, 32] of f4");
}

static void test_np16_data_too_long(void **state) {
    make_array(&file, "<f4", "False", "(32, 32)", 4097);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 4168: 1 byte after the array");
    make_array(&file, "<f4", "False", "(0,)", 2);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 68: 2 bytes after the array");
}

static void test_np17_characters_of_the_header(void **state) {
    header_fault(state, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", ATTEND_FORMAT,
                 "f: byte 65: header must end in a newline");
    header_fault(state, "", ATTEND_FORMAT, "f: byte 10: header must end in a newline");
    make_array(&file, "<f4", "False", "()", 4);
    file.data[30] = '\0';
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 30: header holds byte 0x00 (allowed: ASCII text)");
    file.data[30] = 0xe9;
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 30: header holds byte 0xe9 (allowed: ASCII text)");
    file.data[30] = 0x1b;
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 30: header holds byte 0x1b (allowed: ASCII text)");
}

static void test_np18_rank(void **state) {
    char shape[120] = "(";
    for (int axis = 0; axis < 33; axis++)
        strcat(shape, "1, ");
    strcat(shape, ")");
    shape_fault(state, shape, ATTEND_UNSUPPORTED, "f: byte 60: rank 33 (limit 4)");
    shape_fault(state, "(1, 1, 1, 1, 1)", ATTEND_UNSUPPORTED, "f: byte 60: rank 5 (limit 4)");
}

static void test_names_in_messages_are_escaped_and_cut(void **state) {
    char header[400] = "{'";
    memset(header + 2, 'k', 200);
    strcpy(header + 202, "': 1}\n");
    char message[300] = "f: byte 11: unknown key \"";
    size_t length = strlen(message);
    memset(message + length, 'k', 120);
    strcpy(message + length + 120, "...\"");
    header_fault(state, header, ATTEND_FORMAT, message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_np01_empty_file),
        TEST(test_np02_wrong_magic),
        TEST(test_np02_file_ends_in_the_magic),
        TEST(test_np03_zip_archive),
        TEST(test_np04_version),
        TEST(test_np05_header_past_the_file),
        TEST(test_np06_header_over_the_limit),
        TEST(test_np07_not_a_dictionary),
        TEST(test_np07_ten_thousand_brackets),
        TEST(test_np08_keys),
        TEST(test_np09_shape_values),
        TEST(test_np10_shape_that_wraps),
        TEST(test_np11_object_array),
        TEST(test_np12_types_that_are_not_numbers),
        TEST(test_np14_fortran_order),
        TEST(test_np15_data_too_short),
        TEST(test_np16_data_too_long),
        TEST(test_np17_characters_of_the_header),
        TEST(test_np18_rank),
        TEST(test_names_in_messages_are_escaped_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
