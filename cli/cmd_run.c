#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "help_run.h"
#include "run_report.h"

typedef struct wishes {
    request request;
    outputs outputs;
    attend_dtype dtype; /* of o; 0: that of q */
    bool json;
    bool verbose;
} wishes;

static int take_option(wishes *wish, int id, const cli_options *options) {
    switch (id) {
    case OPTION_RUN_OUTPUT: wish->outputs.file[OUTPUT_O] = options->value; return CLI_DONE;
    case OPTION_RUN_LSE: wish->outputs.file[OUTPUT_LSE] = options->value; return CLI_DONE;
    case OPTION_RUN_WEIGHTS: wish->outputs.file[OUTPUT_WEIGHTS] = options->value; return CLI_DONE;
    case OPTION_RUN_DTYPE: return request_dtype(options->value, &wish->dtype);
    case OPTION_RUN_JSON: wish->json = true; return CLI_DONE;
    case OPTION_RUN_VERBOSE: wish->verbose = true; return CLI_DONE;
    default: return request_take(&wish->request, cli_options_name(options, id), options->value);
    }
}

/* All rows of the grid are asked for one by one: rows (Tq) is 0, 1, ... */
static int list_rows(const inputs *given, int32_t **rows) {
    int64_t queries = given->call.problem.queries;
    if (queries > INT32_MAX)
        return cli_failure("weights: %lld queries (allowed %d)", (long long)queries, INT32_MAX);
    *rows = malloc(sizeof **rows * (size_t)(queries + 1)); /* never of size 0 */
    if (*rows == NULL)
        return cli_failure("weights: no memory for %lld row numbers", (long long)queries);
    for (int32_t row = 0; row < queries; row++)
        (*rows)[row] = row;
    return CLI_DONE;
}

static attend_status forward(const inputs *given, const outputs *made, const int32_t *rows) {
    const forward_call *call = &given->call;
    attend_taps taps = attend_taps_init();
    taps.lse = made->view[OUTPUT_LSE];
    taps.row_weights = made->view[OUTPUT_WEIGHTS];
    if (rows != NULL)
        taps.rows = attend_in_dense(rows, ATTEND_I32, 1, &call->problem.queries);
    return attend_forward(given->ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &made->view[OUTPUT_O],
                          &taps);
}

static int compute(const inputs *given, const outputs *made, double *seconds) {
    int32_t *rows = NULL;
    int status = made->file[OUTPUT_WEIGHTS] == NULL ? CLI_DONE : list_rows(given, &rows);
    if (status != CLI_DONE)
        return status;
    double start = cli_seconds();
    attend_status result = forward(given, made, rows);
    *seconds = cli_seconds() - start;
    free(rows);
    return result == ATTEND_OK ? CLI_DONE : inputs_error(given, result);
}

static int report(const wishes *wish, const inputs *given, double seconds) {
    if (wish->verbose)
        run_report_notes(given, &wish->outputs, seconds);
    return wish->json ? run_report_json(given, &wish->outputs, seconds) : CLI_DONE;
}

/* Nothing to compute takes no path at all. */
static int check_path(const request *wish, const inputs *given) {
    if (wish->fast_only && strcmp(attend_ctx_path(given->ctx), "readable") == 0)
        return cli_usage_error("--path fast takes a scale and softcap of 0 or from 2^-100 to 2^100");
    return CLI_DONE;
}

static int run(wishes *wish, const inputs *given) {
    double seconds = 0;
    attend_dtype dtype = wish->dtype != 0 ? wish->dtype : (attend_dtype)given->stored[INPUT_Q].dtype;
    int status = outputs_allocate(given, dtype, &wish->outputs);
    if (status == CLI_DONE)
        status = compute(given, &wish->outputs, &seconds);
    if (status == CLI_DONE)
        status = check_path(&wish->request, given);
    if (status == CLI_DONE)
        status = outputs_write(given, &wish->outputs);
    return status == CLI_DONE ? report(wish, given, seconds) : status;
}

static int load_and_run(wishes *wish) {
    inputs given;
    int status = outputs_check(&wish->request, &wish->outputs);
    if (status != CLI_DONE)
        return status;
    status = inputs_load(&wish->request, &given);
    if (status == CLI_DONE)
        status = run(wish, &given);
    inputs_free(&given);
    outputs_free(&wish->outputs);
    return status;
}

int cmd_run(int argc, char **argv) {
    cli_options options = {
        .argc = argc, .argv = argv, .letters = help_run_short, .table = help_run_options, .letter = help_run_letter};
    wishes wish = {.request = request_init()};
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        if (id == OPTION_RUN_HELP)
            return cli_help(help_run_text);
        if (id == CLI_OPTIONS_WRONG || take_option(&wish, id, &options) != CLI_DONE)
            return CLI_USAGE;
    }
    if (cli_options_rest() < argc)
        return cli_usage_error("run takes no argument (found \"%s\")", argv[cli_options_rest()]);
    if (wish.outputs.file[OUTPUT_O] == NULL)
        return cli_usage_error("--output is missing: -o FILE says where the result goes");
    return load_and_run(&wish);
}
