#include "trace.h"

/* A JSON string. Tokens are valid UTF-8: the reader of the example has seen to that. */
static void put_string(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(stream, "\\%c", *text);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            fprintf(stream, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, stream);
    }
    fputc('"', stream);
}

/* One row of numbers; those past the first seen are hidden. */
static void put_numbers(FILE *stream, const double *numbers, int64_t count, int64_t seen) {
    char text[NUMBER_TEXT_MAX];
    fputc('[', stream);
    for (int64_t i = 0; i < count; i++) {
        number_json(text, numbers[i]);
        fprintf(stream, "%s%s", i > 0 ? ", " : "", i < seen ? text : "null");
    }
    fputc(']', stream);
}

typedef struct matrix {
    const char *key;
    const double *numbers; /* (rows, columns) */
    int64_t rows, columns;
    int causal; /* cells right of the diagonal are hidden */
} matrix;

static void put_matrix(FILE *stream, const matrix *m, int indent) {
    fprintf(stream, "%*s\"%s\": [\n", indent, "", m->key);
    for (int64_t row = 0; row < m->rows; row++) {
        fprintf(stream, "%*s", indent + 1, "");
        put_numbers(stream, m->numbers + row * m->columns, m->columns, m->causal ? row + 1 : m->columns);
        fputs(row + 1 < m->rows ? ",\n" : "\n", stream);
    }
    fprintf(stream, "%*s]", indent, "");
}

static void put_head(FILE *stream, const worked *work, int64_t head, int indent) {
    int64_t tokens = work->tokens, kv_head = head / (work->heads / work->kv_heads);
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
        put_matrix(stream, &matrices[i], indent + 1);
        fputs(",\n", stream);
    }
    fprintf(stream, "%*s\"lse\": ", indent + 1, "");
    put_numbers(stream, work->lse + rows, tokens, tokens);
    fprintf(stream, "\n%*s}", indent, "");
}

static void put_tokens(FILE *stream, const worked *work, int indent) {
    fprintf(stream, "%*s\"tokens\": [", indent, "");
    for (int64_t i = 0; i < work->tokens; i++) {
        fputs(i > 0 ? ", " : "", stream);
        put_string(stream, attend_example_token(work->example, i));
    }
    fputs("],\n", stream);
}

static void put_work(FILE *stream, const worked *work, int indent) {
    char scale[NUMBER_TEXT_MAX];
    number_json(scale, work->scale);
    fputs("{\n", stream);
    put_tokens(stream, work, indent + 1);
    fprintf(stream, "%*s\"scale\": %s,\n", indent + 1, "", scale);
    fprintf(stream, "%*s\"causal\": %s,\n", indent + 1, "", work->causal ? "true" : "false");
    fprintf(stream, "%*s\"heads\": [\n", indent + 1, "");
    for (int64_t head = 0; head < work->heads; head++) {
        put_head(stream, work, head, indent + 2);
        fputs(head + 1 < work->heads ? ",\n" : "\n", stream);
    }
    fprintf(stream, "%*s],\n", indent + 1, "");
    matrix output = {"output", work->output, work->tokens, work->output_width, 0};
    put_matrix(stream, &output, indent + 1);
    fprintf(stream, "\n%*s}", indent, "");
}

void trace_json(FILE *stream, const trace_view *view) {
    if (view->count == 1) {
        put_work(stream, view->works[0], 0);
    } else {
        fputs("{\n \"full\": ", stream);
        put_work(stream, view->works[0], 1);
        fputs(",\n \"causal\": ", stream);
        put_work(stream, view->works[1], 1);
        fputs("\n}", stream);
    }
    fputc('\n', stream);
}
