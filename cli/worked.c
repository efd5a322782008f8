#include "worked.h"

#include <math.h>
#include <stdlib.h>

static const double place_base = 10000;

/* The next step, unless one before it failed. */
#define THEN(status, call)         \
    do {                           \
        if ((status) == ATTEND_OK) \
            (status) = (call);     \
    } while (0)

static attend_status allocate(double **numbers, int64_t a, int64_t b, int64_t c) {
    if (a > WORKED_NUMBERS_MAX || b > WORKED_NUMBERS_MAX / a || c > WORKED_NUMBERS_MAX / (a * b))
        return ATTEND_TOO_LARGE;
    *numbers = calloc((size_t)(a * b * c), sizeof **numbers);
    return *numbers == NULL ? ATTEND_MEMORY : ATTEND_OK;
}

static attend_out written(double *data, int64_t a, int64_t b, int64_t c) {
    int64_t shape[ATTEND_RANK_MAX] = {1, a, b, c};
    return attend_out_dense(data, ATTEND_F64, ATTEND_RANK_MAX, shape);
}

static attend_in readable(double *data, int64_t a, int64_t b, int64_t c) { return attend_read(written(data, a, b, c)); }

static attend_in tokens_by_width(double *data, int64_t tokens, int64_t width) {
    int64_t shape[3] = {1, tokens, width};
    return attend_in_dense(data, ATTEND_F64, 3, shape);
}

/* A matrix of the file, its columns cut into heads: [rows, heads*width] seen as [heads, rows, width]. */
static attend_in by_head(attend_in matrix, int64_t heads) {
    int64_t rows = matrix.shape[0], width = matrix.shape[1] / heads;
    attend_in view = {{heads, rows, width},
                      {width * matrix.stride[1], matrix.stride[0], matrix.stride[1]},
                      matrix.dtype,
                      3,
                      matrix.data};
    return view;
}

static void copy_heads(attend_in view, double *to) {
    const double *from = view.data;
    for (int64_t h = 0; h < view.shape[0]; h++)
        for (int64_t t = 0; t < view.shape[1]; t++)
            for (int64_t d = 0; d < view.shape[2]; d++)
                *to++ = from[h * view.stride[0] + t * view.stride[1] + d * view.stride[2]];
}

/* ---- positions ------------------------------------------------------------------------------ */

static attend_status place(attend_ctx *ctx, attend_place_kind kind, attend_in x, attend_out y, int64_t tokens) {
    int32_t *positions = malloc((size_t)tokens * sizeof *positions);
    if (positions == NULL)
        return ATTEND_MEMORY;
    for (int64_t t = 0; t < tokens; t++)
        positions[t] = (int32_t)t;
    attend_in at = attend_in_dense(positions, ATTEND_I32, 1, &tokens);
    attend_status status = attend_place(ctx, kind, place_base, 0, &x, &at, &y);
    free(positions);
    return status;
}

/* x with positions added, or x itself when the file asks for none. */
static attend_status make_placed(attend_ctx *ctx, worked *work) {
    attend_in x = attend_example_matrix(work->example, "x");
    if (x.data == NULL)
        return ATTEND_OK;
    int64_t tokens = work->tokens, width = work->model_width;
    attend_status status = allocate(&work->placed, tokens, width, 1);
    if (status != ATTEND_OK)
        return status;
    if (attend_example_positions(work->example) != ATTEND_POSITIONS_SINUSOIDAL) {
        copy_heads(by_head(x, 1), work->placed);
        return ATTEND_OK;
    }
    int64_t shape[3] = {1, tokens, width};
    attend_in added = {{1, tokens, width}, {0, x.stride[0], x.stride[1]}, ATTEND_F64, 3, x.data};
    return place(ctx, ATTEND_PLACE_ADD, added, attend_out_dense(work->placed, ATTEND_F64, 3, shape), tokens);
}

/* Turns rows (heads, T, D) by their positions when the file asks for it; *before keeps what they were. */
static attend_status rotate(attend_ctx *ctx, const worked *work, int64_t heads, double **rows, double **before) {
    if (attend_example_positions(work->example) != ATTEND_POSITIONS_ROTARY)
        return ATTEND_OK;
    *before = *rows;
    *rows = NULL;
    attend_status status = allocate(rows, heads, work->tokens, work->head_width);
    if (status != ATTEND_OK)
        return status;
    return place(ctx, ATTEND_PLACE_ROTATE_NEIGHBOURS, readable(*before, heads, work->tokens, work->head_width),
                 written(*rows, heads, work->tokens, work->head_width), work->tokens);
}

/* ---- queries, keys and values --------------------------------------------------------------- */

/* rows (heads, T, width): matrix given of the file, or placed x times matrix weight. */
static attend_status make_rows(attend_ctx *ctx, const worked *work, const char *given, const char *weight,
                               int64_t heads, int64_t width, double **rows) {
    attend_status status = allocate(rows, heads, work->tokens, width);
    if (status != ATTEND_OK)
        return status;
    attend_in matrix = attend_example_matrix(work->example, given);
    if (matrix.data != NULL) {
        copy_heads(by_head(matrix, heads), *rows);
        return ATTEND_OK;
    }
    attend_in x = tokens_by_width(work->placed, work->tokens, work->model_width);
    static const int32_t width_before_rows[3] = {0, 2, 1};
    attend_in w = attend_permute(by_head(attend_example_matrix(work->example, weight), heads), width_before_rows);
    attend_out y = written(*rows, heads, work->tokens, width);
    return attend_project(ctx, &x, &w, NULL, &y);
}

static attend_status make_inputs(attend_ctx *ctx, worked *work) {
    attend_status status = make_placed(ctx, work);
    THEN(status, make_rows(ctx, work, "q", "wq", work->heads, work->head_width, &work->q));
    THEN(status, make_rows(ctx, work, "k", "wk", work->kv_heads, work->head_width, &work->k));
    THEN(status, make_rows(ctx, work, "v", "wv", work->kv_heads, work->value_width, &work->v));
    THEN(status, rotate(ctx, work, work->heads, &work->q, &work->projected_q));
    THEN(status, rotate(ctx, work, work->kv_heads, &work->k, &work->projected_k));
    return status;
}

/* ---- the steps ------------------------------------------------------------------------------ */

attend_problem worked_problem(const worked *work) {
    attend_problem problem = attend_problem_init();
    problem.flags = ATTEND_EXACT_SCALE | (work->causal ? ATTEND_CAUSAL : 0u);
    problem.batch = 1;
    problem.heads = work->heads;
    problem.kv_heads = work->kv_heads;
    problem.queries = problem.keys = work->tokens;
    problem.head_width = work->head_width;
    problem.value_width = work->value_width;
    problem.scale = work->scale;
    return problem;
}

static attend_status allocate_steps(worked *work) {
    int64_t heads = work->heads, tokens = work->tokens;
    attend_status status = allocate(&work->compare, heads, tokens, tokens);
    THEN(status, allocate(&work->scaled, heads, tokens, tokens));
    THEN(status, allocate(&work->masked, heads, tokens, tokens));
    THEN(status, allocate(&work->weights, heads, tokens, tokens));
    THEN(status, allocate(&work->lse, heads, tokens, 1));
    THEN(status, allocate(&work->mixture, heads, tokens, work->value_width));
    return status;
}

static attend_status make_steps(attend_ctx *ctx, worked *work) {
    int64_t heads = work->heads, tokens = work->tokens;
    attend_status status = allocate_steps(work);
    if (status != ATTEND_OK)
        return status;
    attend_problem problem = worked_problem(work);
    attend_in q = readable(work->q, heads, tokens, work->head_width);
    attend_in k = readable(work->k, work->kv_heads, tokens, work->head_width);
    attend_in v = readable(work->v, work->kv_heads, tokens, work->value_width);
    int64_t row_shape[3] = {1, heads, tokens};
    attend_steps steps = attend_steps_init();
    steps.compare = written(work->compare, heads, tokens, tokens);
    steps.scale = written(work->scaled, heads, tokens, tokens);
    steps.mask = written(work->masked, heads, tokens, tokens);
    steps.normalize = written(work->weights, heads, tokens, tokens);
    steps.lse = attend_out_dense(work->lse, ATTEND_F64, 3, row_shape);
    steps.combine = written(work->mixture, heads, tokens, work->value_width);
    attend_extra extra = attend_extra_init();
    extra.mask = attend_in_dense(work->visible, ATTEND_U8, 2, (int64_t[]){tokens, tokens});
    return attend_chain(ctx, &problem, &q, &k, &v, &extra, &steps);
}

/* The heads' mixtures (H, T, E) seen as [T, H, E]: side by side for each token. */
static attend_in side_by_side(const worked *work) {
    int64_t tokens = work->tokens, width = work->value_width;
    attend_in view = {{tokens, work->heads, width}, {width, tokens * width, 1}, ATTEND_F64, 3, work->mixture};
    return view;
}

static attend_status make_output(attend_ctx *ctx, worked *work) {
    attend_status status = allocate(&work->output, work->tokens, work->output_width, 1);
    if (status != ATTEND_OK)
        return status;
    attend_in wo = attend_example_matrix(work->example, "wo");
    if (wo.data == NULL) {
        copy_heads(side_by_side(work), work->output);
        return ATTEND_OK;
    }
    int64_t width = work->value_width, shape[3] = {1, work->tokens, work->output_width};
    attend_in weight = {{work->output_width, work->heads, width},
                        {wo.stride[1], width * wo.stride[0], wo.stride[0]},
                        ATTEND_F64,
                        3,
                        wo.data};
    attend_in mixture = readable(work->mixture, work->heads, work->tokens, width);
    attend_out y = attend_out_dense(work->output, ATTEND_F64, 3, shape);
    return attend_merge(ctx, &mixture, &weight, NULL, &y);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int64_t columns(const attend_example *example, const char *given, const char *weight) {
    attend_in matrix = attend_example_matrix(example, given);
    return matrix.data != NULL ? matrix.shape[1] : attend_example_matrix(example, weight).shape[1];
}

static void measure(worked *work) {
    const attend_example *example = work->example;
    attend_in x = attend_example_matrix(example, "x"), wo = attend_example_matrix(example, "wo");
    work->tokens = attend_example_tokens(example);
    work->heads = attend_example_heads(example);
    work->kv_heads = attend_example_kv_heads(example);
    work->model_width = x.data == NULL ? 0 : x.shape[1];
    work->head_width = columns(example, "q", "wq") / work->heads;
    work->value_width = columns(example, "v", "wv") / work->kv_heads;
    work->output_width = wo.data == NULL ? work->heads * work->value_width : wo.shape[1];
}

static void choose(worked *work, const worked_options *options) {
    work->visible = options->visible;
    work->causal = options->causal >= 0 ? options->causal : attend_example_causal(work->example);
    work->scale_given = attend_example_scale(work->example, &work->scale);
    if (!work->scale_given)
        work->scale = sqrt(1.0 / (double)work->head_width); /* one rounding less than 1 / sqrt(D) */
    if (options->has_scale) {
        work->scale_given = 1;
        work->scale = options->scale;
    }
}

attend_status worked_make(attend_ctx *ctx, const attend_example *example, const worked_options *options,
                          worked **result) {
    *result = NULL;
    worked *work = calloc(1, sizeof *work);
    if (work == NULL)
        return ATTEND_MEMORY;
    work->example = example;
    measure(work);
    choose(work, options);
    attend_status status = make_inputs(ctx, work);
    THEN(status, make_steps(ctx, work));
    THEN(status, make_output(ctx, work));
    if (status == ATTEND_OK)
        *result = work;
    else
        worked_free(work);
    return status;
}

void worked_free(worked *work) {
    if (work == NULL)
        return;
    double *blocks[] = {work->placed, work->projected_q, work->projected_k, work->q,      work->k,
                        work->v,      work->compare,     work->scaled,      work->masked, work->weights,
                        work->lse,    work->mixture,     work->output};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
    free(work);
}

_Static_assert(WORKED_NUMBERS_MAX == 4194304, "worked_message names the limit");

const char *worked_message(const attend_ctx *ctx, attend_status status) {
    const char *message = attend_message(ctx);
    if (message[0] != '\0')
        return message;
    return status == ATTEND_TOO_LARGE ? "too many numbers to work out by hand (limit 4194304 in one grid)"
                                      : "no memory for the steps of this example";
}

int64_t worked_kv_head(const worked *work, int64_t head) { return head / (work->heads / work->kv_heads); }

int worked_sees(const worked *work, int64_t row, int64_t column) {
    int cut = work->visible != NULL && !work->visible[row * work->tokens + column];
    return !cut && (!work->causal || column <= row);
}
