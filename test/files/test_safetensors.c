/* Safetensors: well-formed files, and one test for each row of the catalogue, ST-01 to ST-24. */
#include "files_support.h"

#include <time.h>

#include "tensor/tensor.h"

static bytes file;

/* A header in front of data_size bytes must fail with this message. */
static void header_fault(void **state, const char *header, size_t data_size, attend_status status,
                         const char *message) {
    make_safetensors(&file, header, data_size);
    expect_fault(*state, &file, status, message);
}

#define W(dtype, shape, offsets) "{\"w\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

/* ---- Well-formed --------------------------------------------------------------------------- */

static void test_names_in_the_order_of_the_file(void **state) {
    make_safetensors(&file,
                     "{\"__metadata__\":{\"format\":\"pt\"},"
                     "\"z\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[4,6]},"
                     "\"a\":{\"data_offsets\":[0,4],\"shape\":[2,2],\"dtype\":\"BOOL\"}}   ",
                     6);
    attend_file *opened = open_bytes(*state, &file);
    assert_int_equal(attend_file_count(opened), 2);
    assert_string_equal(attend_file_name(opened, 0), "z");
    assert_string_equal(attend_file_name(opened, 1), "a");
    assert_null(attend_file_name(opened, 2));
    attend_in tensor = find_tensor(*state, opened, "z");
    assert_true(at_get(&tensor, 1, 0, 0, 0) == 5);
    tensor = find_tensor(*state, opened, "a");
    assert_int_equal(tensor.dtype, ATTEND_U8);
    assert_true(at_get(&tensor, 1, 1, 0, 0) == 3);
    attend_file_close(opened);
}

static void test_every_type(void **state) {
    static const struct {
        const char *name;
        int size;
        attend_dtype dtype;
    } types[] = {{"F64", 8, ATTEND_F64}, {"F32", 4, ATTEND_F32}, {"F16", 2, ATTEND_F16}, {"BF16", 2, ATTEND_BF16},
                 {"BOOL", 1, ATTEND_U8}, {"U8", 1, ATTEND_U8},   {"I8", 1, ATTEND_I32},  {"I16", 2, ATTEND_I32},
                 {"U16", 2, ATTEND_I32}, {"I32", 4, ATTEND_I32}, {"U32", 4, ATTEND_I32}, {"I64", 8, ATTEND_I32},
                 {"U64", 8, ATTEND_I32}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char header[120];
        snprintf(header, sizeof header, W("\"%s\"", "[3]", "[0,%d]"), types[i].name, 3 * types[i].size);
        make_safetensors(&file, header, 0);
        for (int byte = 0; byte < 3 * types[i].size; byte++)
            append_length(&file, byte % types[i].size == 0 ? (uint64_t)(byte / types[i].size) : 0, 1);
        attend_file *opened = open_bytes(*state, &file);
        attend_in tensor = find_tensor(*state, opened, "w");
        assert_int_equal(tensor.dtype, types[i].dtype);
        if (tensor.dtype == ATTEND_I32 || tensor.dtype == ATTEND_U8)
            assert_true(at_get(&tensor, 2, 0, 0, 0) == 2);
        attend_file_close(opened);
    }
}

static void test_st20_empty_tensor_and_scalar(void **state) {
    make_safetensors(&file,
                     "{\"e\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[0,0]},"
                     "\"s\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                     "\"n\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[4,4]}}",
                     4);
    attend_file *opened = open_bytes(*state, &file);
    assert_non_null(find_tensor(*state, opened, "e").data);
    assert_non_null(find_tensor(*state, opened, "n").data);
    attend_in scalar = find_tensor(*state, opened, "s");
    assert_int_equal(scalar.rank, 0);
    assert_int_equal(((const unsigned char *)scalar.data)[1], 1);
    attend_file_close(opened);
}

static void test_no_tensors(void **state) {
    attend_in tensor;
    make_safetensors(&file, "{}", 0);
    attend_file *opened = open_bytes(*state, &file);
    assert_int_equal(attend_file_count(opened), 0);
    attend_status status = attend_file_find(*state, opened, "q", &tensor);
    assert_fails(*state, status, ATTEND_FORMAT, "f: tensor \"q\" missing: the file holds none");
    attend_file_close(opened);
}

static void test_st21_unaligned_tensor_is_copied(void **state) {
    make_safetensors(&file,
                     "{\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                     "\"f\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[1,9]}}",
                     9);
    attend_file *opened = open_bytes(*state, &file);
    attend_in tensor = find_tensor(*state, opened, "f");
    assert_true((uintptr_t)tensor.data % 4 == 0);
    assert_true(at_get(&tensor, 1, 0, 0, 0) == 0x08070605);
    attend_file_close(opened);
}

static void test_st06_padding(void **state) {
    make_safetensors(&file, "{} \t\r\n", 0);
    attend_file_close(open_bytes(*state, &file));
}

/* ---- The header ---------------------------------------------------------------------------- */

static void test_st01_too_short(void **state) {
    for (size_t size = 1; size < 8; size++) {
        char message[100];
        file.size = 0;
        append(&file, "abcdefgh", size);
        snprintf(message, sizeof message, "f: file of %zu byte%s has no header length (allowed 8 bytes or more)", size,
                 size == 1 ? "" : "s");
        expect_fault(*state, &file, ATTEND_FORMAT, message);
    }
}

static void test_st02_length_over_the_limit(void **state) {
    file.size = 0;
    append_length(&file, UINT64_MAX, 8);
    append(&file, "{}", 2);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED,
                 "f: byte 0: header of 18446744073709551615 bytes (limit 100000000)");
    file.size = 0;
    append_length(&file, 100000001, 8);
    append(&file, "{}", 2);
    expect_fault(*state, &file, ATTEND_UNSUPPORTED, "f: byte 0: header of 100000001 bytes (limit 100000000)");
}

static void test_st03_length_past_the_file(void **state) {
    file.size = 0;
    append_length(&file, 1000, 8);
    append(&file, "{", 1);
    append_numbers(&file, 91);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 0: header of 1000 bytes ends past the file (92 left)");
}

static void test_some_other_file(void **state) {
    file.size = 0;
    append(&file, "# attend\nis a text", 18);
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 0: not an npy or safetensors file (found \"# attend\")");
    file.size = 8;
    expect_fault(*state, &file, ATTEND_FORMAT, "f: byte 0: not an npy or safetensors file (found \"# attend\")");
}

static void test_st04_empty_or_broken_header(void **state) {
    header_fault(state, "", 0, ATTEND_FORMAT, "f: byte 8: header is empty");
    header_fault(state, "\xff", 0, ATTEND_FORMAT, "f: byte 8: header must start with \"{\" (found \"\\xff\")");
    header_fault(state, "{", 0, ATTEND_FORMAT, "f: byte 9: JSON: string or '}' expected near end of file");
    header_fault(state, "{\"\xff\"", 0, ATTEND_FORMAT, "f: byte 10: JSON: unable to decode byte 0xff near '\"'");
}

static void test_st05_start(void **state) {
    header_fault(state, " {}", 0, ATTEND_FORMAT, "f: byte 8: header must start with \"{\" (found \" \")");
    header_fault(state, "\xef\xbb\xbf{}", 0, ATTEND_FORMAT,
                 "f: byte 8: header must start with \"{\" (found \"\\xef\")");
    header_fault(state, "[]", 0, ATTEND_FORMAT, "f: byte 8: header must start with \"{\" (found \"[\")");
}

static void test_st07_same_name_twice(void **state) {
#define U8_AT_0 "{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}"
    header_fault(state, "{\"a\":" U8_AT_0 ",\"a\":" U8_AT_0 "}", 1, ATTEND_FORMAT,
                 "f: byte 64: JSON: duplicate object key near '\"a\"'");
    header_fault(state, "{\"a\":" U8_AT_0 ",\"\\u0061\":" U8_AT_0 "}", 1, ATTEND_FORMAT,
                 "f: byte 69: JSON: duplicate object key near '\"\\u0061\"'");
    header_fault(state, "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 1, ATTEND_FORMAT,
                 "f: byte 34: JSON: duplicate object key near '\"dtype\"'");
}

static void test_st08_metadata(void **state) {
    header_fault(state, "{\"__metadata__\":{\"x\":1}}", 0, ATTEND_FORMAT,
                 "f: __metadata__.\"x\" must be a string (found 1)");
    header_fault(state, "{\"__metadata__\":{\"x\":{}}}", 0, ATTEND_FORMAT,
                 "f: __metadata__.\"x\" must be a string (found an object)");
    header_fault(state, "{\"__metadata__\":[]}", 0, ATTEND_FORMAT,
                 "f: __metadata__ must be an object (found an array)");
}

static void test_st18_sizes(void **state) {
    char header[1200] = "{\"";
    memset(header + 2, 'n', 1025);
    strcpy(header + 1027, "\":1}");
    char message[300] = "f: tensor name \"";
    memset(message + 16, 'n', 120);
    strcpy(message + 136, "...\" of 1025 bytes (limit 1024)");
    header_fault(state, header, 0, ATTEND_UNSUPPORTED, message);
    memset(header, '[', sizeof header);
    memcpy(header, "{\"a\":", 5);
    header[1199] = '\0';
    header_fault(state, header, 0, ATTEND_UNSUPPORTED, "f: byte 76: JSON deeper than 64 (limit)");
}

static void test_st19_names(void **state) {
    header_fault(state, "{\"\":1}", 0, ATTEND_FORMAT, "f: tensor name \"\" is empty");
    header_fault(state, "{\"a\\u001bb\":1}", 0, ATTEND_FORMAT,
                 "f: tensor name \"a\\x1bb\" holds control character U+001B");
    header_fault(state, "{\"a\\u009bb\":1}", 0, ATTEND_FORMAT,
                 "f: tensor name \"a\\xc2\\x9bb\" holds control character U+009B");
    header_fault(state, "{\"a\\u0000\":1}", 0, ATTEND_FORMAT,
                 "f: byte 18: JSON: NUL byte in object key not supported near '\"a\\u0000\"'");
    header_fault(state, "{\"\\ud800\":1}", 0, ATTEND_FORMAT,
                 "f: byte 17: JSON: invalid Unicode '\\uD800' near '\"\\ud800\"'");
    header_fault(state, "{\"\xc0\xaf\":1}", 0, ATTEND_FORMAT, "f: byte 10: JSON: unable to decode byte 0xc0 near '\"'");
    header_fault(state, "{\"\x1b\":1}", 0, ATTEND_FORMAT, "f: byte 10: JSON: control character 0x1b near '\"'");
}

static void test_st22_not_json(void **state) {
    header_fault(state, "{\"a\":NaN}", 0, ATTEND_FORMAT, "f: byte 16: JSON: invalid token near 'NaN'");
    header_fault(state, "{\"a\":Infinity}", 0, ATTEND_FORMAT, "f: byte 21: JSON: invalid token near 'Infinity'");
    header_fault(state, "{\"a\":01}", 0, ATTEND_FORMAT, "f: byte 14: JSON: invalid token near '0'");
    header_fault(state, "{\"a\":+1}", 0, ATTEND_FORMAT, "f: byte 14: JSON: invalid token near '+'");
    header_fault(state, "{\"a\":1,}", 0, ATTEND_FORMAT, "f: byte 16: JSON: string or '}' expected near '}'");
    header_fault(state, "{/**/}", 0, ATTEND_FORMAT, "f: byte 10: JSON: string or '}' expected near '/'");
    header_fault(state, "{}{}", 0, ATTEND_FORMAT, "f: byte 11: JSON: end of file expected near '{'");
}

/* ---- One tensor ---------------------------------------------------------------------------- */

static void test_st09_dtype(void **state) {
#define KNOWN "(known: F64 F32 F16 BF16 BOOL U8 I8 I16 U16 I32 U32 I64 U64)"
    header_fault(state, W("\"F99\"", "[1]", "[0,4]"), 4, ATTEND_FORMAT,
                 "f: tensor \"w\": dtype \"F99\" unknown " KNOWN);
    header_fault(state, W("\"f32\"", "[1]", "[0,4]"), 4, ATTEND_FORMAT,
                 "f: tensor \"w\": dtype \"f32\" unknown " KNOWN);
    header_fault(state, W("3", "[1]", "[0,4]"), 4, ATTEND_FORMAT, "f: tensor \"w\": dtype must be a string (found 3)");
    header_fault(state, "{\"w\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, ATTEND_FORMAT,
                 "f: tensor \"w\": key \"dtype\" missing");
    header_fault(state, "{\"w\":[1]}", 0, ATTEND_FORMAT, "f: tensor \"w\": must be an object (found an array)");
    header_fault(state, "{\"w\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1],\"scale\":2}}", 1, ATTEND_FORMAT,
                 "f: tensor \"w\": unknown key \"scale\"");
}

static void test_st10_types_that_are_not_ours(void **state) {
    const char *const types[] = {"F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0", "C64"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char header[120];
        char message[120];
        snprintf(header, sizeof header, W("\"%s\"", "[8]", "[0,8]"), types[i]);
        snprintf(message, sizeof message, "f: tensor \"w\": dtype %s is valid but not supported", types[i]);
        header_fault(state, header, 8, ATTEND_UNSUPPORTED, message);
    }
}

static void test_st11_shape(void **state) {
#define WHOLE "f: tensor \"w\": shape[0] must be a whole number from 0 (found "
    header_fault(state, W("\"U8\"", "[-1]", "[0,1]"), 1, ATTEND_FORMAT, WHOLE "-1)");
    header_fault(state, W("\"U8\"", "[1.5]", "[0,1]"), 1, ATTEND_FORMAT, WHOLE "1.5)");
    header_fault(state, W("\"U8\"", "[1e3]", "[0,1]"), 1, ATTEND_FORMAT, WHOLE "1000.0)");
    header_fault(state, W("\"U8\"", "[\"2\"]", "[0,1]"), 1, ATTEND_FORMAT, WHOLE "\"2\")");
    header_fault(state, W("\"U8\"", "[[2]]", "[0,1]"), 1, ATTEND_FORMAT, WHOLE "an array)");
    header_fault(state, W("\"U8\"", "[18446744073709551614]", "[0,1]"), 1, ATTEND_FORMAT,
                 "f: byte 56: JSON: too big integer near '18446744073709551614'");
    header_fault(state, W("\"U8\"", "2", "[0,1]"), 1, ATTEND_FORMAT,
                 "f: tensor \"w\": shape must be an array (found 2)");
    header_fault(state, W("\"U8\"", "[1,1,1,1,1]", "[0,1]"), 1, ATTEND_UNSUPPORTED,
                 "f: tensor \"w\": rank 5 (limit 4)");
}

static void test_st12_shape_that_wraps(void **state) {
    header_fault(state, W("\"I32\"", "[2,9223372036854775807]", "[0,4]"), 4, ATTEND_TOO_LARGE,
                 "f: shape [2, 9223372036854775807] of I32 is too large");
    header_fault(state, W("\"F64\"", "[2305843009213693952]", "[0,0]"), 0, ATTEND_TOO_LARGE,
                 "f: shape [2305843009213693952] of F64 is too large");
}

static void test_st13_offsets(void **state) {
    header_fault(state, W("\"U8\"", "[16]", "[16,0]"), 16, ATTEND_FORMAT,
                 "f: tensor \"w\": data_offsets [16, 0] run backwards");
    header_fault(state, W("\"U8\"", "[16]", "[-1,15]"), 16, ATTEND_FORMAT,
                 "f: tensor \"w\": data_offsets[0] must be a whole number from 0 (found -1)");
    header_fault(state, W("\"U8\"", "[16]", "[0,16,16]"), 16, ATTEND_FORMAT,
                 "f: tensor \"w\": data_offsets must be two numbers (found 3)");
    header_fault(state, W("\"U8\"", "[16]", "\"0-16\""), 16, ATTEND_FORMAT,
                 "f: tensor \"w\": data_offsets must be two numbers (found \"0-16\")");
}

static void test_st14_end_past_the_data(void **state) {
    header_fault(state, W("\"F32\"", "[1024]", "[0,4096]"), 4000, ATTEND_FORMAT,
                 "f: tensor \"w\": ends at 4096, data is 4000 bytes");
    header_fault(state, W("\"U8\"", "[0]", "[5,5]"), 4, ATTEND_FORMAT, "f: tensor \"w\": ends at 5, data is 4 bytes");
    header_fault(state, W("\"U8\"", "[1]", "[9223372036854775806,9223372036854775807]"), 4, ATTEND_FORMAT,
                 "f: tensor \"w\": ends at 9223372036854775807, data is 4 bytes");
}

static void test_st17_length_is_not_the_shapes(void **state) {
    header_fault(state, W("\"I32\"", "[2,2]", "[0,4]"), 4, ATTEND_FORMAT,
                 "f: tensor \"w\": 4 bytes, shape [2, 2] of I32 needs 16");
    header_fault(state, W("\"I32\"", "[0]", "[0,4]"), 4, ATTEND_FORMAT,
                 "f: tensor \"w\": 4 bytes, shape [0] of I32 needs 0");
}

/* ---- All tensors --------------------------------------------------------------------------- */

#define RANGE(name, length, offsets) \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" length "],\"data_offsets\":" offsets "}"

static void test_st15_overlap(void **state) {
    header_fault(state, "{" RANGE("b", "16", "[15,31]") "," RANGE("a", "16", "[0,16]") "}", 31, ATTEND_FORMAT,
                 "f: byte 133: tensors \"a\" and \"b\" overlap at data byte 15");
    header_fault(state, "{" RANGE("e", "0", "[8,8]") "," RANGE("a", "16", "[0,16]") "}", 16, ATTEND_FORMAT,
                 "f: byte 123: tensors \"a\" and \"e\" overlap at data byte 8");
}

/* 100,000 tensors on one range, within the tenth of a second of the catalogue on one core at leisure. */
static void test_st15_many_on_one_range(void **state) {
    enum { COUNT = 100000, EACH = 64 };
    attend_file *opened = NULL;
    char *content = malloc(8 + 2 + COUNT * EACH + 1);
    assert_non_null(content);
    size_t used = 9;
    content[8] = '{';
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(content + used, "%s\"%d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}",
                                i > 0 ? "," : "", i);
    content[used++] = '}';
    uint64_t length = used - 8;
    memcpy(content, &length, 8);
    content[used++] = 7;
    clock_t begin = clock();
    attend_status status = at_file_from_bytes(*state, "f", content, used, &opened);
    assert_int_equal(status, ATTEND_FORMAT);
    assert_non_null(strstr(attend_message(*state), "overlap at data byte 0"));
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5); /* a quadratic check takes minutes */
    free(content);
}

static void test_st16_holes(void **state) {
    header_fault(state, "{" RANGE("a", "16", "[0,16]") "," RANGE("b", "4", "[32,36]") "}", 36, ATTEND_FORMAT,
                 "f: byte 133: data bytes 16 to 31 belong to no tensor");
    header_fault(state, "{" RANGE("a", "16", "[0,16]") "}", 20, ATTEND_FORMAT,
                 "f: byte 79: data bytes 16 to 19 belong to no tensor");
    header_fault(state, "{" RANGE("a", "4", "[1,5]") "}", 5, ATTEND_FORMAT,
                 "f: byte 61: data bytes 0 to 0 belong to no tensor");
    header_fault(state, "{}", 3, ATTEND_FORMAT, "f: byte 10: data bytes 0 to 2 belong to no tensor");
}

static void test_st24_missing_tensor(void **state) {
    attend_in tensor;
    make_safetensors(&file, "{" RANGE("layers.0.k", "1", "[0,1]") "," RANGE("layers.0.q", "1", "[1,2]") "}", 2);
    attend_file *opened = open_bytes(*state, &file);
    attend_status status = attend_file_find(*state, opened, "model.layers.0.q", &tensor);
    assert_fails(*state, status, ATTEND_FORMAT, "f: tensor \"model.layers.0.q\" missing (nearest \"layers.0.q\")");
    assert_null(tensor.data);
    attend_file_close(opened);
}

static void test_integer_outside_i32(void **state) {
    attend_in tensor;
    make_safetensors(&file, W("\"U32\"", "[1,2]", "[0,8]"), 0);
    append_length(&file, 0xffffffff00000001, 8);
    attend_file *opened = open_bytes(*state, &file);
    attend_status status = attend_file_find(*state, opened, "w", &tensor);
    assert_fails(*state, status, ATTEND_UNSUPPORTED,
                 "f: tensor \"w\": element [0, 1] is 4294967295 (allowed -2147483648 to 2147483647)");
    attend_file_close(opened);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_names_in_the_order_of_the_file),
        TEST(test_every_type),
        TEST(test_st20_empty_tensor_and_scalar),
        TEST(test_no_tensors),
        TEST(test_st21_unaligned_tensor_is_copied),
        TEST(test_st06_padding),
        TEST(test_st01_too_short),
        TEST(test_st02_length_over_the_limit),
        TEST(test_st03_length_past_the_file),
        TEST(test_some_other_file),
        TEST(test_st04_empty_or_broken_header),
        TEST(test_st05_start),
        TEST(test_st07_same_name_twice),
        TEST(test_st08_metadata),
        TEST(test_st18_sizes),
        TEST(test_st19_names),
        TEST(test_st22_not_json),
        TEST(test_st09_dtype),
        TEST(test_st10_types_that_are_not_ours),
        TEST(test_st11_shape),
        TEST(test_st12_shape_that_wraps),
        TEST(test_st13_offsets),
        TEST(test_st14_end_past_the_data),
        TEST(test_st17_length_is_not_the_shapes),
        TEST(test_st15_overlap),
        TEST(test_st15_many_on_one_range),
        TEST(test_st16_holes),
        TEST(test_st24_missing_tensor),
        TEST(test_integer_outside_i32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
