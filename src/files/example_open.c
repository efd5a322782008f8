/* Worked examples from a text in JSON. */
#include <jansson.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/os.h"
#include "files/example.h"
#include "files/fault.h"
#include "files/json_text.h"

__attribute__((format(printf, 4, 5))) static attend_status
line_fault(const at_example_source *source, attend_status status, size_t line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    at_fault(source->ctx, status, at_fault_place("%s: line %zu", source->label.text, line), format, arguments);
    va_end(arguments);
    return status;
}

/* jansson leaves its message empty only when memory ran out. */
static attend_status json_fault(const at_example_source *source, const json_error_t *error) {
    if (json_error_code(error) == json_error_out_of_memory || error->text[0] == '\0')
        return at_fail(source->ctx, ATTEND_MEMORY, "%s: no memory for its JSON", source->label.text);
    return line_fault(source, ATTEND_FORMAT, (size_t)error->line, "column %d: JSON: %s", error->column,
                      at_text_printable(error->text, strlen(error->text), AT_PRINTABLE_PATH).text);
}

static attend_status parse_json(at_example_source *source) {
    size_t offset = 0;
    json_error_t error;
    memset(&error, 0, sizeof error);
    if (source->length > AT_EXAMPLE_BYTES_MAX)
        return at_fail(source->ctx, ATTEND_UNSUPPORTED, "%s: longer than %d bytes (limit)", source->label.text,
                       AT_EXAMPLE_BYTES_MAX);
    if (at_json_too_deep(source->text, source->length, &offset))
        return line_fault(source, ATTEND_FORMAT, at_json_line_of_offset(source->text, offset),
                          "JSON deeper than %d (limit)", AT_JSON_DEPTH_MAX);
    source->root = json_loadb(source->text, source->length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (source->root == NULL)
        return json_fault(source, &error);
    if (!json_is_object(source->root))
        return line_fault(source, ATTEND_FORMAT, 1, "an example is an object (found an array)");
    return ATTEND_OK;
}

static attend_status fill(at_example_source *source, attend_example *example) {
    AT_TRY(parse_json(source));
    AT_TRY(at_example_read(source, example));
    return at_example_check(source, example);
}

static attend_status parse(at_example_source *source, attend_example **example) {
    attend_example *opened = NULL;
    AT_TRY(at_example_allocate(source->ctx, &opened));
    attend_status status = fill(source, opened);
    json_decref(source->root);
    if (status == ATTEND_OK)
        *example = opened;
    else
        attend_example_close(opened);
    return status;
}

/* Some editors begin a text with a byte order mark; JSON does not. */
static at_example_source source_of(attend_ctx *ctx, const char *name, const char *text, size_t length) {
    at_example_source source = {
        .ctx = ctx, .label = at_fault_path(name), .text = text, .length = length, .line = at_example_line};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        source.text += 3;
        source.length -= 3;
    }
    return source;
}

attend_status attend_example_parse(attend_ctx *ctx, const char *name, const char *text, size_t length,
                                   attend_example **example) {
    AT_TRY(at_begin(ctx));
    if (example == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "example is NULL");
    *example = NULL;
    if (name == NULL || text == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s is NULL", name == NULL ? "name" : "text");
    at_example_source source = source_of(ctx, name, text, length);
    return parse(&source, example);
}

attend_status attend_example_open(attend_ctx *ctx, const char *path, attend_example **example) {
    void *text = NULL;
    size_t capacity = 0;
    size_t length = 0;
    AT_TRY(at_begin(ctx));
    if (example == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "example is NULL");
    *example = NULL;
    if (path == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "path is NULL");
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    AT_TRY(at_os_read_all(ctx, path, at_fault_path(name).text, AT_EXAMPLE_BYTES_MAX, &text, &capacity, &length));
    at_example_source source = source_of(ctx, name, text, length);
    attend_status status = parse(&source, example);
    at_memory_release(ctx, text, capacity);
    return status;
}
