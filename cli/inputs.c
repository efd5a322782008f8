#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "isa.h"
#include "layout.h"

static int open_file(inputs *given, const char *path, int place) {
    attend_status status = attend_file_open(given->ctx, path, &given->files[place]);
    return status == ATTEND_OK ? CLI_DONE : cli_library_error(given->ctx, status);
}

static int find_tensor(inputs *given, int input, int place, const char *path, const char *name) {
    attend_status status = attend_file_find(given->ctx, given->files[place], name, &given->stored[input]);
    if (status != ATTEND_OK)
        return cli_library_error(given->ctx, status);
    given->source[input] = path;
    return CLI_DONE;
}

/* An npy file holds one tensor without a name; in a file of many it has the name of its option. */
static int load_input(const request *wish, inputs *given, int input) {
    const char *path = wish->file[input];
    int status = open_file(given, path, input);
    if (status != CLI_DONE)
        return status;
    const char *first = attend_file_name(given->files[input], 0);
    bool nameless = first != NULL && first[0] == 0;
    return find_tensor(given, input, input, path, nameless ? "" : input_names[input]);
}

static int load_inputs(const request *wish, inputs *given) {
    int status = CLI_DONE;
    for (int input = 0; input < INPUTS && status == CLI_DONE; input++)
        if (wish->file[input] != NULL)
            status = load_input(wish, given, input);
    return status;
}

static int input_of(const char *name) {
    int input = 0;
    while (input < INPUTS && strcmp(input_names[input], name) != 0)
        input++;
    return input;
}

static int load_from_archive(const request *wish, inputs *given, int input) {
    if (given->source[input] != NULL)
        return cli_usage_error("%s is given twice, as %s and in %s", input_names[input], given->source[input],
                               wish->archive);
    return find_tensor(given, input, INPUTS, wish->archive, input_names[input]);
}

/* Tensors of other names may be there, but never unnoticed: one may be a misspelt mask. */
static int load_archive(const request *wish, inputs *given) {
    const char *stranger = NULL;
    int status = open_file(given, wish->archive, INPUTS);
    int64_t count = status == CLI_DONE ? attend_file_count(given->files[INPUTS]) : 0;
    if (count == 1 && attend_file_name(given->files[INPUTS], 0)[0] == 0)
        return cli_usage_error("--in takes a .safetensors file; %s is an .npy file, for --q, --k and --v",
                               wish->archive);
    for (int64_t index = 0; index < count && status == CLI_DONE; index++) {
        const char *name = attend_file_name(given->files[INPUTS], index);
        int input = input_of(name);
        if (input < INPUTS)
            status = load_from_archive(wish, given, input);
        else if (stranger == NULL)
            stranger = name;
    }
    if (stranger != NULL)
        cli_note("%s: tensors of other names than attend's are left alone, such as \"%s\"", wish->archive, stranger);
    return status;
}

/* The file may hold int64 or int8: what is read of it is not what the user knows it as. */
static const char *kind_text(const attend_in *tensor) {
    switch (tensor->dtype) {
    case ATTEND_I32: return "whole numbers";
    case ATTEND_U8: return "bool (u8)";
    default: return attend_dtype_name((attend_dtype)tensor->dtype);
    }
}

static int check_kind(const inputs *given, int input, bool is_right, const char *advice) {
    const attend_in *tensor = &given->stored[input];
    if (given->source[input] == NULL || is_right)
        return CLI_DONE;
    return cli_usage_error("%s: %s holds %s: %s", given->source[input], input_names[input], kind_text(tensor), advice);
}

static int check_kinds(const inputs *given) {
    static const char numbers[] = "it must be f16, bf16, f32 or f64", whole[] = "it must be whole numbers, of any size";
    int status = CLI_DONE;
    for (int input = 0; input < INPUTS && status == CLI_DONE; input++) {
        int32_t dtype = given->stored[input].dtype;
        bool is_number = dtype != ATTEND_U8 && dtype != ATTEND_I32;
        if (input == INPUT_MASK)
            status = check_kind(given, input, dtype == ATTEND_U8,
                                "a mask is bool or u8, true where the key may be seen; use --bias for numbers to add");
        else if (input == INPUT_BIAS)
            status = check_kind(given, input, is_number,
                                "a bias is numbers to add to the scores; use --mask for true and false");
        else if (input >= INPUT_KEY_COUNT)
            status = check_kind(given, input, dtype == ATTEND_I32, whole);
        else
            status = check_kind(given, input, is_number, numbers);
    }
    return status;
}

const char *inputs_shape_text(const attend_in *tensor, char text[SHAPE_TEXT_MAX]) {
    size_t length = 0;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        length += (size_t)snprintf(text + length, SHAPE_TEXT_MAX - length, "%s%lld", axis == 0 ? "(" : ", ",
                                   (long long)tensor->shape[axis]);
    snprintf(text + length, SHAPE_TEXT_MAX - length, tensor->rank == 0 ? "()" : ")");
    return text;
}

/* "; k is f32 (2, 5, 4) in k.npy as HTD"; first: without what divides it from the one before */
static void describe(const inputs *given, int input, bool first, char *text, size_t size) {
    char shape[SHAPE_TEXT_MAX];
    const attend_in *tensor = &given->stored[input];
    bool has_layout = input <= INPUT_V && strcmp(given->layout, "BHTD") != 0;
    snprintf(text, size, "%s%s is %s %s in %s%s%s", first ? "" : "; ", input_names[input], kind_text(tensor),
             inputs_shape_text(tensor, shape), given->source[input], has_layout ? " as " : "",
             has_layout ? given->layout : "");
}

int inputs_error(const inputs *given, attend_status status) {
    char text[2048] = "";
    size_t length = 0;
    int exit_status = cli_library_error(given->ctx, status);
    if (exit_status != CLI_USAGE)
        return exit_status;
    for (int input = 0; input < INPUTS && length < sizeof text - 1; input++)
        if (given->source[input] != NULL) {
            describe(given, input, length == 0, text + length, sizeof text - length);
            length = strlen(text);
        }
    if (text[0] != 0)
        cli_hint("axes are counted as B, H, T, D; %s", text);
    return exit_status;
}

static int choose_layout(const request *wish, inputs *given) {
    int32_t rank = given->stored[INPUT_Q].rank;
    given->layout = wish->layout != NULL ? wish->layout : layout_of_rank(rank);
    if (given->layout == NULL)
        return cli_usage_error("%s: q has rank %d (allowed 2 to 4)", given->source[INPUT_Q], (int)rank);
    for (int input = INPUT_Q; input <= INPUT_V; input++)
        if (given->stored[input].rank != (int32_t)strlen(given->layout)) {
            char text[SHAPE_TEXT_MAX];
            return cli_usage_error("%s: %s has the shape %s, but the layout %s%s has %d axes", given->source[input],
                                   input_names[input], inputs_shape_text(&given->stored[input], text), given->layout,
                                   wish->layout != NULL ? "" : ", that of q,", (int)strlen(given->layout));
        }
    return CLI_DONE;
}

static void make_extra(inputs *given) {
    attend_extra *extra = &given->call.extra;
    *extra = attend_extra_init();
    extra->mask = given->stored[INPUT_MASK];
    extra->bias = given->stored[INPUT_BIAS];
    extra->slopes = given->stored[INPUT_SLOPES];
    extra->sinks = given->stored[INPUT_SINKS];
    extra->key_count = given->stored[INPUT_KEY_COUNT];
    extra->query_offsets = given->stored[INPUT_QUERY_OFFSETS];
    extra->query_starts = given->stored[INPUT_QUERY_STARTS];
    extra->key_starts = given->stored[INPUT_KEY_STARTS];
}

static int make_call(const request *wish, inputs *given) {
    forward_call *call = &given->call;
    call->q = layout_view(given->layout, &given->stored[INPUT_Q]);
    call->k = layout_view(given->layout, &given->stored[INPUT_K]);
    call->v = layout_view(given->layout, &given->stored[INPUT_V]);
    call->problem = wish->problem;
    make_extra(given);
    attend_status status = attend_problem_from(given->ctx, &call->q, &call->k, &call->v, &call->problem);
    return status == ATTEND_OK ? align_queries(wish, given) : inputs_error(given, status);
}

static int check_given(const request *wish, const inputs *given) {
    for (int input = INPUT_Q; input <= INPUT_V; input++)
        if (given->source[input] == NULL && !(input == INPUT_V && wish->without_values)) {
            if (wish->archive != NULL)
                return cli_usage_error("%s holds no tensor named \"%s\"", wish->archive, input_names[input]);
            return cli_usage_error("--%s is missing: --q, --k%s, or --in FILE.safetensors", input_names[input],
                                   wish->without_values ? "" : " and --v");
        }
    if (given->source[INPUT_QUERY_OFFSETS] != NULL && wish->align != ALIGN_UNSAID)
        return cli_usage_error("%s and query_offsets exclude each other",
                               wish->align == ALIGN_OFFSET ? "--query-offset" : "--align");
    return check_kinds(given);
}

int inputs_none(const request *wish, inputs *given) {
    attend_config config = attend_config_init();
    memset(given, 0, sizeof *given);
    config.threads = wish->threads;
    config.isa = (int32_t)wish->isa;
    config.executor = wish->executor;
    return isa_context(config, wish->isa_option, &given->ctx);
}

int inputs_load(const request *wish, inputs *given) {
    int status = inputs_none(wish, given);
    if (status == CLI_DONE)
        status = load_inputs(wish, given);
    if (status == CLI_DONE && wish->archive != NULL)
        status = load_archive(wish, given);
    if (status == CLI_DONE)
        status = check_given(wish, given);
    if (status == CLI_DONE && given->source[INPUT_V] == NULL)
        given->stored[INPUT_V] = given->stored[INPUT_K]; /* only its shape will matter */
    if (status == CLI_DONE)
        status = choose_layout(wish, given);
    return status == CLI_DONE ? make_call(wish, given) : status;
}

int inputs_made(const request *wish, const attend_in made[3], inputs *given) {
    int status = inputs_none(wish, given);
    if (status == CLI_DONE)
        status = load_inputs(wish, given);
    if (status != CLI_DONE)
        return status;
    given->layout = "BHTD";
    for (int input = INPUT_Q; input <= INPUT_V; input++)
        given->stored[input] = made[input];
    status = check_kinds(given);
    return status == CLI_DONE ? make_call(wish, given) : status;
}

void inputs_free(inputs *given) {
    for (int place = 0; place <= INPUTS; place++)
        if (given->files[place] != NULL)
            attend_file_close(given->files[place]);
    attend_ctx_destroy(given->ctx);
    free(given->offsets);
}
