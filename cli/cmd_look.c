#define _POSIX_C_SOURCE 200809L // strdup
/* cmd_look.c - attend look: works the example out, takes what the taps say of it, and shows that as a picture, as
   tables or as JSON. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "example_source.h"
#include "help_look.h"
#include "isa.h"
#include "look.h"
#include "look_options.h"
#include "look_tensors.h"
#include "token_labels.h"

enum {
    PICTURE_DIGITS = 2,
    TABLE_DIGITS = 3,
    FILE_CELLS_MAX = 124, // of a grid in a file: more could not be told apart
    TITLE_MAX = 256,
};

static const char no_memory[] = "no memory for this example";

/* ---- what is to be read --------------------------------------------------------------------- */

static int wrong_row(const look_view *view, const char *name, int64_t found) {
    int status = found == -2 ? cli_usage_error("--rows: \"%s\" stands more than once", name)
                             : cli_usage_error("--rows: there is no token \"%s\"", name);
    if (found == -2)
        cli_hint("--rows '%s#1' is the first of them, '%s#2' the second", name, name);
    else
        cli_hint("the tokens are numbered too: --rows '#1,#%lld'", (long long)attend_example_tokens(view->example));
    return status;
}

/* names is cut at its commas; rows has room for as many names as it holds. */
static int find_rows(look_view *view, char *names, int32_t *rows) {
    for (char *name = names; name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma = '\0';
        int64_t row = token_find(view->example, name);
        if (row < 0)
            return wrong_row(view, name, row);
        rows[view->wish.row_count++] = (int32_t)row;
        name = comma == NULL ? NULL : comma + 1;
    }
    return CLI_DONE;
}

/* The rows found belong to view, even on failure. */
static int wish_rows(look_view *view, const char *list) {
    size_t most = 1;
    for (const char *at = list; *at != '\0'; at++)
        most += *at == ',';
    char *names = strdup(list);
    int32_t *rows = calloc(most, sizeof *rows);
    view->wish.rows = rows;
    int status = names == NULL || rows == NULL ? cli_failure(no_memory) : find_rows(view, names, rows);
    free(names);
    return status;
}

static int is_picture(const look_options *options) {
    return !options->json && options->rows == NULL && options->top == 0 && !options->entropy && !options->received;
}

/* Rows and columns of the grid that is shown, 0 when none is. */
static int64_t choose_cells(const look_options *options, int64_t tokens) {
    if (options->output != NULL)
        return figure_cells(tokens, FILE_CELLS_MAX);
    if (is_picture(options))
        return terminal_grid_cells(tokens, cli_columns(stdout));
    int others = options->rows != NULL || options->top > 0 || options->entropy || options->received;
    return others ? 0 : tokens;
}

static int make_wish(look_view *view, const look_options *options) {
    int64_t tokens = view->works[0]->tokens;
    view->wish.grid_rows = view->wish.grid_columns = choose_cells(options, tokens);
    view->wish.top = options->top < tokens ? options->top : tokens;
    view->wish.entropy = options->entropy;
    view->wish.received = options->received;
    return options->rows == NULL ? CLI_DONE : wish_rows(view, options->rows);
}

/* ---- one example, worked out once or twice -------------------------------------------------- */

static int add_work(look_view *view, const worked_options *how) {
    attend_status status = worked_make(view->ctx, view->example, how, &view->works[view->count]);
    if (status != ATTEND_OK)
        return example_failure(view->ctx, status);
    view->count++;
    return CLI_DONE;
}

static int add_works(look_view *view, const look_options *options) {
    worked_options how = options->how;
    int status = add_work(view, &how);
    how.causal = 1;
    return status == CLI_DONE && options->compare_causal ? add_work(view, &how) : status;
}

static int check_head(const look_view *view, const look_options *options) {
    int64_t heads = view->works[0]->heads;
    if (options->head > heads)
        return cli_usage_error("--head: there is no head %lld (allowed 1 to %lld)", (long long)options->head,
                               (long long)heads);
    return CLI_DONE;
}

static int read_taps(look_view *view) {
    for (int i = 0; i < view->count; i++) {
        attend_status status = readings_take(view->ctx, view->works[i], &view->wish, &view->found[i]);
        if (status != ATTEND_OK)
            return example_failure(view->ctx, status);
    }
    return CLI_DONE;
}

static int make_view(look_view *view, const look_options *options) {
    view->head = options->head - 1;
    int status = add_works(view, options);
    if (status == CLI_DONE)
        status = check_head(view, options);
    if (status == CLI_DONE)
        status = make_wish(view, options);
    if (status == CLI_DONE)
        status = read_taps(view);
    if (status != CLI_DONE)
        return status;
    view->labels = token_labels_make(view->example);
    return view->labels == NULL ? cli_failure(no_memory) : CLI_DONE;
}

static void free_view(look_view *view) {
    for (int i = 0; i < view->count; i++) {
        readings_free(&view->found[i]);
        worked_free(view->works[i]);
    }
    free((void *)view->wish.rows);
    token_labels_free(view->labels);
}

/* ---- output --------------------------------------------------------------------------------- */

static void make_title(const look_view *view, char title[TITLE_MAX]) {
    size_t used = (size_t)snprintf(title, TITLE_MAX, "Attention weights:");
    for (int64_t i = 0; i < view->works[0]->tokens && used < TITLE_MAX; i++)
        used += (size_t)snprintf(title + used, TITLE_MAX - used, " %s", view->labels[i]);
    if (used < TITLE_MAX)
        return;
    size_t end = TITLE_MAX - 1; /* cut, but not inside a character of UTF-8 */
    while (end > 0 && ((unsigned char)title[end - 1] & 0xC0) == 0x80)
        end--;
    title[end > 0 ? end - 1 : 0] = '\0';
}

static int put_file(figure *f, const look_view *view, const look_options *options) {
    char title[TITLE_MAX], fault[FIGURE_FAULT_MAX];
    make_title(view, title);
    f->title = title;
    if (figure_write(f, options->output, options->format, (double)options->width, fault) != 0)
        return cli_failure("%s", fault);
    return CLI_DONE;
}

static void put_terminal(const figure *f) {
    printf("weights: a row for each query, a column for each key\n\n");
    terminal_grid_print(stdout, f, terminal_colors_of(stdout), cli_columns(stdout));
}

static int put_picture(const look_view *view, const look_options *options) {
    look_figure f;
    int status = CLI_DONE;
    if (look_figure_make(view, view->wish.grid_rows, options->ceiling, &f) != 0) {
        look_figure_free(&f);
        return cli_failure(no_memory);
    }
    color_theme usual = options->output == NULL ? terminal_theme() : THEME_LIGHT;
    f.shown.theme = options->theme < 0 ? usual : (color_theme)options->theme;
    f.shown.digits = options->digits < 0 ? PICTURE_DIGITS : (int)options->digits;
    if (options->output != NULL)
        status = put_file(&f.shown, view, options);
    else
        put_terminal(&f.shown);
    look_figure_free(&f);
    return status;
}

static int put(const look_view *view, const look_options *options) {
    if (options->json)
        return look_json(stdout, view) == 0 ? CLI_DONE : cli_failure(no_memory);
    if (is_picture(options))
        return put_picture(view, options);
    look_tables(stdout, view, options->digits < 0 ? TABLE_DIGITS : (int)options->digits);
    return CLI_DONE;
}

static int look(attend_ctx *ctx, const look_options *options) {
    attend_example *example = NULL;
    int status = example_load(ctx, options->name, options->path, &example);
    look_view view = {.ctx = ctx, .example = example};
    if (status == CLI_DONE)
        status = make_view(&view, options);
    if (status == CLI_DONE)
        status = put(&view, options);
    free_view(&view);
    attend_example_close(example);
    return status;
}

int cmd_look(int argc, char **argv) {
    look_options options;
    int status = look_options_read(&options, argc, argv);
    if (options.help)
        return cli_help(help_look_text);
    if (status != CLI_DONE)
        return status;
    if (options.tensors)
        return look_tensors(&options);
    attend_ctx *ctx = NULL;
    status = isa_context(attend_config_init(), NULL, &ctx);
    if (status != CLI_DONE)
        return status;
    status = look(ctx, &options);
    attend_ctx_destroy(ctx);
    return status;
}
