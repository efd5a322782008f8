#include "look_tensors.h"

#include <stdlib.h>
#include <string.h>

#include "progress_threads.h"

enum { CELLS_FILE = 512, CELLS_JSON = 64, TABLE_DIGITS = 3, NAME_MAX = 32 };

static const char no_memory[] = "no memory for what is to be looked at";

static int is_picture(const look_options *options) {
    return !options->json && options->rows == NULL && options->top == 0 && !options->entropy && !options->received;
}

static int has_tables(const look_options *options) {
    return options->rows != NULL || options->top > 0 || options->entropy || options->received;
}

/* ---- what is asked ---- */

/* "0,17": positions of queries. */
static int read_rows(const char *list, int64_t queries, tensor_view *view, int32_t **rows) {
    size_t most = 1, length = strlen(list);
    for (const char *at = list; *at != '\0'; at++)
        most += *at == ',';
    char *names = calloc(length + 1, 1);
    *rows = calloc(most, sizeof **rows);
    int status = names == NULL || *rows == NULL ? cli_failure(no_memory) : CLI_DONE;
    if (status == CLI_DONE)
        memcpy(names, list, length);
    for (char *name = names; status == CLI_DONE && name != NULL;) {
        char *comma = strchr(name, ',');
        int64_t row = 0;
        if (comma != NULL)
            *comma = '\0';
        status = cli_parse_int("--rows", name, 0, queries > 0 ? queries - 1 : 0, &row);
        (*rows)[view->rows++] = (int32_t)row;
        name = comma == NULL ? NULL : comma + 1;
    }
    free(names);
    view->row = *rows;
    return status;
}

static int choose_cells(const look_options *options, const attend_problem *p, int64_t *cells) {
    int64_t most = options->output != NULL ? CELLS_FILE : CELLS_JSON;
    *cells = 0;
    if (has_tables(options))
        return CLI_DONE;
    if (p->queries != p->keys)
        return cli_usage_error("a picture needs as many keys as queries (found %lld queries and %lld keys): "
                               "--rows, --top, --entropy and --received do not",
                               (long long)p->queries, (long long)p->keys);
    if (p->queries == 0)
        return cli_usage_error("there are no queries to look at");
    if (is_picture(options) && options->output == NULL)
        *cells = terminal_grid_cells(p->queries, cli_columns(stdout));
    else
        *cells = options->cells == 0 ? figure_cells(p->queries, most) : options->cells;
    if (*cells > p->queries)
        *cells = p->queries;
    return CLI_DONE;
}

/* ---- one head ---- */

/* Part first .. first of the axis that counts heads, where there is one entry for each. */
static attend_in head_of(attend_in tensor, int32_t axis, int64_t head) {
    if (tensor.data == NULL || axis < 0 || tensor.shape[axis] == 1)
        return tensor;
    int64_t bytes = head * tensor.stride[axis] * (int64_t)attend_dtype_size((attend_dtype)tensor.dtype);
    tensor.data = (const char *)tensor.data + bytes;
    tensor.shape[axis] = 1;
    return tensor;
}

static forward_call call_of_head(const forward_call *all, int64_t head) {
    forward_call one = *all;
    int64_t group = all->problem.heads / all->problem.kv_heads;
    one.problem.heads = one.problem.kv_heads = 1;
    one.q = head_of(all->q, 1, head);
    one.k = head_of(all->k, 1, head / group);
    one.extra.mask = head_of(all->extra.mask, all->extra.mask.rank - 3, head);
    one.extra.bias = head_of(all->extra.bias, all->extra.bias.rank - 3, head);
    one.extra.slopes = head_of(all->extra.slopes, 0, head);
    one.extra.sinks = head_of(all->extra.sinks, 0, head);
    return one;
}

typedef struct taker {
    attend_taps taps;
    int no_memory;
} taker;

static attend_out room(taker *t, double **numbers, int32_t rank, int64_t a, int64_t b) {
    int64_t shape[ATTEND_RANK_MAX] = {1, 1, a, b};
    *numbers = calloc((size_t)(a * b) + 1, sizeof **numbers);
    t->no_memory |= *numbers == NULL;
    return attend_out_dense(*numbers, ATTEND_F64, rank, shape);
}

static void ask(taker *t, tensor_view *view, const look_options *options) {
    int64_t list[] = {1, 1, view->queries, view->top};
    t->taps = attend_taps_init();
    if (view->cells > 0) {
        t->taps.grid_max = room(t, &view->grid, 4, view->cells, view->cells);
        t->taps.grid_count = room(t, &view->seen, 4, view->cells, view->cells);
    }
    if (view->rows > 0) {
        t->taps.rows = attend_in_dense(view->row, ATTEND_I32, 1, &view->rows);
        t->taps.row_weights = room(t, &view->row_weights, 4, view->rows, view->keys);
        t->taps.row_biased = room(t, &view->row_scores, 4, view->rows, view->keys);
    }
    if (view->top > 0) {
        view->top_index = calloc((size_t)(view->queries * view->top) + 1, sizeof *view->top_index);
        t->no_memory |= view->top_index == NULL;
        t->taps.top_index = attend_out_dense(view->top_index, ATTEND_I32, 4, list);
        t->taps.top_weight = room(t, &view->top_weight, 4, view->queries, view->top);
        t->taps.top_rest = room(t, &view->top_rest, 3, view->queries, 1);
    }
    if (options->entropy)
        t->taps.entropy = room(t, &view->entropy, 3, view->queries, 1);
    if (options->received)
        t->taps.column_sum = room(t, &view->received, 3, view->keys, 1);
}

static int take(const inputs *given, const look_options *options, tensor_view *view) {
    taker t = {.no_memory = 0};
    forward_call one = call_of_head(&given->call, view->head);
    ask(&t, view, options);
    if (t.no_memory)
        return cli_failure(no_memory);
    attend_status status = attend_look(given->ctx, &one.problem, &one.q, &one.k, &one.extra, NULL, &t.taps);
    return status == ATTEND_OK ? CLI_DONE : inputs_error(given, status);
}

static void free_views(tensor_view *views, int64_t count) {
    for (int64_t n = 0; views != NULL && n < count; n++) {
        void *blocks[] = {views[n].grid,       views[n].seen,      views[n].row_weights,
                          views[n].row_scores, views[n].top_index, views[n].top_weight,
                          views[n].top_rest,   views[n].entropy,   views[n].received};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            free(blocks[i]);
    }
    free(views);
}

/* ---- the picture ---- */

typedef struct picture {
    figure shown;
    char (*titles)[NAME_MAX];
    figure_panel *panels;
    unsigned char *hidden; // (views, cells, cells)
    char **labels;         // (tokens) positions
} picture;

static void free_picture(picture *p) {
    for (int64_t t = 0; p->labels != NULL && t < p->shown.tokens; t++)
        free(p->labels[t]);
    free(p->labels);
    free(p->titles);
    free(p->panels);
    free(p->hidden);
}

static int make_picture(const tensor_view *views, int64_t count, picture *p) {
    int64_t size = views->cells * views->cells, across = 1;
    while (across < 4 && across * across < count)
        across++;
    p->shown = (figure){.tokens = views->queries, .cells = views->cells, .panel_count = count, .across = across};
    p->titles = calloc((size_t)count, sizeof *p->titles);
    p->panels = calloc((size_t)count, sizeof *p->panels);
    p->hidden = calloc((size_t)(count * size), 1);
    p->labels = calloc((size_t)views->queries, sizeof *p->labels);
    if (p->titles == NULL || p->panels == NULL || p->hidden == NULL || p->labels == NULL)
        return -1;
    for (int64_t t = 0; t < views->queries; t++) {
        p->labels[t] = calloc(NAME_MAX, 1);
        if (p->labels[t] == NULL)
            return -1;
        snprintf(p->labels[t], NAME_MAX, "%lld", (long long)t);
    }
    for (int64_t n = 0; n < count; n++) {
        if (count > 1)
            snprintf(p->titles[n], NAME_MAX, "head %lld", (long long)views[n].head + 1);
        for (int64_t i = 0; i < size; i++)
            p->hidden[n * size + i] = views[n].seen[i] == 0;
        p->panels[n] = (figure_panel){p->titles[n], views[n].grid, p->hidden + n * size};
    }
    p->shown.labels = p->labels;
    p->shown.panels = p->panels;
    return 0;
}

static int put_picture(const tensor_view *views, int64_t count, const look_options *options) {
    char title[2 * NAME_MAX], fault[FIGURE_FAULT_MAX];
    picture p = {.labels = NULL};
    int status = make_picture(views, count, &p) == 0 ? CLI_DONE : cli_failure(no_memory);
    if (status == CLI_DONE) {
        color_theme usual = options->output == NULL ? terminal_theme() : THEME_LIGHT;
        snprintf(title, sizeof title, "Attention weights of %lld tokens", (long long)views->queries);
        figure_set_scale(&p.shown, options->ceiling);
        p.shown.title = title;
        p.shown.theme = options->theme < 0 ? usual : (color_theme)options->theme;
        p.shown.digits = options->digits < 0 ? 2 : (int)options->digits;
        if (options->output == NULL) {
            printf("weights: a row for each query, a column for each key\n\n");
            terminal_grid_print(stdout, &p.shown, terminal_colors_of(stdout), cli_columns(stdout));
        } else if (figure_write(&p.shown, options->output, options->format, (double)options->width, fault) != 0)
            status = cli_failure("%s", fault);
    }
    free_picture(&p);
    return status;
}

/* ---- all heads ---- */

static int put(const tensor_view *views, int64_t count, int64_t heads, const look_options *options) {
    if (options->json)
        return look_tensor_json(views, count);
    if (is_picture(options))
        return put_picture(views, count, options);
    for (int64_t n = 0; n < count; n++)
        look_tensor_tables(&views[n], heads, options->digits < 0 ? TABLE_DIGITS : (int)options->digits);
    return CLI_DONE;
}

static int look_at_heads(const inputs *given, const look_options *options, progress_threads *threads) {
    const attend_problem *p = &given->call.problem;
    int64_t first = options->head > 0 ? options->head - 1 : 0, count = options->head > 0 ? 1 : p->heads;
    tensor_view common = {.queries = p->queries, .keys = p->keys}, *views = NULL;
    int32_t *rows = NULL;
    if (p->batch != 1)
        return cli_usage_error("look takes one batch row (found %lld)", (long long)p->batch);
    if (options->head > p->heads)
        return cli_usage_error("--head: there is no head %lld (allowed 1 to %lld)", (long long)options->head,
                               (long long)p->heads);
    int status = choose_cells(options, p, &common.cells);
    common.top = options->top < p->keys ? options->top : p->keys;
    if (status == CLI_DONE && options->rows != NULL)
        status = read_rows(options->rows, p->queries, &common, &rows);
    if (status == CLI_DONE) {
        views = calloc((size_t)count, sizeof *views);
        status = views == NULL ? cli_failure(no_memory) : CLI_DONE;
    }
    threads->runs = (int)count * (1 + (common.rows > 0) + (common.top > 0) + (options->received || common.cells > 0));
    for (int64_t n = 0; status == CLI_DONE && n < count; n++) {
        views[n] = common;
        views[n].head = first + n;
        status = take(given, options, &views[n]);
    }
    cli_progress(threads->what, 1);
    if (status == CLI_DONE)
        status = put(views, count, p->heads, options);
    free_views(views, count);
    free(rows);
    return status;
}

int look_tensors(const look_options *options) {
    progress_threads threads = {.what = "looking", .runs = 1};
    request wish = options->request;
    inputs given;
    wish.without_values = true;
    wish.executor = progress_executor(&threads);
    int status = inputs_load(&wish, &given);
    if (status == CLI_DONE)
        status = look_at_heads(&given, options, &threads);
    inputs_free(&given);
    return status;
}
