#include "explain_report.h"
#include "help_explain.h"
#include "shape.h"

typedef struct wishes {
    request request;
    shape sizes;
    bool json;
} wishes;

static int take_option(wishes *wish, int id, const cli_options *options) {
    const char *name = cli_options_name(options, id);
    if (id == OPTION_EXPLAIN_JSON) {
        wish->json = true;
        return CLI_DONE;
    }
    int status = shape_take(&wish->sizes, name, options->value);
    return status == REQUEST_OTHER ? request_take(&wish->request, name, options->value) : status;
}

static int explain(const wishes *wish, const inputs *given) {
    const forward_call *call = &given->call;
    attend_explanation found = attend_explanation_init();
    attend_dtype dtype = wish->sizes.dtype != 0 ? wish->sizes.dtype : (attend_dtype)call->q.dtype;
    size_t scratch = 0;
    attend_status status =
        attend_explain(given->ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, dtype, &found);
    if (status == ATTEND_OK)
        status = attend_scratch_size(given->ctx, &call->problem, NULL, &scratch);
    if (status != ATTEND_OK)
        return inputs_error(given, status);
    explain_report report = {given, dtype, &found, scratch};
    return wish->json ? explain_report_json(&report) : explain_report_text(&report);
}

static int outline(wishes *wish, inputs *given) {
    attend_in made[3];
    int status = shape_complete(&wish->request, &wish->sizes);
    if (status != CLI_DONE)
        return status;
    shape_outline(&wish->sizes, made);
    return inputs_made(&wish->request, made, given);
}

static int load_and_explain(wishes *wish) {
    inputs given = {.ctx = NULL};
    /* --dtype alone goes with files too, where it is the type of the output */
    int status = shape_has_sizes(&wish->sizes) ? outline(wish, &given) : inputs_load(&wish->request, &given);
    if (status == CLI_DONE)
        status = explain(wish, &given);
    inputs_free(&given);
    return status;
}

int cmd_explain(int argc, char **argv) {
    cli_options options = {.argc = argc,
                           .argv = argv,
                           .letters = help_explain_short,
                           .table = help_explain_options,
                           .letter = help_explain_letter};
    wishes wish = {.request = request_init()};
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        if (id == OPTION_EXPLAIN_HELP)
            return cli_help(help_explain_text);
        if (id == CLI_OPTIONS_WRONG || take_option(&wish, id, &options) != CLI_DONE)
            return CLI_USAGE;
    }
    if (cli_options_rest() < argc)
        return cli_usage_error("explain takes no argument (found \"%s\")", argv[cli_options_rest()]);
    return load_and_explain(&wish);
}
