#include <stdlib.h>
#include <string.h>

#include "bench_growth.h"
#include "bench_report.h"
#include "help_bench.h"
#include "inputs.h"
#include "isa.h"

static const char *const default_names[] = {"prefill-512", "prefill-2048", "causal-2048", "grouped",
                                            "decode-32",   "decode-8",     "decode-1",    "tiny"};
enum { DEFAULT_NAMES = sizeof default_names / sizeof *default_names };
static const char *const content_names[] = {"plain", "rising", "mask", "bias", "alibi"};

typedef struct wishes {
    request request;
    shape sizes;
    bench_content content;
    const char *taps[BENCH_TAPS_MAX];
    int tap_count;
    double seconds;
    attend_dtype cache;
    bool all_isas, growth, alone, list, machine, json;
    json_t *rows; /* NULL: text */
} wishes;

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* Each once, and none first: it is what the others are compared with. */
static void add_tap(wishes *wish, const char *name) {
    for (int i = 0; i < wish->tap_count; i++)
        if (strcmp(wish->taps[i], name) == 0)
            return;
    wish->taps[wish->tap_count++] = name;
}

static int take_tap(wishes *wish, const char *name, size_t length) {
    const char *names[BENCH_TAPS_MAX + 1];
    char word[32];
    int choice, count = 0;
    for (; bench_tap_names[count] != NULL; count++)
        names[count] = bench_tap_names[count];
    names[count] = "all";
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, name);
    if (cli_parse_choice("--taps", word, names, count + 1, &choice) != CLI_DONE)
        return CLI_USAGE;
    for (int i = 0; i < count; i++)
        if (choice == i || choice == count)
            add_tap(wish, names[i]);
    return CLI_DONE;
}

static int take_taps(wishes *wish, const char *value) {
    for (;; value++) {
        size_t length = strcspn(value, ",");
        if (take_tap(wish, value, length) != CLI_DONE)
            return CLI_USAGE;
        value += length;
        if (*value == 0)
            return CLI_DONE;
    }
}

static int take_content(wishes *wish, const char *value) {
    int choice = 0;
    int status =
        cli_parse_choice("--content", value, content_names, sizeof content_names / sizeof *content_names, &choice);
    wish->content = (bench_content)choice;
    return status;
}

static int take_cache(wishes *wish, const char *value) {
    static const attend_dtype types[] = {ATTEND_F16, ATTEND_BF16, ATTEND_F32, ATTEND_I8};
    return request_dtype_among("--cache", value, types, &wish->cache);
}

static int take_isa(wishes *wish, const char *value) {
    const char *names[ISAS_MAX + 1];
    int choice, count = isa_names(names);
    names[count] = "all";
    if (cli_parse_choice("--isa", value, names, count + 1, &choice) != CLI_DONE)
        return CLI_USAGE;
    wish->all_isas = choice == count;
    return wish->all_isas ? CLI_DONE : request_take(&wish->request, "isa", value);
}

static int take_switch(bool *wanted) {
    *wanted = true;
    return CLI_DONE;
}

static int take_option(wishes *wish, int id, const cli_options *options) {
    const char *name = cli_options_name(options, id), *value = options->value;
    switch (id) {
    case OPTION_BENCH_TAPS: return take_taps(wish, value);
    case OPTION_BENCH_CONTENT: return take_content(wish, value);
    case OPTION_BENCH_CACHE: return take_cache(wish, value);
    case OPTION_BENCH_ISA: return take_isa(wish, value);
    case OPTION_BENCH_SECONDS: return cli_parse_real("--seconds", value, 1e-6, 3600, &wish->seconds);
    case OPTION_BENCH_GROWTH: return take_switch(&wish->growth);
    case OPTION_BENCH_ALONE: return take_switch(&wish->alone);
    case OPTION_BENCH_LIST: return take_switch(&wish->list);
    case OPTION_BENCH_MACHINE: return take_switch(&wish->machine);
    case OPTION_BENCH_JSON: return take_switch(&wish->json);
    default: break;
    }
    int status = shape_take(&wish->sizes, name, value);
    return status == REQUEST_OTHER ? request_take(&wish->request, name, value) : status;
}

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

static int measure_on(const wishes *wish, const bench_shape *problem, const request *asked) {
    bench_plan plan = {problem, asked, {NULL}, wish->tap_count, wish->seconds, wish->alone, wish->cache};
    bench_row rows[BENCH_TAPS_MAX];
    memcpy(plan.taps, wish->taps, sizeof plan.taps);
    if (wish->growth)
        return bench_growth(&plan, wish->rows);
    int status = bench_measure(&plan, rows);
    for (int i = 0; i < plan.tap_count && status == CLI_DONE; i++)
        if (wish->rows != NULL)
            json_array_append_new(wish->rows, bench_report_json(&rows[i]));
        else
            bench_report_row(&rows[i]);
    return status;
}

static int measure(const wishes *wish, const bench_shape *problem) {
    request asked = wish->request;
    char window[32];
    int status = CLI_DONE;
    if (problem->window != 0)
        status = request_take(&asked, "causal", NULL);
    snprintf(window, sizeof window, "%lld,0", (long long)problem->window - 1);
    if (problem->window > 0)
        status = request_take(&asked, "window", window);
    if (asked.align == ALIGN_UNSAID)
        asked.align = ALIGN_LAST;
    if (!wish->all_isas)
        return status == CLI_DONE ? measure_on(wish, problem, &asked) : status;
    for (int isa = 1; strcmp(attend_isa_name((attend_isa)isa), "unknown") != 0 && status == CLI_DONE; isa++) {
        asked.isa = (attend_isa)isa;
        asked.isa_option = "--isa";
        if (attend_isa_refusal(asked.isa) == NULL)
            status = measure_on(wish, problem, &asked);
    }
    return status;
}

/* The code of the program is in memory from now on, so that it does not count as memory of the first problem. */
static int warm_up(const wishes *wish) {
    bench_shape small = bench_shapes[0];
    bench_row row;
    bench_plan plan = {&small, &wish->request, {bench_tap_names[0]}, 1, 0.001, false, (attend_dtype)0};
    small.sizes.queries = small.sizes.keys = 64;
    small.sizes.dtype = wish->sizes.dtype != 0 ? wish->sizes.dtype : ATTEND_F32;
    return bench_measure(&plan, &row);
}

static int measure_named(const wishes *wish, const char *name) {
    bench_shape problem = *bench_shape_named(name);
    if (wish->sizes.dtype != 0)
        problem.sizes.dtype = wish->sizes.dtype;
    return measure(wish, &problem);
}

static int measure_given(const wishes *wish) {
    bench_shape problem = {"as given", "", wish->sizes, 0, wish->content};
    return measure(wish, &problem);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static int print_names_json(void) {
    json_t *all = json_array();
    for (int i = 0; i < bench_shapes_count; i++) {
        const shape *s = &bench_shapes[i].sizes;
        json_array_append_new(all, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "name", bench_shapes[i].name,
                                             "what", bench_shapes[i].what, "heads", s->heads, "kv_heads", s->kv_heads,
                                             "width", s->width, "queries", s->queries, "keys", s->keys));
    }
    json_dumpf(all, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(all);
    return CLI_DONE;
}

static int print_names(void) {
    for (int i = 0; i < bench_shapes_count; i++) {
        const shape *s = &bench_shapes[i].sizes;
        printf("%-15s %lld/%lld heads of %lld, %lld queries, %lld keys: %s\n", bench_shapes[i].name,
               (long long)s->heads, (long long)s->kv_heads, (long long)s->width, (long long)s->queries,
               (long long)s->keys, bench_shapes[i].what);
    }
    return CLI_DONE;
}

/* Everything that is wrong is said before anything is measured. */
static int check_wishes(wishes *wish, const char *const *names, int count) {
    bool sizes = shape_has_sizes(&wish->sizes);
    if (wish->growth && wish->tap_count > 1)
        return cli_usage_error("--growth and --taps exclude each other");
    if (wish->alone && wish->tap_count == 1)
        return cli_usage_error("--alone needs --taps: what is looked at");
    if (wish->cache != 0 && wish->alone)
        return cli_usage_error("--cache and --alone exclude each other: attend_look is given tensors");
    if (wish->cache != 0 && (wish->request.align == ALIGN_FIRST || wish->request.align == ALIGN_OFFSET))
        return cli_usage_error("--cache has the queries at its end: not with --align first or --query-offset");
    if (count > 0 && sizes)
        return cli_usage_error("%s describes a problem, \"%s\" names one", wish->sizes.first, names[0]);
    if (wish->content != CONTENT_PLAIN && !sizes)
        return cli_usage_error("--content goes with --queries or --keys; named problems have their own");
    for (int i = 0; i < count; i++)
        if (bench_shape_named(names[i]) == NULL)
            return CLI_USAGE;
    int status = sizes ? shape_complete(&wish->request, &wish->sizes) : CLI_DONE;
    if (status == CLI_DONE && sizes && wish->growth && wish->sizes.keys < BENCH_GROWTH_LEAST)
        return cli_usage_error("--growth needs at least %d keys (found %lld)", BENCH_GROWTH_LEAST,
                               (long long)wish->sizes.keys);
    return status;
}

static int measure_all(const wishes *wish, const char *const *names, int count) {
    int status = warm_up(wish);
    if (status != CLI_DONE)
        return status;
    if (!wish->json && !wish->growth)
        bench_report_header();
    if (shape_has_sizes(&wish->sizes))
        return measure_given(wish);
    for (int i = 0; i < count && status == CLI_DONE; i++)
        status = measure_named(wish, names[i]);
    return status;
}

static int bench_all(wishes *wish, const char *const *names, int count) {
    inputs machine;
    int status = check_wishes(wish, names, count);
    if (status != CLI_DONE)
        return status;
    status = inputs_none(&wish->request, &machine);
    if (status != CLI_DONE)
        return status;
    json_t *found = bench_machine(attend_ctx_threads(machine.ctx));
    inputs_free(&machine);
    wish->rows = wish->json ? json_array() : NULL;
    if (!wish->json)
        bench_report_machine(found);
    if (!wish->machine)
        status = count > 0 ? measure_all(wish, names, count) : measure_all(wish, default_names, DEFAULT_NAMES);
    if (status == CLI_DONE && wish->json) {
        json_t *all = json_pack("{s:O, s:O}", "machine", found, wish->growth ? "growth" : "rows", wish->rows);
        json_dumpf(all, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(all);
    }
    json_decref(wish->rows);
    json_decref(found);
    return status;
}

int cmd_bench(int argc, char **argv) {
    cli_options options = {.argc = argc,
                           .argv = argv,
                           .letters = help_bench_short,
                           .table = help_bench_options,
                           .letter = help_bench_letter};
    wishes wish = {.request = request_init(), .seconds = 1};
    wish.taps[wish.tap_count++] = bench_tap_names[0];
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        if (id == OPTION_BENCH_HELP)
            return cli_help(help_bench_text);
        if (id == CLI_OPTIONS_WRONG || take_option(&wish, id, &options) != CLI_DONE)
            return CLI_USAGE;
    }
    if (wish.list)
        return wish.json ? print_names_json() : print_names();
    return bench_all(&wish, (const char *const *)argv + cli_options_rest(), argc - cli_options_rest());
}
