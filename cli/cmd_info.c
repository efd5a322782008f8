#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "help_info.h"
#include "isa.h"

enum { LINE_MAX_BYTES = 8192 };

static const char *const paths[] = {"fast", "readable", NULL};
static const char *const files[] = {"npy", "safetensors", "json", NULL};

/* Of all that /proc/cpuinfo lists, what matters for arithmetic. */
static const char *const features[] = {"sse4_2",      "avx",      "avx2",     "fma",      "f16c",
                                       "avx512f",     "avx512bw", "avx512vl", "avx512dq", "avx512_bf16",
                                       "avx512_fp16", "amx_bf16", "asimd",    "asimdhp",  "asimddp",
                                       "bf16",        "i8mm",     "sve",      "sve2",     NULL};

/* Limits of attend.h and files.h. */
static const struct {
    const char *name;
    int64_t most;
} limits[] = {
    {"rank", ATTEND_RANK_MAX},   {"threads", 1024},
    {"npy_header_bytes", 10000}, {"safetensors_header_bytes", 100000000},
    {"tensor_name_bytes", 1024}, {"example_bytes", 16 << 20},
    {"json_depth", 64},
};

enum { LIMITS = sizeof limits / sizeof limits[0] };

static json_t *names(const char *const *list) {
    json_t *array = json_array();
    for (; *list != NULL; list++)
        json_array_append_new(array, json_string(*list));
    return array;
}

static json_t *dtypes(void) {
    static const attend_dtype all[] = {ATTEND_F16, ATTEND_BF16, ATTEND_F32, ATTEND_F64, ATTEND_U8, ATTEND_I32};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        json_array_append_new(array, json_string(attend_dtype_name(all[i])));
    return array;
}

/* The value of the first line of /proc/cpuinfo whose key is one of two, in line; "" when there is none. */
static const char *cpu_line(const char *key, const char *other, char *line) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, LINE_MAX_BYTES, file) != NULL) {
        size_t length = strcspn(line, "\t:");
        char *value = strstr(line, ": ");
        line[length] = 0;
        if (value != NULL && (strcmp(line, key) == 0 || strcmp(line, other) == 0)) {
            fclose(file);
            value[strcspn(value, "\n")] = 0;
            return value + 2;
        }
    }
    if (file != NULL)
        fclose(file);
    return "";
}

static json_t *cpu_features(void) {
    char line[LINE_MAX_BYTES], padded[LINE_MAX_BYTES + 2], word[32];
    json_t *found = json_array();
    snprintf(padded, sizeof padded, " %s ", cpu_line("flags", "Features", line));
    for (const char *const *feature = features; *feature != NULL; feature++) {
        snprintf(word, sizeof word, " %s ", *feature);
        if (strstr(padded, word) != NULL)
            json_array_append_new(found, json_string(*feature));
    }
    return found;
}

static json_t *cpu(void) {
    char line[LINE_MAX_BYTES];
    const char *name = cpu_line("model name", "Processor", line);
    return json_pack("{s:s, s:o}", "name", name[0] == 0 ? "unknown" : name, "features", cpu_features());
}

static json_t *limit_table(void) {
    json_t *table = json_object();
    for (size_t i = 0; i < LIMITS; i++)
        json_object_set_new(table, limits[i].name, json_integer(limits[i].most));
    return table;
}

static const char *compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static json_t *report(const attend_ctx *ctx) {
    return json_pack("{s:s, s:s, s:o, s:i, s:s, s:o, s:o, s:o, s:o}", "version", attend_version_text(), "compiler",
                     compiler(), "cpu", cpu(), "threads", attend_ctx_threads(ctx), "isa",
                     attend_isa_name(attend_ctx_isa(ctx)), "paths", names(paths), "types", dtypes(), "files",
                     names(files), "limits", limit_table());
}

static void print_list(const char *title, const json_t *list) {
    printf("%-10s", title);
    for (size_t i = 0; i < json_array_size(list); i++)
        printf(" %s", json_string_value(json_array_get(list, i)));
    printf("\n");
}

static void print_text(const json_t *all) {
    const json_t *processor = json_object_get(all, "cpu");
    printf("attend     %s\n", attend_version_text());
    printf("compiler   %s\n", compiler());
    printf("cpu        %s\n", json_string_value(json_object_get(processor, "name")));
    print_list("features", json_object_get(processor, "features"));
    printf("threads    %lld\n", (long long)json_integer_value(json_object_get(all, "threads")));
    printf("isa        %s\n", json_string_value(json_object_get(all, "isa")));
    print_list("paths", json_object_get(all, "paths"));
    print_list("types", json_object_get(all, "types"));
    print_list("files", json_object_get(all, "files"));
    for (size_t i = 0; i < LIMITS; i++)
        printf("%-10s %s %lld\n", i == 0 ? "limits" : "", limits[i].name, (long long)limits[i].most);
}

static int print_report(bool json) {
    attend_ctx *ctx = NULL;
    int status = isa_context(attend_config_init(), NULL, &ctx);
    if (status != CLI_DONE)
        return status;
    json_t *all = report(ctx);
    if (!json)
        print_text(all);
    else {
        json_dumpf(all, stdout, JSON_INDENT(2));
        printf("\n");
    }
    json_decref(all);
    attend_ctx_destroy(ctx);
    return CLI_DONE;
}

int cmd_info(int argc, char **argv) {
    cli_options options = {
        .argc = argc, .argv = argv, .letters = help_info_short, .table = help_info_options, .letter = help_info_letter};
    bool json = false;
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        if (id == OPTION_INFO_HELP)
            return cli_help(help_info_text);
        if (id == CLI_OPTIONS_WRONG)
            return CLI_USAGE;
        json = true;
    }
    if (cli_options_rest() < argc)
        return cli_usage_error("info takes no argument (found \"%s\")", argv[cli_options_rest()]);
    return print_report(json);
}
