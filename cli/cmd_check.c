#include <math.h>
#include <stdlib.h>

#include "bench_data.h"
#include "check_bits.h"
#include "check_random.h"
#include "check_report.h"
#include "help_check.h"

enum { CASES_DEFAULT = 300 };

static const int64_t number_most = 1000000000000;

typedef struct wishes {
    request request;
    uint64_t seed;
    int64_t first, cases; /* random cases first to first + cases - 1 */
    double minutes;       /* as many as fit in them, when amount is --minutes */
    bool json, bits;
    shape sizes;        /* of a problem for --bits */
    const char *amount; /* --cases, --case or --minutes; NULL: none given */
    const char *random; /* an option about random cases, or NULL */
    const char *given;  /* an option about a given problem, or NULL */
} wishes;

static int take_seed(wishes *wish, const char *value) {
    int64_t seed = 0;
    int status = cli_parse_int("--seed", value, 0, INT64_MAX, &seed);
    wish->seed = (uint64_t)seed;
    return status;
}

static int take_amount(wishes *wish, int id, const char *option, const char *value) {
    if (wish->amount != NULL)
        return cli_usage_error("%s and %s exclude each other", wish->amount, option);
    wish->amount = option;
    if (id == OPTION_CHECK_CASES)
        return cli_parse_int(option, value, 1, number_most, &wish->cases);
    if (id == OPTION_CHECK_CASE) {
        wish->cases = 1;
        return cli_parse_int(option, value, 0, number_most, &wish->first);
    }
    wish->cases = number_most;
    return cli_parse_real(option, value, 1e-6, 1e6, &wish->minutes);
}

static int take_random_option(wishes *wish, int id, const char *value) {
    switch (id) {
    case OPTION_CHECK_SEED: wish->random = "--seed"; return take_seed(wish, value);
    case OPTION_CHECK_CASES: wish->random = "--cases"; return take_amount(wish, id, "--cases", value);
    case OPTION_CHECK_CASE: wish->random = "--case"; return take_amount(wish, id, "--case", value);
    default: wish->random = "--minutes"; return take_amount(wish, id, "--minutes", value);
    }
}

static int take_problem_option(wishes *wish, const char *name, const char *value) {
    int status = shape_take(&wish->sizes, name, value);
    return status == REQUEST_OTHER ? request_take(&wish->request, name, value) : status;
}

static int take_option(wishes *wish, int id, const cli_options *options) {
    switch (id) {
    case OPTION_CHECK_BITS: wish->bits = true; return CLI_DONE;
    case OPTION_CHECK_JSON: wish->json = true; return CLI_DONE;
    case OPTION_CHECK_SEED:
    case OPTION_CHECK_CASES:
    case OPTION_CHECK_CASE:
    case OPTION_CHECK_MINUTES: return take_random_option(wish, id, options->value);
    default:
        if (id != OPTION_CHECK_ISA && id != OPTION_CHECK_THREADS)
            wish->given = cli_options_name(options, id);
        return take_problem_option(wish, cli_options_name(options, id), options->value);
    }
}

static int read_options(wishes *wish, int argc, char **argv, bool *help) {
    cli_options options = {.argc = argc,
                           .argv = argv,
                           .letters = help_check_short,
                           .table = help_check_options,
                           .letter = help_check_letter};
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        *help = id == OPTION_CHECK_HELP;
        if (*help)
            return CLI_DONE;
        if (id == CLI_OPTIONS_WRONG || take_option(wish, id, &options) != CLI_DONE)
            return CLI_USAGE;
    }
    if (cli_options_rest() < argc)
        return cli_usage_error("check takes no argument (found \"%s\")", argv[cli_options_rest()]);
    if (wish->given != NULL && wish->random != NULL)
        return cli_usage_error("--%s describes a given problem, %s random ones", wish->given, wish->random);
    if (wish->sizes.first != NULL && !wish->bits)
        return cli_usage_error("%s goes with --bits", wish->sizes.first);
    if (wish->bits && wish->given == NULL)
        return cli_usage_error("--bits needs a problem: --queries or --keys, or files");
    return CLI_DONE;
}

/* ---- One case after another -------------------------------------------------------------------------------------- */

typedef struct checker {
    attend_ctx *ctx;
    attend_ctx *other;
    tally *tallies;
} checker;

static attend_status compare_all(checker *all, check_case *at, int64_t number, const char *text) {
    for (int index = 0; index < check_comparisons_count; index++) {
        const comparison *way = &check_comparisons[index];
        finding found = {false, 0, way->exact ? 0 : check_bound(at)};
        attend_status status = way->run(at, &found);
        if (status != ATTEND_OK)
            return status;
        tally_add(&all->tallies[index], &found, number, text);
    }
    return ATTEND_OK;
}

static attend_status check_call(checker *all, const forward_call *call, int64_t number, const char *text) {
    check_case at = {.ctx = all->ctx, .other = all->other, .call = call};
    attend_status status = check_case_begin(&at);
    if (status == ATTEND_OK)
        status = compare_all(all, &at, number, text);
    check_memory_release(&at.memory);
    return status;
}

/* A random problem is a right one: any error means that the library is wrong. */
static int check_random_case(checker *all, uint64_t seed, int64_t number) {
    check_memory memory = {NULL};
    forward_call call;
    char text[RANDOM_TEXT_MAX];
    bool made = random_call(&memory, seed, (uint64_t)number, &call, text);
    int status = made ? CLI_DONE : cli_failure("no memory for case %lld", (long long)number);
    if (made) {
        attend_status result = check_call(all, &call, number, text);
        if (result != ATTEND_OK)
            status = cli_failure("case %lld (%s): %s", (long long)number, text,
                                 result == ATTEND_MEMORY ? "no memory" : attend_message(all->ctx));
    }
    check_memory_release(&memory);
    return status;
}

static int check_random_cases(const wishes *wish, checker *all, int64_t *done) {
    bool timed = wish->amount != NULL && strcmp(wish->amount, "--minutes") == 0;
    double start = cli_seconds(), share = 0;
    int status = CLI_DONE;
    for (*done = 0; status == CLI_DONE && *done < wish->cases && share < 1; ++*done) {
        status = check_random_case(all, wish->seed, wish->first + *done);
        share = timed ? (cli_seconds() - start) / (60 * wish->minutes) : (double)(*done + 1) / (double)wish->cases;
        cli_progress("checking", fmin(share, 1));
    }
    return status;
}

static int check_given(checker *all, const inputs *given) {
    attend_status status = check_call(all, &given->call, 0, "as given");
    if (status == ATTEND_MEMORY)
        return cli_failure("no memory: check stores several grids of queries times keys");
    return status == ATTEND_OK ? CLI_DONE : inputs_error(given, status);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

/* One thread where the other context has more, and three where it has one. */
static int make_other(checker *all) {
    attend_config config = attend_config_init();
    config.threads = attend_ctx_threads(all->ctx) == 1 ? 3 : 1;
    config.isa = ATTEND_ISA_PORTABLE;
    attend_status status = attend_ctx_create(&config, &all->other);
    all->tallies = calloc((size_t)check_comparisons_count, sizeof *all->tallies);
    if (status == ATTEND_OK && all->tallies == NULL)
        status = ATTEND_MEMORY;
    return status == ATTEND_OK ? CLI_DONE : cli_library_error(NULL, status);
}

static int check(const wishes *wish, checker *all, const inputs *given) {
    check_report report = {all->ctx, wish->given == NULL, wish->seed, 1, all->tallies};
    int status = report.random ? check_random_cases(wish, all, &report.cases) : check_given(all, given);
    return status == CLI_DONE ? check_report_print(&report, wish->json) : status;
}

/* The given problem, or random numbers of the given sizes. */
static int check_bits_wished(wishes *wish) {
    bench_data data = {.count = 0};
    inputs given = {.ctx = NULL};
    attend_in made[3];
    bool sizes = shape_has_sizes(&wish->sizes);
    int status = sizes ? shape_complete(&wish->request, &wish->sizes) : inputs_load(&wish->request, &given);
    if (status == CLI_DONE && sizes)
        status = bench_tensors(&data, &wish->sizes, CONTENT_PLAIN, made);
    if (status == CLI_DONE && sizes)
        status = inputs_made(&wish->request, made, &given);
    if (status == CLI_DONE)
        status = check_bits_of(&given, wish->json);
    inputs_free(&given);
    bench_data_free(&data);
    return status;
}

int cmd_check(int argc, char **argv) {
    wishes wish = {.request = request_init(), .seed = 1, .cases = CASES_DEFAULT};
    bool help = false;
    inputs given;
    checker all = {NULL, NULL, NULL};
    int status = read_options(&wish, argc, argv, &help);
    if (help || status != CLI_DONE)
        return help ? cli_help(help_check_text) : status;
    if (wish.bits)
        return check_bits_wished(&wish);
    if (wish.given == NULL && wish.request.threads == 0)
        wish.request.threads = 1; /* random problems are small: threads would mostly wait for each other */
    status = wish.given != NULL ? inputs_load(&wish.request, &given) : inputs_none(&wish.request, &given);
    all.ctx = given.ctx;
    if (status == CLI_DONE)
        status = make_other(&all);
    if (status == CLI_DONE)
        status = check(&wish, &all, &given);
    free(all.tallies);
    attend_ctx_destroy(all.other);
    inputs_free(&given);
    return status;
}
