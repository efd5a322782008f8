/* cmd_trace.c - attend trace: reads its options, works the example out, and hands it to the page, the row or JSON. */
#include <math.h>

#include "cli.h"
#include "example_source.h"
#include "fragment.h"
#include "help_trace.h"
#include "isa.h"
#include "token_labels.h"
#include "trace.h"

enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_LATEX, FORMAT_JSON, FORMAT_COUNT };

static const char *const format_names[FORMAT_COUNT] = {"text", "markdown", "latex", "json"};

typedef struct trace_options {
    const char *name; /* of a built-in example */
    const char *path; /* of a file, or a fragment */
    const char *row;  /* whose story is told; NULL: the whole page */
    int compare_causal;
    int format;
    int help;
    int64_t digits;
    worked_options how;
} trace_options;

/* ---- options ---------------------------------------------------------------------------------- */

static int set_causal(trace_options *options, int causal) {
    if (options->how.causal >= 0 || options->compare_causal)
        return cli_usage_error("--causal, --no-causal and --compare-causal exclude each other");
    options->how.causal = causal;
    return CLI_DONE;
}

static int set_compare_causal(trace_options *options) {
    int status = set_causal(options, 0);
    options->compare_causal = 1;
    return status;
}

static int set_option(trace_options *options, int id, const char *value) {
    switch (id) {
    case OPTION_TRACE_EXAMPLE: options->name = value; return CLI_DONE;
    case OPTION_TRACE_ROW: options->row = value; return CLI_DONE;
    case OPTION_TRACE_CAUSAL: return set_causal(options, 1);
    case OPTION_TRACE_NO_CAUSAL: return set_causal(options, 0);
    case OPTION_TRACE_COMPARE_CAUSAL: return set_compare_causal(options);
    case OPTION_TRACE_JSON: options->format = FORMAT_JSON; return CLI_DONE;
    case OPTION_TRACE_FORMAT: return cli_parse_choice("--format", value, format_names, FORMAT_COUNT, &options->format);
    case OPTION_TRACE_DIGITS: return cli_parse_int("--digits", value, 0, NUMBER_DIGITS_MAX, &options->digits);
    case OPTION_TRACE_SCALE:
        options->how.has_scale = 1;
        return cli_parse_real("--scale", value, -INFINITY, INFINITY, &options->how.scale);
    default: options->help = 1; return CLI_DONE;
    }
}

static int read_source(trace_options *options, int argc, char **argv) {
    int files = argc - cli_options_rest();
    if (files > 1)
        return cli_usage_error("trace takes one file (found \"%s\" after \"%s\")", argv[argc - 1], argv[argc - 2]);
    options->path = files == 1 ? argv[argc - 1] : NULL;
    if (options->path != NULL && options->name != NULL)
        return cli_usage_error("--example and a file exclude each other");
    if (options->path == NULL && options->name == NULL) {
        int status = cli_usage_error("trace needs a file or --example NAME");
        cli_hint("attend trace --example cat");
        return status;
    }
    if (options->row != NULL && options->format == FORMAT_JSON)
        return cli_usage_error("--row and --json exclude each other: JSON holds every row");
    return CLI_DONE;
}

static int read_options(trace_options *options, int argc, char **argv) {
    cli_options reading = {argc, argv, help_trace_short, help_trace_options, help_trace_letter, NULL, {0}};
    for (int id; (id = cli_options_next(&reading)) != CLI_OPTIONS_END;) {
        int status = id == CLI_OPTIONS_WRONG ? CLI_USAGE : set_option(options, id, reading.value);
        if (status != CLI_DONE || options->help)
            return status;
    }
    return read_source(options, argc, argv);
}

/* ---- one example, worked out once or twice ------------------------------------------------------ */

/* *row is the one that a fragment selects; -1, all of them, where nothing does, and in JSON, which holds every row. */
static int open_example(attend_ctx *ctx, const trace_options *options, attend_example **example, int64_t *row) {
    *row = -1;
    if (options->path == NULL || !fragment_is(options->path))
        return example_load(ctx, options->name, options->path, example);
    int status = fragment_open(ctx, options->path, example, row);
    *row = options->format == FORMAT_JSON ? -1 : *row;
    return status;
}

/* The row that --row names, if anything. */
static int find_row(const attend_example *example, const char *name, int64_t *row) {
    if (name == NULL)
        return CLI_DONE;
    *row = token_find(example, name);
    if (*row >= 0)
        return CLI_DONE;
    if (*row == -2) {
        cli_usage_error("--row: \"%s\" stands more than once", name);
        cli_hint("--row '%s#1' is the first of them, '%s#2' the second", name, name);
    } else {
        cli_usage_error("--row: there is no token \"%s\"", name);
        cli_hint("the tokens are numbered too: --row '#1' to '#%lld'", (long long)attend_example_tokens(example));
    }
    return CLI_USAGE;
}

static int add_work(attend_ctx *ctx, const attend_example *example, const worked_options *how, trace_view *view) {
    worked *work = NULL;
    attend_status status = worked_make(ctx, example, how, &work);
    if (status != ATTEND_OK)
        return example_failure(ctx, status);
    view->works[view->count] = work;
    view->facts[view->count++] = trace_facts_make(work, view->row);
    return view->facts[view->count - 1] == NULL ? cli_failure("no memory for this example") : CLI_DONE;
}

static int make_view(attend_ctx *ctx, const attend_example *example, const trace_options *options, trace_view *view) {
    worked_options how = options->how;
    int status = find_row(example, options->row, &view->row);
    if (status == CLI_DONE)
        status = add_work(ctx, example, &how, view);
    how.causal = 1;
    if (status == CLI_DONE && options->compare_causal)
        status = add_work(ctx, example, &how, view);
    if (status != CLI_DONE)
        return status;
    view->labels = token_labels_make(example);
    return view->labels == NULL ? cli_failure("no memory for this example") : CLI_DONE;
}

static void free_view(trace_view *view) {
    for (int w = 0; w < view->count; w++) {
        trace_facts_free(view->facts[w]);
        worked_free(view->works[w]);
    }
    token_labels_free(view->labels);
}

/* ---- output ------------------------------------------------------------------------------------- */

static int put_page(const trace_options *options, const trace_view *view) {
    static const page_writer *const writers[] = {&page_text_writer, &page_markdown_writer, &page_latex_writer};
    page_output page = {writers[options->format], stdout, (int)options->digits, cli_color(stdout), 0, PAGE_NOTHING};
    if (view->row >= 0)
        trace_row(&page, view);
    else
        trace_page(&page, view);
    return page.failed ? cli_failure("no memory for the whole page") : CLI_DONE;
}

/* A result that breaks one of the facts is shown all the same, but not in silence. */
static int judge(const trace_view *view) {
    for (int w = 0; w < view->count; w++) {
        const trace_facts *facts = view->facts[w];
        if (!facts->weights_hold)
            return cli_failure("check failed: a row's weights are not positive numbers that sum to 1");
        if (!facts->mixtures_hold)
            return cli_failure("check failed: a mixture lies outside the values it averages");
    }
    return CLI_DONE;
}

static int put(const trace_options *options, const trace_view *view) {
    int status = CLI_DONE;
    if (options->format == FORMAT_JSON)
        status = trace_json(stdout, view) ? cli_failure("cannot write all of the JSON") : CLI_DONE;
    else
        status = put_page(options, view);
    return status == CLI_DONE ? judge(view) : status;
}

static int trace(attend_ctx *ctx, const trace_options *options) {
    attend_example *example = NULL;
    trace_view view = {0, {NULL}, {NULL}, NULL, -1};
    int status = open_example(ctx, options, &example, &view.row);
    if (status == CLI_DONE)
        status = make_view(ctx, example, options, &view);
    if (status == CLI_DONE)
        status = put(options, &view);
    free_view(&view);
    attend_example_close(example);
    return status;
}

int cmd_trace(int argc, char **argv) {
    trace_options options = {.digits = 3, .how = {.causal = -1}};
    int status = read_options(&options, argc, argv);
    if (options.help)
        return cli_help(help_trace_text);
    if (status != CLI_DONE)
        return status;
    attend_ctx *ctx = NULL;
    status = isa_context(attend_config_init(), NULL, &ctx);
    if (status != CLI_DONE)
        return status;
    status = trace(ctx, &options);
    attend_ctx_destroy(ctx);
    return status;
}
