#include "run_report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double scale_used(const attend_problem *problem) {
    bool exact = problem->scale != 0 || (problem->flags & ATTEND_EXACT_SCALE) != 0;
    return exact ? problem->scale : 1 / sqrt((double)problem->head_width);
}

static json_t *describe(const char *file, const attend_in *tensor) {
    json_t *shape = json_array();
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        json_array_append_new(shape, json_integer(tensor->shape[axis]));
    return json_pack("{s:s%, s:s, s:o}", "file", file, strlen(file), "dtype",
                     attend_dtype_name((attend_dtype)tensor->dtype), "shape", shape);
}

static json_t *describe_inputs(const inputs *given) {
    json_t *all = json_object();
    for (int input = 0; input < INPUTS; input++)
        if (given->source[input] != NULL)
            json_object_set_new(all, input_names[input], describe(given->source[input], &given->stored[input]));
    return all;
}

static json_t *describe_outputs(const outputs *made) {
    json_t *all = json_object();
    for (int output = 0; output < OUTPUTS; output++) {
        attend_in tensor = attend_read(made->stored[output]);
        if (made->file[output] != NULL)
            json_object_set_new(all, output_names[output], describe(made->file[output], &tensor));
    }
    return all;
}

/* One number, one for each batch row or sequence, or null where nothing depends on it. */
static json_t *offset_used(const inputs *given) {
    const attend_in *offsets = &given->call.extra.query_offsets;
    if (!given->offset_matters)
        return json_null();
    if (offsets->data == NULL)
        return json_integer(given->call.problem.query_offset);
    json_t *list = json_array();
    for (int64_t row = 0; row < offsets->shape[0]; row++)
        json_array_append_new(list, json_integer(((const int32_t *)offsets->data)[row * offsets->stride[0]]));
    return list;
}

static json_t *limit_used(const attend_problem *problem, uint32_t flag, int64_t limit) {
    return problem->flags & flag ? json_integer(limit) : json_null();
}

static json_t *describe_problem(const inputs *given) {
    const attend_problem *problem = &given->call.problem;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o}", "batch", problem->batch, "heads",
                     problem->heads, "kv_heads", problem->kv_heads, "queries", problem->queries, "keys", problem->keys,
                     "head_width", problem->head_width, "value_width", problem->value_width, "scale",
                     scale_used(problem), "softcap", problem->softcap, "query_offset", offset_used(given), "ahead",
                     limit_used(problem, ATTEND_LIMIT_AHEAD, problem->ahead), "back",
                     limit_used(problem, ATTEND_LIMIT_BACK, problem->back));
}

/* Where there was nothing to compute, no path was taken. */
static json_t *path_taken(const inputs *given) {
    const char *path = attend_ctx_path(given->ctx);
    return path[0] == 0 ? json_null() : json_string(path);
}

int run_report_json(const inputs *given, const outputs *made, double seconds) {
    json_t *report =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:i, s:f}", "layout", given->layout, "inputs", describe_inputs(given),
                  "outputs", describe_outputs(made), "problem", describe_problem(given), "path", path_taken(given),
                  "isa", attend_isa_name(attend_ctx_isa(given->ctx)), "threads", attend_ctx_threads(given->ctx),
                  "seconds", seconds);
    if (report == NULL)
        return cli_failure("the report cannot be written as JSON: no memory, or a file name is not UTF-8");
    json_dumpf(report, stdout, JSON_INDENT(2));
    json_decref(report);
    printf("\n");
    return CLI_DONE;
}

static void note_offset(const inputs *given) {
    json_t *offset = offset_used(given);
    char *text = json_dumps(offset, JSON_ENCODE_ANY);
    if (!given->offset_matters)
        cli_note("nothing depends on where the queries stand");
    else if (text != NULL)
        cli_note("query_offset %s", text);
    free(text);
    json_decref(offset);
}

void run_report_notes(const inputs *given, const outputs *made, double seconds) {
    const attend_problem *problem = &given->call.problem;
    cli_note("batch %lld, heads %lld, kv_heads %lld, queries %lld, keys %lld, head_width %lld, value_width %lld",
             (long long)problem->batch, (long long)problem->heads, (long long)problem->kv_heads,
             (long long)problem->queries, (long long)problem->keys, (long long)problem->head_width,
             (long long)problem->value_width);
    cli_note("layout %s, scale %.17g", given->layout, scale_used(problem));
    note_offset(given);
    for (int output = 0; output < OUTPUTS; output++)
        if (made->file[output] != NULL)
            cli_note("%s written to %s", output_names[output], made->file[output]);
    const char *path = attend_ctx_path(given->ctx);
    cli_note("path %s, isa %s, threads %d, %.3g s", path[0] == 0 ? "none" : path,
             attend_isa_name(attend_ctx_isa(given->ctx)), (int)attend_ctx_threads(given->ctx), seconds);
}
