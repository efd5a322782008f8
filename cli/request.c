#include "request.h"

#include <math.h>
#include <string.h>

#include "isa.h"
#include "layout.h"

static const int64_t position_most = INT64_C(1) << 60; /* the bound of attend.h */

const char *const input_names[INPUTS] = {
    "q", "k", "v", "mask", "bias", "slopes", "sinks", "key_count", "query_offsets", "query_starts", "key_starts",
};

static const char *const align_names[] = {"first", "last"};
static const char *const path_names[] = {"fast", "readable"};

request request_init(void) {
    request wish = {.problem = attend_problem_init()};
    return wish;
}

static void depends_on_offset(request *wish, const char *option) {
    if (wish->needs_offset == NULL)
        wish->needs_offset = option;
}

/* Limits of several options hold together: the narrower one counts. */
static void limit_ahead(request *wish, int64_t ahead) {
    attend_problem *problem = &wish->problem;
    if (!(problem->flags & ATTEND_LIMIT_AHEAD) || ahead < problem->ahead)
        problem->ahead = ahead;
    problem->flags |= ATTEND_LIMIT_AHEAD;
}

static int take_causal(request *wish, const char *value) {
    (void)value;
    limit_ahead(wish, 0);
    depends_on_offset(wish, "--causal");
    return CLI_DONE;
}

/* "inf" is no limit. */
static int read_distance(const char *text, bool *limited, int64_t *distance) {
    *limited = strcmp(text, "inf") != 0;
    return *limited ? cli_parse_int("--window", text, 0, position_most, distance) : CLI_DONE;
}

static int limit_both(request *wish, const char *back_text, const char *ahead_text) {
    int64_t back, ahead;
    bool limits_back, limits_ahead;
    if (read_distance(back_text, &limits_back, &back) != CLI_DONE ||
        read_distance(ahead_text, &limits_ahead, &ahead) != CLI_DONE)
        return CLI_USAGE;
    if (limits_ahead)
        limit_ahead(wish, ahead);
    if (limits_back) {
        wish->problem.back = back;
        wish->problem.flags |= ATTEND_LIMIT_BACK;
    }
    if (limits_back || limits_ahead)
        depends_on_offset(wish, "--window");
    return CLI_DONE;
}

static int take_window(request *wish, const char *value) {
    char back[32];
    size_t length = strcspn(value, ",");
    const char *ahead = value + length + 1;
    bool two = length > 0 && value[length] != 0 && ahead[0] != 0 && strchr(ahead, ',') == NULL;
    if (!two || length >= sizeof back)
        return cli_usage_error("--window: \"%s\" is not BACK,AHEAD (two whole numbers, or inf for no limit)", value);
    snprintf(back, sizeof back, "%.*s", (int)length, value);
    return limit_both(wish, back, ahead);
}

static int take_alignment(request *wish, alignment align, const char *option) {
    static const char *const given[] = {"", "--align", "--align", "--query-offset"};
    if (wish->align != ALIGN_UNSAID)
        return cli_usage_error("%s and %s exclude each other", given[wish->align], option);
    wish->align = align;
    return CLI_DONE;
}

static int take_align(request *wish, const char *value) {
    int choice;
    if (cli_parse_choice("--align", value, align_names, 2, &choice) != CLI_DONE)
        return CLI_USAGE;
    return take_alignment(wish, choice == 0 ? ALIGN_FIRST : ALIGN_LAST, "--align");
}

static int take_query_offset(request *wish, const char *value) {
    if (cli_parse_int("--query-offset", value, -position_most, position_most, &wish->problem.query_offset) != CLI_DONE)
        return CLI_USAGE;
    return take_alignment(wish, ALIGN_OFFSET, "--query-offset");
}

static int take_scale(request *wish, const char *value) {
    wish->problem.flags |= ATTEND_EXACT_SCALE; /* else 0 would mean the default */
    return cli_parse_real("--scale", value, -INFINITY, INFINITY, &wish->problem.scale);
}

static int take_softcap(request *wish, const char *value) {
    return cli_parse_real("--softcap", value, 0, INFINITY, &wish->problem.softcap);
}

static int take_layout(request *wish, const char *value) {
    int choice;
    if (cli_parse_choice("--layout", value, layout_names, LAYOUTS, &choice) != CLI_DONE)
        return CLI_USAGE;
    wish->layout = layout_names[choice];
    return CLI_DONE;
}

static int take_threads(request *wish, const char *value) {
    int64_t threads;
    if (cli_parse_int("--threads", value, 1, 1024, &threads) != CLI_DONE)
        return CLI_USAGE;
    wish->threads = (int32_t)threads;
    return CLI_DONE;
}

static int take_isa(request *wish, const char *value) {
    wish->isa_option = "--isa";
    return isa_parse(wish->isa_option, value, &wish->isa);
}

static int take_path(request *wish, const char *value) {
    int choice;
    if (cli_parse_choice("--path", value, path_names, sizeof path_names / sizeof path_names[0], &choice) != CLI_DONE)
        return CLI_USAGE;
    wish->fast_only = choice == 0;
    if (choice == 1)
        wish->problem.flags |= ATTEND_READABLE;
    return CLI_DONE;
}

static int take_archive(request *wish, const char *value) {
    wish->archive = value;
    return CLI_DONE;
}

static const struct {
    const char *name;
    int (*take)(request *wish, const char *value);
} takers[] = {
    {"causal", take_causal}, {"window", take_window},   {"align", take_align},   {"query-offset", take_query_offset},
    {"scale", take_scale},   {"softcap", take_softcap}, {"layout", take_layout}, {"threads", take_threads},
    {"isa", take_isa},       {"path", take_path},       {"in", take_archive},
};

/* "key-count" is "key_count". */
static bool same_name(const char *option, const char *name) {
    for (; *option != 0 && *name != 0; option++, name++)
        if (*option != *name && !(*option == '-' && *name == '_'))
            return false;
    return *option == *name;
}

int request_take(request *wish, const char *name, const char *value) {
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        if (strcmp(takers[i].name, name) == 0)
            return takers[i].take(wish, value);
    for (int input = 0; input < INPUTS; input++)
        if (same_name(name, input_names[input])) {
            wish->file[input] = value;
            return CLI_DONE;
        }
    return REQUEST_OTHER;
}

int request_dtype_among(const char *option, const char *value, const attend_dtype types[REQUEST_DTYPES],
                        attend_dtype *dtype) {
    const char *names[REQUEST_DTYPES];
    int choice;
    for (int i = 0; i < REQUEST_DTYPES; i++)
        names[i] = attend_dtype_name(types[i]);
    if (cli_parse_choice(option, value, names, REQUEST_DTYPES, &choice) != CLI_DONE)
        return CLI_USAGE;
    *dtype = types[choice];
    return CLI_DONE;
}

int request_dtype(const char *value, attend_dtype *dtype) {
    static const attend_dtype types[] = {ATTEND_F16, ATTEND_BF16, ATTEND_F32, ATTEND_F64};
    return request_dtype_among("--dtype", value, types, dtype);
}
