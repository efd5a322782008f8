/* Worked examples that are right: everything the format allows, and where the text may come from. */
#include "folder_support.h"

#define NUMBERS "\"q\":[[1,0],[0,1]],\"k\":[[1,0],[0,1]],\"v\":[[2,0],[0,2]]"

static attend_example *parse(attend_ctx *ctx, const char *text) {
    attend_example *example = NULL;
    attend_status status = attend_example_parse(ctx, "cat.json", text, strlen(text), &example);
    assert_works(ctx, status);
    return example;
}

static double number(const attend_example *example, const char *name, int64_t row, int64_t column) {
    attend_in matrix = attend_example_matrix(example, name);
    assert_int_equal(matrix.dtype, ATTEND_F64);
    assert_int_equal(matrix.rank, 2);
    return ((const double *)matrix.data)[row * matrix.stride[0] + column * matrix.stride[1]];
}

/* ---- What is read -------------------------------------------------------------------------- */

static void test_defaults(void **state) {
    double scale = 7;
    attend_example *example = parse(*state, "{\"tokens\":[\"it\",\"was\"]," NUMBERS "}");
    assert_int_equal(attend_example_tokens(example), 2);
    assert_string_equal(attend_example_token(example, 0), "it");
    assert_string_equal(attend_example_token(example, 1), "was");
    assert_null(attend_example_token(example, 2));
    assert_null(attend_example_token(example, -1));
    assert_int_equal(attend_example_heads(example), 1);
    assert_int_equal(attend_example_kv_heads(example), 1);
    assert_int_equal(attend_example_positions(example), ATTEND_POSITIONS_NONE);
    assert_int_equal(attend_example_causal(example), 0);
    assert_int_equal(attend_example_scale(example, &scale), 0);
    assert_true(scale == 7);
    assert_true(number(example, "v", 0, 0) == 2 && number(example, "v", 1, 0) == 0 && number(example, "v", 1, 1) == 2);
    assert_null(attend_example_matrix(example, "x").data);
    assert_null(attend_example_matrix(example, "tokens").data);
    assert_null(attend_example_matrix(example, NULL).data);
    attend_example_close(example);
}

static void test_every_option(void **state) {
    double scale = 0;
    attend_example *example =
        parse(*state,
              "{\"scale\": 0.5, \"causal\": true, \"positions\": \"sinusoidal\", \"kv_heads\": 1, \"heads\": 2,\n"
              "\"x\": [[1, -2.5e-3]], \"wq\": [[1,2,3,4],[5,6,7,8]], \"wk\": [[1,2],[3,4]],\n"
              "\"wv\": [[1],[2]], \"wo\": [[1,2,3],[4,5,6]], \"tokens\": [\"one\"]}");
    assert_int_equal(attend_example_heads(example), 2);
    assert_int_equal(attend_example_kv_heads(example), 1);
    assert_int_equal(attend_example_positions(example), ATTEND_POSITIONS_SINUSOIDAL);
    assert_int_equal(attend_example_causal(example), 1);
    assert_int_equal(attend_example_scale(example, &scale), 1);
    assert_true(scale == 0.5);
    assert_int_equal(attend_example_scale(example, NULL), 1);
    assert_true(number(example, "x", 0, 1) == -2.5e-3);
    assert_true(number(example, "wq", 1, 3) == 8);
    assert_true(number(example, "wo", 1, 0) == 4);
    assert_null(attend_example_matrix(example, "q").data);
    attend_example_close(example);
}

static void test_kv_heads_is_heads_when_not_given(void **state) {
    attend_example *example =
        parse(*state, "{\"tokens\":[\"a\",\"b\"],\"heads\":2.0,\"positions\":\"none\"," NUMBERS "}");
    assert_int_equal(attend_example_kv_heads(example), 2);
    attend_example_close(example);
}

static void test_rotary_and_output_weights_with_q(void **state) {
    attend_example *example =
        parse(*state, "{\"tokens\":[\"a\",\"b\"],\"positions\":\"rotary\",\"wo\":[[1],[2]]," NUMBERS "}");
    assert_int_equal(attend_example_positions(example), ATTEND_POSITIONS_ROTARY);
    attend_example_close(example);
}

static void test_numbers_of_all_kinds(void **state) {
    attend_example *example =
        parse(*state,
              "{\"tokens\":[\"a\"],\"q\":[[1e308,5e-324]],\"k\":[[-0,10000000000000000000000]],\"v\":[[1e-400]]}");
    assert_true(number(example, "q", 0, 0) == 1e308);
    assert_true(number(example, "q", 0, 1) == 5e-324);
    assert_true(number(example, "k", 0, 1) == 1e22);
    assert_true(number(example, "v", 0, 0) == 0);
    attend_example_close(example);
}

/* Printing control characters is the caller's concern; so is a token without letters. */
static void test_tokens_of_all_kinds(void **state) {
    attend_example *example = parse(*state, "{\"tokens\":[\"\\u001b\\n\",\"\",\"\\u00e9\xc3\xa9\\ud83d\\ude00\"],"
                                            "\"q\":[[1],[2],[3]],\"k\":[[1],[2],[3]],\"v\":[[1],[2],[3]]}");
    assert_string_equal(attend_example_token(example, 0), "\x1b\n");
    assert_string_equal(attend_example_token(example, 1), "");
    assert_string_equal(attend_example_token(example, 2), "\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80");
    attend_example_close(example);
}

static void test_byte_order_mark(void **state) {
    attend_example_close(parse(*state, "\xef\xbb\xbf{\"tokens\":[\"a\",\"b\"]," NUMBERS "}\r\n"));
}

static void test_the_text_need_not_end_in_a_zero(void **state) {
    static const char text[] = "{\"tokens\":[\"a\",\"b\"]," NUMBERS "}";
    attend_example *example = NULL;
    char *copy = malloc(sizeof text - 1);
    assert_non_null(copy);
    memcpy(copy, text, sizeof text - 1);
    assert_works(*state, attend_example_parse(*state, "f", copy, sizeof text - 1, &example));
    memset(copy, 'x', sizeof text - 1);
    free(copy); /* nothing of the text is kept */
    assert_string_equal(attend_example_token(example, 1), "b");
    attend_example_close(example);
}

static void test_nothing_is_nothing(void **state) {
    (void)state;
    attend_example_close(NULL);
    assert_int_equal(attend_example_tokens(NULL), 0);
    assert_null(attend_example_token(NULL, 0));
    assert_int_equal(attend_example_heads(NULL), 0);
    assert_int_equal(attend_example_kv_heads(NULL), 0);
    assert_int_equal(attend_example_positions(NULL), ATTEND_POSITIONS_NONE);
    assert_int_equal(attend_example_causal(NULL), 0);
    assert_int_equal(attend_example_scale(NULL, NULL), 0);
    assert_null(attend_example_matrix(NULL, "q").data);
}

static void test_arguments(void **state) {
    attend_example *example = NULL;
    assert_int_equal(attend_example_parse(NULL, "f", "{}", 2, &example), ATTEND_ARGUMENT);
    assert_int_equal(attend_example_open(NULL, "f", &example), ATTEND_ARGUMENT);
    assert_fails(*state, attend_example_parse(*state, NULL, "{}", 2, &example), ATTEND_ARGUMENT, "name is NULL");
    assert_fails(*state, attend_example_parse(*state, "f", NULL, 2, &example), ATTEND_ARGUMENT, "text is NULL");
    assert_fails(*state, attend_example_parse(*state, "f", "{}", 2, NULL), ATTEND_ARGUMENT, "example is NULL");
    assert_fails(*state, attend_example_open(*state, NULL, &example), ATTEND_ARGUMENT, "path is NULL");
    assert_fails(*state, attend_example_open(*state, "f", NULL), ATTEND_ARGUMENT, "example is NULL");
}

/* ---- Where it comes from ------------------------------------------------------------------- */

static void open_good(attend_ctx *ctx, const char *path) {
    attend_example *example = NULL;
    assert_works(ctx, attend_example_open(ctx, path, &example));
    assert_int_equal(attend_example_tokens(example), 2);
    attend_example_close(example);
}

/* The text at the reading end of a pipe. */
static int pipe_of(const char *text) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    return ends[0];
}

static void test_file_pipe_and_standard_input(void **state) {
    static const char text[] = "{\"tokens\":[\"a\",\"b\"]," NUMBERS "}";
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, text, strlen(text));
    open_good(*state, path);
    remove_folder(&place, (const char *const[]){"t", NULL});
    char name[32];
    int reader = pipe_of(text);
    snprintf(name, sizeof name, "/dev/fd/%d", reader);
    open_good(*state, name);
    close(reader);
    int old = dup(STDIN_FILENO);
    reader = pipe_of(text);
    dup2(reader, STDIN_FILENO);
    open_good(*state, "-");
    close(reader);
    dup2(old, STDIN_FILENO);
    close(old);
}

static void test_what_cannot_be_read(void **state) {
    attend_example *example = (attend_example *)(uintptr_t)1;
    assert_fails(*state, attend_example_open(*state, "no/cat.json", &example), ATTEND_FILE,
                 "no/cat.json: cannot open: No such file or directory");
    assert_null(example);
    assert_fails(*state, attend_example_open(*state, "/", &example), ATTEND_FILE, "/: cannot read: Is a directory");
    assert_fails(*state, attend_example_open(*state, "/dev/zero", &example), ATTEND_UNSUPPORTED,
                 "/dev/zero: longer than 16777216 bytes (limit)");
    assert_fails(*state, attend_example_open(*state, "/dev/null", &example), ATTEND_FORMAT,
                 "/dev/null: line 1: column 0: JSON: '[' or '{' expected near end of file");
    int old = dup(STDIN_FILENO);
    int reader = pipe_of("{");
    dup2(reader, STDIN_FILENO);
    attend_status status = attend_example_open(*state, "-", &example);
    close(reader);
    dup2(old, STDIN_FILENO);
    close(old);
    assert_fails(*state, status, ATTEND_FORMAT,
                 "standard input: line 1: column 1: JSON: string or '}' expected near end of file");
}

static void test_the_limit_of_bytes(void **state) {
    enum { LIMIT = 16 << 20 };
    attend_example *example = NULL;
    static const char text[] = "{\"tokens\":[\"a\",\"b\"]," NUMBERS "}";
    char *long_text = malloc(LIMIT + 1);
    assert_non_null(long_text);
    memset(long_text, ' ', LIMIT + 1);
    memcpy(long_text, text, strlen(text));
    assert_works(*state, attend_example_parse(*state, "f", long_text, LIMIT, &example));
    attend_example_close(example);
    assert_fails(*state, attend_example_parse(*state, "f", long_text, LIMIT + 1, &example), ATTEND_UNSUPPORTED,
                 "f: longer than 16777216 bytes (limit)");
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, long_text, LIMIT);
    open_good(*state, path);
    remove_folder(&place, (const char *const[]){"t", NULL});
    free(long_text);
}

/* ---- From memory --------------------------------------------------------------------------- */

static const double unit_rows[] = {1, 0, 0, 1}, seven[] = {7, 8};

static attend_in rows_of(const double *numbers, int64_t rows, int64_t columns) {
    const int64_t shape[2] = {rows, columns};
    return attend_in_dense(numbers, ATTEND_F64, 2, shape);
}

static attend_example_parts good_parts(void) {
    static const char *const tokens[] = {"it", "was"};
    attend_example_parts parts = attend_example_parts_init();
    parts.tokens = 2;
    parts.token = tokens;
    parts.q = parts.k = rows_of(unit_rows, 2, 2);
    parts.v = rows_of(seven, 2, 1);
    return parts;
}

static void test_made_of_parts(void **state) {
    attend_example_parts parts = good_parts();
    attend_example *example = NULL;
    double scale = 0;
    parts.k = attend_permute(rows_of(unit_rows, 2, 2), (const int32_t[]){1, 0});
    parts.causal = parts.has_scale = 1;
    parts.scale = -2;
    assert_works(*state, attend_example_make(*state, "cat", &parts, &example));
    assert_int_equal(attend_example_tokens(example), 2);
    assert_string_equal(attend_example_token(example, 1), "was");
    assert_int_equal(attend_example_heads(example), 1);
    assert_int_equal(attend_example_kv_heads(example), 1);
    assert_true(attend_example_causal(example) && attend_example_scale(example, &scale) && scale == -2);
    assert_true(number(example, "v", 1, 0) == 8 && number(example, "k", 1, 1) == 1);
    assert_true(attend_example_matrix(example, "v").data != seven);
    attend_example_close(example);
}

static void expect_refusal(attend_ctx *ctx, const attend_example_parts *parts, attend_status wanted,
                           const char *message) {
    attend_example *example = (attend_example *)ctx;
    assert_int_equal(attend_example_make(ctx, "cat", parts, &example), wanted);
    assert_string_equal(attend_message(ctx), message);
    assert_null(example);
}

static void test_parts_that_do_not_fit(void **state) {
    attend_example_parts parts = good_parts();
    parts.k = rows_of(unit_rows, 1, 2);
    expect_refusal(*state, &parts, ATTEND_FORMAT, "cat: k has 1 row, tokens has 2");
    parts = good_parts();
    parts.k.data = NULL;
    expect_refusal(*state, &parts, ATTEND_FORMAT, "cat: q is given, k is missing (q, k, v go together)");
    parts = good_parts();
    parts.heads = 65537;
    expect_refusal(*state, &parts, ATTEND_FORMAT, "cat: heads must be a whole number from 1 to 65536 (found 65537)");
    parts.heads = 1;
    parts.kv_heads = -1;
    expect_refusal(*state, &parts, ATTEND_FORMAT, "cat: kv_heads must be a whole number from 1 to 65536 (found -1)");
    parts = good_parts();
    parts.positions = 3;
    expect_refusal(*state, &parts, ATTEND_ARGUMENT, "parts.positions is 3 (allowed 0 to 2)");
    parts = good_parts();
    parts.tokens = 0;
    expect_refusal(*state, &parts, ATTEND_ARGUMENT,
                   "parts.tokens is 0 and parts.token given (allowed 1 or more texts)");
    parts = good_parts();
    parts.v.dtype = ATTEND_F32;
    expect_refusal(*state, &parts, ATTEND_ARGUMENT,
                   "parts.v is f32 of rank 2 with 2 rows and 1 columns (allowed f64 of rank 2, 1 or more of each)");
    parts = good_parts();
    parts.struct_size = 0;
    expect_refusal(*state, &parts, ATTEND_ARGUMENT, "parts.struct_size is 0: make the struct with its *_init function");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_defaults),
        TEST(test_every_option),
        TEST(test_kv_heads_is_heads_when_not_given),
        TEST(test_rotary_and_output_weights_with_q),
        TEST(test_numbers_of_all_kinds),
        TEST(test_tokens_of_all_kinds),
        TEST(test_byte_order_mark),
        TEST(test_the_text_need_not_end_in_a_zero),
        TEST(test_nothing_is_nothing),
        TEST(test_arguments),
        TEST(test_file_pipe_and_standard_input),
        TEST(test_what_cannot_be_read),
        TEST(test_the_limit_of_bytes),
        TEST(test_made_of_parts),
        TEST(test_parts_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
