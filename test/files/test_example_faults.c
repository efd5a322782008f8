/* Worked examples that are wrong: each message names the line, the key and the two numbers. */
#include "files_support.h"

static void fault(void **state, const char *text, const char *message) {
    attend_example *example = (attend_example *)(uintptr_t)1;
    size_t length = strlen(text);
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length); /* no zero behind it: a sanitizer sees a read past the end */
    attend_status status = attend_example_parse(*state, "cat.json", copy, length, &example);
    free(copy);
    assert_fails(*state, status, ATTEND_FORMAT, message);
    assert_null(example);
}

#define TWO "[[1,0],[0,1]]"
#define QKV "\"q\": " TWO ",\n\"k\": " TWO ",\n\"v\": " TWO
#define TOKENS "{\"tokens\": [\"a\", \"b\"],\n"

/* ---- JSON ---------------------------------------------------------------------------------- */

static void test_not_json(void **state) {
    fault(state, "", "cat.json: line 1: column 0: JSON: '[' or '{' expected near end of file");
    fault(state, "{\n\"tokens\": [\"a\"\n\"b\"]}", "cat.json: line 3: column 3: JSON: ']' expected near '\"b\"'");
    fault(state, "{\n\"tokens\": [\"a\",]}", "cat.json: line 2: column 16: JSON: unexpected token near ']'");
    fault(state, "{\n\"q\": [[NaN]]}", "cat.json: line 2: column 10: JSON: invalid token near 'NaN'");
    fault(state, "{\n\"q\": [[1e999]]}", "cat.json: line 2: column 12: JSON: real number overflow near '1e999'");
    fault(state, "{\n\"q\": [[\"\xff\"]]}", "cat.json: line 2: column 8: JSON: unable to decode byte 0xff near '\"'");
    fault(state, "{\"tokens\": [\"\\u0000\"]}",
          "cat.json: line 1: column 20: JSON: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'");
    fault(state, "[1]", "cat.json: line 1: an example is an object (found an array)");
}

static void test_deep_nesting(void **state) {
    char text[400] = "{\"q\":\n\n";
    memset(text + 7, '[', sizeof text - 8);
    fault(state, text, "cat.json: line 3: JSON deeper than 64 (limit)");
}

static void test_keys(void **state) {
    fault(state, TOKENS QKV ",\n\"head\": 2}", "cat.json: line 5: unknown key \"head\" (nearest \"heads\")");
    fault(state, TOKENS QKV ",\n\"\\u001b\": 2}", "cat.json: line 5: unknown key \"\\x1b\" (nearest \"q\")");
    fault(state, TOKENS QKV ",\n\"k\": 2}", "cat.json: line 5: column 3: JSON: duplicate object key near '\"k\"'");
    fault(state, "{}", "cat.json: line 1: tokens missing");
}

/* ---- Values -------------------------------------------------------------------------------- */

static void test_tokens(void **state) {
    fault(state, "{\n\"tokens\": []}", "cat.json: line 2: tokens is empty (allowed 1 or more)");
    fault(state, "{\n\"tokens\": \"a b\"}", "cat.json: line 2: tokens must be an array of strings (found \"a b\")");
    fault(state, "{\n\"tokens\": {\"a\": 1}}",
          "cat.json: line 2: tokens must be an array of strings (found an object)");
    fault(state, "{\n\"tokens\": [\n\"a\",\n5]}", "cat.json: line 4: token 2 must be a string (found 5)");
}

static void test_matrices(void **state) {
    fault(state, "{\n\"q\": 3}", "cat.json: line 2: q must be an array of rows (found 3)");
    fault(state, "{\n\"q\": null}", "cat.json: line 2: q must be an array of rows (found null)");
    fault(state, "{\n\"q\": []}", "cat.json: line 2: q has no rows");
    fault(state, "{\n\"q\": [1, 2]}", "cat.json: line 2: row 1 of q must be an array of numbers (found 1)");
    fault(state, "{\n\"q\": [[1],\n2]}", "cat.json: line 3: row 2 of q must be an array of numbers (found 2)");
    fault(state, "{\n\"q\": [[]]}", "cat.json: line 2: row 1 of q is empty");
    fault(state, "{\n\"q\": [[1],\n[]]}", "cat.json: line 3: row 2 of q is empty");
}

static void test_rows_of_different_lengths(void **state) {
    fault(state, "{\"tokens\": [\"]\", \"\\\"[\"],\n\n\"k\": [[1, 2],\n\n   [0, 1]],\n\"q\": [[1, 0],\n[0, 1, 5]]}",
          "cat.json: line 7: row 2 of q has 3 numbers, row 1 has 2");
    fault(state, "{\"wo\": [[1, 0], [0]]}", "cat.json: line 1: row 2 of wo has 1 number, row 1 has 2");
}

static void test_elements(void **state) {
    fault(state, "{\"q\": [[1, 2],\n[3,\n\"4\"]]}",
          "cat.json: line 3: row 2, column 2 of q must be a number (found \"4\")");
    fault(state, "{\"q\": [[1,\n[2, 2]]]}", "cat.json: line 2: row 1, column 2 of q must be a number (found an array)");
    fault(state, "{\"q\": [[true]]}", "cat.json: line 1: row 1, column 1 of q must be a number (found true)");
}

static void test_heads(void **state) {
    const char *const values[] = {"0", "-1", "3.5", "65537", "1e+99", "\"2\"", "true", "[2]"};
    const char *const found[] = {"0", "-1", "3.5", "65537", "1e99", "\"2\"", "true", "an array"};
    for (int i = 0; i < 8; i++) {
        char text[200];
        char message[200];
        snprintf(text, sizeof text, TOKENS "\"heads\": %s}", values[i]);
        snprintf(message, sizeof message, "cat.json: line 2: heads must be a whole number from 1 to 65536 (found %s)",
                 found[i]);
        fault(state, text, message);
    }
    fault(state, "{\"kv_heads\": 0}", "cat.json: line 1: kv_heads must be a whole number from 1 to 65536 (found 0)");
}

static void test_options(void **state) {
    fault(state, "{\"positions\":\n \"sine\"}",
          "cat.json: line 1: positions must be \"none\", \"sinusoidal\" or \"rotary\" (found \"sine\")");
    fault(state, "{\"positions\": 1}",
          "cat.json: line 1: positions must be \"none\", \"sinusoidal\" or \"rotary\" (found 1)");
    fault(state, "{\"causal\": 1}", "cat.json: line 1: causal must be true or false (found 1)");
    fault(state, "{\"causal\": \"yes\"}", "cat.json: line 1: causal must be true or false (found \"yes\")");
    fault(state, "{\"scale\": \"0.5\"}", "cat.json: line 1: scale must be a number (found \"0.5\")");
    fault(state, "{\"scale\": null}", "cat.json: line 1: scale must be a number (found null)");
}

/* ---- What belongs together ----------------------------------------------------------------- */

static void test_which_matrices(void **state) {
    fault(state, "{\"tokens\": [\"a\"]}", "cat.json: line 1: q, k, v missing (or x, wq, wk, wv)");
    fault(state, TOKENS "\"q\": " TWO ",\n\"v\": " TWO "}",
          "cat.json: line 2: q is given, k is missing (q, k, v go together)");
    fault(state, TOKENS "\n\"v\": " TWO "}", "cat.json: line 3: v is given, q is missing (q, k, v go together)");
    fault(state, TOKENS "\"x\": " TWO ",\n\"wq\": " TWO ",\n\"wk\": " TWO "}",
          "cat.json: line 2: x is given, wv is missing (x, wq, wk, wv go together)");
    fault(state, TOKENS QKV ",\n\"wk\": " TWO "}",
          "cat.json: line 5: wk and q exclude each other: give q, k, v or x, wq, wk, wv");
    fault(state, TOKENS "\"wo\": " TWO "}", "cat.json: line 1: q, k, v missing (or x, wq, wk, wv)");
    fault(state, "{" QKV "}", "cat.json: line 1: tokens missing");
}

static void test_numbers_of_rows(void **state) {
    fault(state,
          "{\"tokens\": [\"a\", \"b\", \"c\", \"d\"],\n\"q\": [[1],[1],[1],[1]],\n\"v\": [[1],[1],[1],[1]],\n"
          "\"k\": [[1],\n[1],\n[1]]}",
          "cat.json: line 4: k has 3 rows, tokens has 4");
    fault(state, "{\"q\": [[1]],\n\"k\": " TWO ",\n\"v\": " TWO ",\n\"tokens\": [\"a\", \"b\"]}",
          "cat.json: line 1: q has 1 row, tokens has 2");
    fault(state, "{\"tokens\": [\"a\"],\n\"x\": " TWO ",\n\"wq\": " TWO ",\n\"wk\": " TWO ",\n\"wv\": " TWO "}",
          "cat.json: line 2: x has 2 rows, tokens has 1");
    fault(state, TOKENS "\"x\": " TWO ",\n\"wq\": [[1,0],[0,1],[1,1]],\n\"wk\": " TWO ",\n\"wv\": " TWO "}",
          "cat.json: line 3: wq has 3 rows, x has 2 columns");
    fault(state, TOKENS "\"x\": [[1],[2]],\n\"wq\": [[1]],\n\"wk\": [[1]],\n\"wv\": " TWO "}",
          "cat.json: line 5: wv has 2 rows, x has 1 column");
}

static void test_numbers_of_heads(void **state) {
    fault(state, TOKENS QKV ",\n\"kv_heads\": 2,\n\"heads\": 3}",
          "cat.json: line 5: heads 3 is not a multiple of kv_heads 2");
    fault(state, TOKENS "\"heads\": 2,\n\"q\": [[1,2,3],[1,2,3]],\n\"k\": " TWO ",\n\"v\": " TWO "}",
          "cat.json: line 3: q has 3 columns, not a multiple of heads 2");
    fault(state,
          "{\"tokens\": [\"a\"], \"heads\": 4, \"kv_heads\": 4,\n\"x\": [[1]],\n\"wq\": [[1,2,3,4]],\n"
          "\"wk\": [[1,2,3,4,5,6]],\n\"wv\": [[1,2,3,4]]}",
          "cat.json: line 4: wk has 6 columns, not a multiple of kv_heads 4");
    fault(state, TOKENS "\"heads\": 2,\n\"q\": " TWO ",\n\"k\": " TWO ",\n\"v\": [[1],[2]]}",
          "cat.json: line 5: v has 1 column, not a multiple of kv_heads 2");
}

static void test_head_widths(void **state) {
    fault(state, TOKENS "\"q\": " TWO ",\n\"k\": [[1,2,3],[1,2,3]],\n\"v\": " TWO "}",
          "cat.json: line 3: k has head width 3, q has 2");
    fault(state, TOKENS "\"heads\": 2, \"kv_heads\": 1,\n\"q\": " TWO ",\n\"k\": " TWO ",\n\"v\": " TWO "}",
          "cat.json: line 4: k has head width 2, q has 1");
    fault(state, TOKENS "\"positions\": \"rotary\",\n\"q\": [[1],[2]],\n\"k\": [[1],[2]],\n\"v\": " TWO "}",
          "cat.json: line 2: rotary positions need an even head width, q has 1");
    fault(state, TOKENS "\"positions\": \"sinusoidal\",\n" QKV "}",
          "cat.json: line 2: sinusoidal positions are added to x, which is not given");
}

static void test_output_weights(void **state) {
    fault(state, TOKENS QKV ",\n\"heads\": 2,\n\"wo\": [[1],[2],[3]]}",
          "cat.json: line 6: wo has 3 rows, heads 2 times value width 1 is 2");
    fault(state, TOKENS QKV ",\n\"wo\": [[1]]}", "cat.json: line 5: wo has 1 row, heads 1 times value width 2 is 2");
}

static void test_a_key_spelt_with_escapes_is_found(void **state) {
    fault(state, "{\"\\u0074okens\": [\"a\"],\n\n\"\\u0071\": " TWO ",\n\"k\": [[1, 2]], \"v\": [[1]]}",
          "cat.json: line 3: q has 2 rows, tokens has 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_not_json),       TEST(test_deep_nesting),    TEST(test_keys),
        TEST(test_tokens),         TEST(test_matrices),        TEST(test_rows_of_different_lengths),
        TEST(test_elements),       TEST(test_heads),           TEST(test_options),
        TEST(test_which_matrices), TEST(test_numbers_of_rows), TEST(test_numbers_of_heads),
        TEST(test_head_widths),    TEST(test_output_weights),  TEST(test_a_key_spelt_with_escapes_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
