/* Any text as a worked example.  One that is accepted keeps every promise of files.h, and written down again it is
   the same example; a message about one that is not names a line that the text has. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attend/files.h"
#include "must.h"

static const char *const matrix_names[] = {"q", "k", "v", "x", "wq", "wk", "wv", "wo"};
enum { MATRICES = 8 };

/* ---- Promises ------------------------------------------------------------------------------ */

static int64_t columns(const attend_example *example, const char *name) {
    return attend_example_matrix(example, name).shape[1];
}

static void must_have_rows(const attend_example *example, const char *name, int64_t rows) {
    attend_in matrix = attend_example_matrix(example, name);
    must(matrix.data != NULL && matrix.dtype == ATTEND_F64 && matrix.rank == 2);
    must(matrix.shape[0] == rows && matrix.shape[1] > 0);
    for (int64_t i = 0; i < matrix.shape[0] * matrix.shape[1]; i++)
        must(isfinite(((const double *)matrix.data)[i]));
}

static void must_keep_promises(const attend_example *example) {
    int64_t tokens = attend_example_tokens(example);
    int64_t heads = attend_example_heads(example);
    int64_t kv_heads = attend_example_kv_heads(example);
    bool direct = attend_example_matrix(example, "q").data != NULL;
    must(tokens > 0 && heads > 0 && kv_heads > 0 && heads % kv_heads == 0);
    for (int64_t i = 0; i < tokens; i++)
        must(attend_example_token(example, i) != NULL);
    if (!direct)
        must_have_rows(example, "x", tokens);
    for (int i = 0; i < 3; i++)
        must_have_rows(example, matrix_names[direct ? i : i + 4], direct ? tokens : columns(example, "x"));
    const char *const *used = direct ? matrix_names : matrix_names + 4;
    must(columns(example, used[0]) % heads == 0 && columns(example, used[1]) % kv_heads == 0);
    must(columns(example, used[0]) / heads == columns(example, used[1]) / kv_heads);
    must(columns(example, used[2]) % kv_heads == 0);
    if (attend_example_matrix(example, "wo").data != NULL)
        must_have_rows(example, "wo", heads * (columns(example, used[2]) / kv_heads));
}

/* ---- Written down again -------------------------------------------------------------------- */

static json_t *matrix_as_json(attend_in matrix) {
    const double *numbers = matrix.data;
    json_t *rows = json_array();
    for (int64_t row = 0; row < matrix.shape[0]; row++) {
        json_t *line = json_array();
        for (int64_t column = 0; column < matrix.shape[1]; column++)
            json_array_append_new(line, json_real(*numbers++));
        json_array_append_new(rows, line);
    }
    return rows;
}

static char *as_text(const attend_example *example) {
    static const char *const positions[] = {"none", "sinusoidal", "rotary"};
    double scale = 0;
    json_t *tokens = json_array();
    for (int64_t i = 0; i < attend_example_tokens(example); i++)
        json_array_append_new(tokens, json_string(attend_example_token(example, i)));
    json_t *root =
        json_pack("{s:o, s:I, s:I, s:s, s:b}", "tokens", tokens, "heads", (json_int_t)attend_example_heads(example),
                  "kv_heads", (json_int_t)attend_example_kv_heads(example), "positions",
                  positions[attend_example_positions(example)], "causal", attend_example_causal(example));
    if (attend_example_scale(example, &scale))
        json_object_set_new(root, "scale", json_real(scale));
    for (int i = 0; i < MATRICES; i++)
        if (attend_example_matrix(example, matrix_names[i]).data != NULL)
            json_object_set_new(root, matrix_names[i], matrix_as_json(attend_example_matrix(example, matrix_names[i])));
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    must(text != NULL);
    return text;
}

static void must_be_same(const attend_example *a, const attend_example *b) {
    double scales[2] = {0, 0};
    must(attend_example_tokens(a) == attend_example_tokens(b));
    for (int64_t i = 0; i < attend_example_tokens(a); i++)
        must(strcmp(attend_example_token(a, i), attend_example_token(b, i)) == 0);
    must(attend_example_heads(a) == attend_example_heads(b));
    must(attend_example_kv_heads(a) == attend_example_kv_heads(b));
    must(attend_example_positions(a) == attend_example_positions(b));
    must(attend_example_causal(a) == attend_example_causal(b));
    must(attend_example_scale(a, &scales[0]) == attend_example_scale(b, &scales[1]) && scales[0] == scales[1]);
    for (int i = 0; i < MATRICES; i++) {
        attend_in left = attend_example_matrix(a, matrix_names[i]);
        attend_in right = attend_example_matrix(b, matrix_names[i]);
        must((left.data == NULL) == (right.data == NULL));
        must(memcmp(left.shape, right.shape, sizeof left.shape) == 0);
        for (int64_t n = 0; left.data != NULL && n < left.shape[0] * left.shape[1]; n++)
            must(((const double *)left.data)[n] == ((const double *)right.data)[n]);
    }
}

static void must_survive_writing(const attend_example *example) {
    attend_example *back = NULL;
    char *text = as_text(example);
    must(attend_example_parse(the_context(), "f", text, strlen(text), &back) == ATTEND_OK);
    must_be_same(example, back);
    attend_example_close(back);
    free(text);
}

/* ---- The target ---------------------------------------------------------------------------- */

static void must_name_a_line(const char *message, const uint8_t *data, size_t size) {
    long lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    must(strncmp(message, "f: line ", 8) == 0);
    long line = strtol(message + 8, NULL, 10);
    must(line >= 1 && line <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    attend_example *example = NULL;
    attend_ctx *ctx = the_context();
    attend_status status = attend_example_parse(ctx, "f", size > 0 ? (const char *)data : "", size, &example);
    if (status == ATTEND_OK) {
        must_keep_promises(example);
        must_survive_writing(example);
    } else {
        must(status == ATTEND_FORMAT && example == NULL);
        must_name_a_line(attend_message(ctx), data, size);
    }
    attend_example_close(example);
    return 0;
}
