#include "look_options.h"

#include <math.h>
#include <string.h>

#include "cli.h"
#include "help_look.h"
#include "number_text.h"

enum { WIDTH_LEAST = 64, WIDTH_MOST = 8000, TOP_MOST = 1000000, HEAD_MOST = 1000000, CELLS_MOST = 4096 };

static const char *const theme_names[] = {[THEME_LIGHT] = "light", [THEME_DARK] = "dark"};
enum { THEMES = sizeof theme_names / sizeof *theme_names };

static int set_causal(look_options *options, int causal) {
    if (options->how.causal >= 0)
        return cli_usage_error("--causal, --no-causal and --compare-causal exclude each other");
    options->how.causal = causal;
    return CLI_DONE;
}

static int set_compare_causal(look_options *options) {
    options->compare_causal = 1;
    return set_causal(options, 0);
}

static int set_scale(look_options *options, const char *value) {
    options->how.has_scale = 1;
    return cli_parse_real("--scale", value, -INFINITY, INFINITY, &options->how.scale);
}

static int set_output(look_options *options, const char *value) {
    options->output = value;
    if (figure_format_of(value, &options->format))
        return CLI_DONE;
    return cli_usage_error("--output: the name \"%s\" does not end in .svg, .pdf or .png", value);
}

static int set_ceiling(look_options *options, const char *value) {
    int status = cli_parse_real("--ceiling", value, 0, 1, &options->ceiling);
    if (status == CLI_DONE && options->ceiling == 0)
        return cli_usage_error("--ceiling is 0: the colour scale needs some length");
    return status;
}

static int turn_on(int *option) {
    *option = 1;
    return CLI_DONE;
}

static int keep(const char **option, const char *value) {
    *option = value;
    return CLI_DONE;
}

/* An option of tensors from files; those that say where some are make it a look at tensors. */
static int set_request(look_options *options, const char *name, const char *value) {
    int status = request_take(&options->request, name, value);
    options->tensors = options->request.file[INPUT_Q] != NULL || options->request.file[INPUT_K] != NULL ||
                       options->request.archive != NULL;
    if (options->alone == NULL && strcmp(name, "causal") != 0 && strcmp(name, "scale") != 0)
        options->alone = status == REQUEST_OTHER ? NULL : name;
    return status;
}

static int set_option(look_options *options, int id, const char *value) {
    switch (id) {
    case OPTION_LOOK_EXAMPLE: return keep(&options->name, value);
    case OPTION_LOOK_OUTPUT: return set_output(options, value);
    case OPTION_LOOK_COMPARE_CAUSAL: return set_compare_causal(options);
    case OPTION_LOOK_CAUSAL: return set_causal(options, 1);
    case OPTION_LOOK_NO_CAUSAL: return set_causal(options, 0);
    case OPTION_LOOK_SCALE: return set_scale(options, value);
    case OPTION_LOOK_HEAD: return cli_parse_int("--head", value, 1, HEAD_MOST, &options->head);
    case OPTION_LOOK_THEME: return cli_parse_choice("--theme", value, theme_names, THEMES, &options->theme);
    case OPTION_LOOK_WIDTH: return cli_parse_int("--width", value, WIDTH_LEAST, WIDTH_MOST, &options->width);
    case OPTION_LOOK_DIGITS: return cli_parse_int("--digits", value, 0, NUMBER_DIGITS_MAX, &options->digits);
    case OPTION_LOOK_CEILING: return set_ceiling(options, value);
    case OPTION_LOOK_ROWS: return keep(&options->rows, value);
    case OPTION_LOOK_TOP: return cli_parse_int("--top", value, 1, TOP_MOST, &options->top);
    case OPTION_LOOK_ENTROPY: return turn_on(&options->entropy);
    case OPTION_LOOK_RECEIVED: return turn_on(&options->received);
    case OPTION_LOOK_JSON: return turn_on(&options->json);
    case OPTION_LOOK_CELLS: return cli_parse_int("--cells", value, 1, CELLS_MOST, &options->cells);
    case OPTION_LOOK_HELP: return turn_on(&options->help);
    default: return CLI_DONE; // an option of tensors alone
    }
}

/* Tensors and examples exclude each other. */
static int check_tensors(const look_options *options) {
    if (options->path != NULL || options->name != NULL)
        return cli_usage_error("an example and tensors from --q and --k, or --in, exclude each other");
    if (options->compare_causal)
        return cli_usage_error("--compare-causal takes an example");
    return CLI_DONE;
}

static int read_source(look_options *options, int argc, char **argv) {
    int files = argc - cli_options_rest();
    if (files > 1)
        return cli_usage_error("look takes one file (found \"%s\" after \"%s\")", argv[argc - 1], argv[argc - 2]);
    options->path = files == 1 ? argv[argc - 1] : NULL;
    if (options->tensors)
        return check_tensors(options);
    if (options->alone != NULL || options->cells > 0)
        return cli_usage_error("--%s goes with --q and --k, or --in",
                               options->alone != NULL ? options->alone : "cells");
    if (options->path != NULL && options->name != NULL)
        return cli_usage_error("--example and a file exclude each other");
    if (options->path != NULL || options->name != NULL)
        return CLI_DONE;
    int status = cli_usage_error("look needs a file or --example NAME");
    cli_hint("attend look --example cat");
    return status;
}

/* A picture in a file, or text on standard output: not both in one call. */
static int check_output(const look_options *options) {
    const char *text = options->json       ? "json"
                       : options->rows     ? "rows"
                       : options->top > 0  ? "top"
                       : options->entropy  ? "entropy"
                       : options->received ? "received"
                                           : NULL;
    if (options->output != NULL && text != NULL)
        return cli_usage_error("--output takes a picture, but --%s asks for text: it goes to standard output", text);
    if (options->output != NULL && options->path != NULL && cli_same_file(options->output, options->path))
        return cli_usage_error("--output: %s is also the input", options->output);
    if (options->output == NULL && options->width > 0)
        return cli_usage_error("--width is that of a picture in a file: it needs --output");
    return CLI_DONE;
}

int look_options_read(look_options *options, int argc, char **argv) {
    cli_options reading = {
        .argc = argc, .argv = argv, .letters = help_look_short, .table = help_look_options, .letter = help_look_letter};
    *options = (look_options){.how = {.causal = -1}, .digits = -1, .theme = -1, .request = request_init()};
    for (int id; (id = cli_options_next(&reading)) != CLI_OPTIONS_END;) {
        int status = id == CLI_OPTIONS_WRONG ? CLI_USAGE : CLI_DONE;
        if (status == CLI_DONE)
            status = set_request(options, cli_options_name(&reading, id), reading.value);
        if (status != CLI_USAGE)
            status = set_option(options, id, reading.value);
        if (status != CLI_DONE || options->help)
            return status;
    }
    int status = read_source(options, argc, argv);
    return status == CLI_DONE ? check_output(options) : status;
}
