/* trace_json.c - every number as JSON. The values are jansson's; the lines between them keep a matrix readable, with
   one row on a line. */
#include <jansson.h>
#include <math.h>

#include "trace.h"

typedef struct json_output {
    FILE *stream;
    int failed; /* there was no memory for some value, or no room for it */
} json_output;

/* Writes one value and lets it go; NULL when there was no memory for it. */
static void put_value(json_output *out, json_t *value) {
    out->failed |= value == NULL || json_dumpf(value, out->stream, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) != 0;
    json_decref(value);
}

/* One row of numbers; those past the first seen are hidden, and JSON has no infinity. */
static void put_numbers(json_output *out, const double *numbers, int64_t count, int64_t seen) {
    json_t *row = json_array();
    for (int64_t i = 0; i < count; i++)
        out->failed |=
            json_array_append_new(row, i < seen && isfinite(numbers[i]) ? json_real(numbers[i]) : json_null());
    put_value(out, row);
}

typedef struct matrix {
    const char *key;
    const double *numbers; /* (rows, columns) */
    int64_t rows, columns;
    int causal; /* cells right of the diagonal are hidden */
} matrix;

static void put_matrix(json_output *out, const matrix *m, int indent) {
    FILE *stream = out->stream;
    fprintf(stream, "%*s\"%s\": [\n", indent, "", m->key);
    for (int64_t row = 0; row < m->rows; row++) {
        fprintf(stream, "%*s", indent + 1, "");
        put_numbers(out, m->numbers + row * m->columns, m->columns, m->causal ? row + 1 : m->columns);
        fputs(row + 1 < m->rows ? ",\n" : "\n", stream);
    }
    fprintf(stream, "%*s]", indent, "");
}

static void put_head(json_output *out, const worked *work, int64_t head, int indent) {
    FILE *stream = out->stream;
    int64_t tokens = work->tokens, kv_head = worked_kv_head(work, head);
    int64_t keys = kv_head * tokens, rows = head * tokens;
    matrix matrices[] = {
        {"q", work->q + rows * work->head_width, tokens, work->head_width, 0},
        {"k", work->k + keys * work->head_width, tokens, work->head_width, 0},
        {"v", work->v + keys * work->value_width, tokens, work->value_width, 0},
        {"compare", work->compare + rows * tokens, tokens, tokens, 0},
        {"scale", work->scaled + rows * tokens, tokens, tokens, 0},
        {"mask", work->masked + rows * tokens, tokens, tokens, work->causal},
        {"normalize", work->weights + rows * tokens, tokens, tokens, work->causal},
        {"combine", work->mixture + rows * work->value_width, tokens, work->value_width, 0},
    };
    fprintf(stream, "%*s{\n", indent, "");
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        put_matrix(out, &matrices[i], indent + 1);
        fputs(",\n", stream);
    }
    fprintf(stream, "%*s\"lse\": ", indent + 1, "");
    put_numbers(out, work->lse + rows, tokens, tokens);
    fprintf(stream, "\n%*s}", indent, "");
}

static void put_tokens(json_output *out, const worked *work, int indent) {
    json_t *tokens = json_array();
    for (int64_t i = 0; i < work->tokens; i++)
        out->failed |= json_array_append_new(tokens, json_string(attend_example_token(work->example, i)));
    fprintf(out->stream, "%*s\"tokens\": ", indent, "");
    put_value(out, tokens);
    fputs(",\n", out->stream);
}

static void put_work(json_output *out, const worked *work, int indent) {
    FILE *stream = out->stream;
    fputs("{\n", stream);
    put_tokens(out, work, indent + 1);
    fprintf(stream, "%*s\"scale\": ", indent + 1, "");
    put_value(out, json_real(work->scale));
    fprintf(stream, ",\n%*s\"causal\": %s,\n", indent + 1, "", work->causal ? "true" : "false");
    fprintf(stream, "%*s\"heads\": [\n", indent + 1, "");
    for (int64_t head = 0; head < work->heads; head++) {
        put_head(out, work, head, indent + 2);
        fputs(head + 1 < work->heads ? ",\n" : "\n", stream);
    }
    fprintf(stream, "%*s],\n", indent + 1, "");
    matrix output = {"output", work->output, work->tokens, work->output_width, 0};
    put_matrix(out, &output, indent + 1);
    fprintf(stream, "\n%*s}", indent, "");
}

int trace_json(FILE *stream, const trace_view *view) {
    json_output out = {stream, 0};
    if (view->count == 1) {
        put_work(&out, view->works[0], 0);
    } else {
        fputs("{\n \"full\": ", stream);
        put_work(&out, view->works[0], 1);
        fputs(",\n \"causal\": ", stream);
        put_work(&out, view->works[1], 1);
        fputs("\n}", stream);
    }
    fputc('\n', stream);
    return out.failed;
}
