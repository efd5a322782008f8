/* engine.c - the readable path for the page: the example that the page holds goes through the code of `attend trace`
   (cli/worked.c), and its numbers through the formats of the program (cli/number_text.c).  One example at a time; what
   a function returns stays valid until the next engine_begin.  engine.ts is the only caller. */
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "worked.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static const char label[] = "page"; /* in front of the library's messages, and taken off here */

enum { MATRICES = 8 };

static attend_ctx *ctx;
static attend_example_parts parts;
static attend_in *const matrices[MATRICES] = {&parts.q,  &parts.k,  &parts.v,  &parts.x,
                                              &parts.wq, &parts.wk, &parts.wv, &parts.wo};
static const char **texts;     /* (T) the page keeps the tokens' texts to itself */
static unsigned char *visible; /* (T, T) NULL: nothing is cut                    */
static attend_example *example;
static worked *work;

static void forget(void) {
    worked_free(work);
    attend_example_close(example);
    for (int i = 0; i < MATRICES; i++)
        free((void *)matrices[i]->data);
    free(texts);
    free(visible);
    work = NULL;
    example = NULL;
    texts = NULL;
    visible = NULL;
    parts = attend_example_parts_init();
}

/* ---- In -------------------------------------------------------------------------------------- */

/* A new example of so many tokens; 0 when there is no memory for it. */
int EXPORT(engine_begin)(int tokens);
int engine_begin(int tokens) {
    attend_config config = attend_config_init();
    config.threads = 1;
    if (ctx == NULL && attend_ctx_create(&config, &ctx) != ATTEND_OK)
        return 0;
    forget();
    texts = calloc((size_t)tokens + 1, sizeof *texts);
    for (int t = 0; texts != NULL && t < tokens; t++)
        texts[t] = "";
    parts.tokens = tokens;
    parts.token = texts;
    return texts != NULL;
}

/* Room for the numbers of one matrix, in the order of the names q k v x wq wk wv wo; NULL without memory. */
double *EXPORT(engine_matrix)(int name, int rows, int columns);
double *engine_matrix(int name, int rows, int columns) {
    int64_t shape[2] = {rows, columns};
    double *numbers = calloc((size_t)rows * (size_t)columns, sizeof *numbers);
    *matrices[name] = attend_in_dense(numbers, ATTEND_F64, 2, shape);
    return numbers;
}

/* Room for (T, T) bytes: 0 where a query may not see a key. */
unsigned char *EXPORT(engine_visible)(void);
unsigned char *engine_visible(void) {
    visible = calloc((size_t)parts.tokens, (size_t)parts.tokens);
    return visible;
}

/* 0 heads and kv_heads: not given. */
void EXPORT(engine_options)(int heads, int kv_heads, int positions, int causal, int has_scale, double scale);
void engine_options(int heads, int kv_heads, int positions, int causal, int has_scale, double scale) {
    parts.heads = heads;
    parts.kv_heads = kv_heads;
    parts.positions = positions;
    parts.causal = causal;
    parts.has_scale = has_scale;
    parts.scale = scale;
}

/* ---- Out ------------------------------------------------------------------------------------- */

static const char *without_label(const char *message) {
    size_t length = sizeof label - 1;
    return strncmp(message, label, length) == 0 && message[length] == ':' ? message + length + 2 : message;
}

/* NULL when the example was worked out, else what is wrong with it. */
const char *EXPORT(engine_work)(void);
const char *engine_work(void) {
    worked_options options = {.causal = -1, .visible = visible};
    attend_status status = attend_example_make(ctx, label, &parts, &example);
    if (status == ATTEND_OK)
        status = worked_make(ctx, example, &options, &work);
    return status == ATTEND_OK ? NULL : without_label(worked_message(ctx, status));
}

enum { SIZE_HEADS, SIZE_HEADS_PER_KEY, SIZE_HEAD_WIDTH, SIZE_VALUE_WIDTH, SIZE_OUTPUT_WIDTH };

int EXPORT(engine_size)(int what);
int engine_size(int what) {
    switch (what) {
    case SIZE_HEADS: return (int)work->heads;
    case SIZE_HEADS_PER_KEY: return (int)(work->heads / work->kv_heads);
    case SIZE_HEAD_WIDTH: return (int)work->head_width;
    case SIZE_VALUE_WIDTH: return (int)work->value_width;
    default: return (int)work->output_width;
    }
}

double EXPORT(engine_scale)(void);
double engine_scale(void) { return work->scale; }

/* The numbers of a step: (H, T, D) (G, T, D) (G, T, E), four times (H, T, T), (H, T, E), (H, T), (T, output width). */
const double *EXPORT(engine_numbers)(int step);
const double *engine_numbers(int step) {
    const double *const steps[] = {work->q,      work->k,       work->v,       work->compare, work->scaled,
                                   work->masked, work->weights, work->mixture, work->lse,     work->output};
    return steps[step];
}

/* A number as the program prints it with so many decimals. */
const char *EXPORT(engine_decimals)(double value, int digits);
const char *engine_decimals(double value, int digits) {
    static char text[NUMBER_TEXT_MAX];
    number_fixed(text, value, digits);
    return text;
}

double EXPORT(engine_exponential)(double value);
double engine_exponential(double value) { return attend_exp(value); }
