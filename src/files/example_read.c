/* The keys of an example one by one: each value has the type that its key wants. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "files/example.h"
#include "files/fault.h"
#include "files/json_text.h"

/* ---- Faults -------------------------------------------------------------------------------- */

static size_t place_of_key(const json_t *root, const char *wanted) {
    const char *key = NULL;
    json_t *value = NULL;
    size_t place = 0;
    json_object_foreach ((json_t *)(uintptr_t)root, key, value) {
        if (strcmp(key, wanted) == 0)
            break;
        place++;
    }
    return place;
}

size_t at_example_line(const at_example_source *source, at_example_place place) {
    size_t path[AT_JSON_STEPS_MAX] = {place_of_key(source->root, place.key), place.elements[0], place.elements[1]};
    return at_json_line(source->text, source->length, path, 1 + place.depth);
}

static at_example_place at_row(const char *key, size_t row) {
    at_example_place place = {key, 1, {row, 0}};
    return place;
}

static at_example_place at_number(const char *key, size_t row, size_t column) {
    at_example_place place = {key, 2, {row, column}};
    return place;
}

/* The value as the file most likely wrote it: every number was read as a real, and 3 would print as 3.0. */
static at_printable found(const json_t *value) {
    at_printable text = at_json_found(value);
    size_t length = strlen(text.text);
    if (json_is_real(value) && length > 2 && strcmp(text.text + length - 2, ".0") == 0)
        text.text[length - 2] = '\0';
    return text;
}

static attend_status wrong_value(const at_example_source *source, const char *key, const char *rule,
                                 const json_t *value) {
    return at_example_fault(source, ATTEND_FORMAT, at_key(key), "%s must be %s (found %s)", key, rule,
                            found(value).text);
}

/* ---- Tokens -------------------------------------------------------------------------------- */

static attend_status measure_tokens(const at_example_source *source, const json_t *list, size_t *text_size) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *token = json_array_get(list, i);
        if (!json_is_string(token))
            return at_example_fault(source, ATTEND_FORMAT, at_row("tokens", i), "token %zu must be a string (found %s)",
                                    i + 1, found(token).text);
        *text_size += json_string_length(token) + 1;
    }
    return ATTEND_OK;
}

static void copy_tokens(attend_example *example, const json_t *list) {
    char *text = example->text;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *token = json_array_get(list, i);
        size_t size = json_string_length(token) + 1;
        example->token[i] = memcpy(text, json_string_value(token), size);
        text += size;
    }
}

static attend_status read_tokens(const at_example_source *source, attend_example *example, const char *key,
                                 const json_t *list) {
    size_t text_size = 0;
    if (!json_is_array(list))
        return wrong_value(source, key, "an array of strings", list);
    if (json_array_size(list) == 0)
        return at_example_fault(source, ATTEND_FORMAT, at_key(key), "tokens is empty (allowed 1 or more)");
    AT_TRY(measure_tokens(source, list, &text_size));
    AT_TRY(at_example_tokens(source, example, json_array_size(list), text_size));
    copy_tokens(example, list);
    return ATTEND_OK;
}

/* ---- Matrices ------------------------------------------------------------------------------ */

/* Every row is an array as long as the first: before anything is allocated for them. */
static attend_status check_rows(const at_example_source *source, const char *key, const json_t *rows) {
    size_t columns = json_array_size(json_array_get(rows, 0));
    for (size_t row = 0; row < json_array_size(rows); row++) {
        const json_t *numbers = json_array_get(rows, row);
        if (!json_is_array(numbers))
            return at_example_fault(source, ATTEND_FORMAT, at_row(key, row),
                                    "row %zu of %s must be an array of numbers (found %s)", row + 1, key,
                                    found(numbers).text);
        if (json_array_size(numbers) == 0)
            return at_example_fault(source, ATTEND_FORMAT, at_row(key, row), "row %zu of %s is empty", row + 1, key);
        if (json_array_size(numbers) != columns)
            return at_example_fault(source, ATTEND_FORMAT, at_row(key, row),
                                    "row %zu of %s has %zu number%s, row 1 has %zu", row + 1, key,
                                    json_array_size(numbers), json_array_size(numbers) == 1 ? "" : "s", columns);
    }
    return ATTEND_OK;
}

static attend_status copy_row(const at_example_source *source, const char *key, size_t row, const json_t *from,
                              double *to) {
    for (size_t column = 0; column < json_array_size(from); column++) {
        const json_t *number = json_array_get(from, column);
        if (!json_is_real(number))
            return at_example_fault(source, ATTEND_FORMAT, at_number(key, row, column),
                                    "row %zu, column %zu of %s must be a number (found %s)", row + 1, column + 1, key,
                                    found(number).text);
        to[column] = json_real_value(number);
    }
    return ATTEND_OK;
}

static at_matrix_kind kind_called(const char *key) {
    at_matrix_kind kind = AT_Q;
    while (strcmp(at_matrix_names[kind], key) != 0)
        kind++;
    return kind;
}

static attend_status read_matrix(const at_example_source *source, attend_example *example, const char *key,
                                 const json_t *rows) {
    at_matrix_kind kind = kind_called(key);
    if (!json_is_array(rows))
        return wrong_value(source, key, "an array of rows", rows);
    if (json_array_size(rows) == 0)
        return at_example_fault(source, ATTEND_FORMAT, at_key(key), "%s has no rows", key);
    AT_TRY(check_rows(source, key, rows));
    size_t columns = json_array_size(json_array_get(rows, 0));
    AT_TRY(at_example_matrix(source, example, kind, json_array_size(rows), columns));
    double *numbers = example->matrices[kind].numbers;
    for (size_t row = 0; row < json_array_size(rows); row++)
        AT_TRY(copy_row(source, key, row, json_array_get(rows, row), numbers + row * columns));
    return ATTEND_OK;
}

/* ---- Options ------------------------------------------------------------------------------- */

static attend_status read_count(const at_example_source *source, const char *key, const json_t *value, int64_t *count) {
    double number = json_real_value(value); /* 0 when it is no number */
    if (number < 1 || number > (double)AT_EXAMPLE_HEADS_MAX || number != floor(number))
        return wrong_value(source, key, "a whole number from 1 to 65536", value);
    *count = (int64_t)number;
    return ATTEND_OK;
}

static attend_status read_heads(const at_example_source *source, attend_example *example, const char *key,
                                const json_t *value) {
    return read_count(source, key, value, &example->heads);
}

static attend_status read_kv_heads(const at_example_source *source, attend_example *example, const char *key,
                                   const json_t *value) {
    return read_count(source, key, value, &example->kv_heads);
}

static attend_status read_positions(const at_example_source *source, attend_example *example, const char *key,
                                    const json_t *value) {
    static const char *const names[] = {"none", "sinusoidal", "rotary"}; /* in the order of attend_positions */
    const char *given = json_is_string(value) ? json_string_value(value) : "";
    for (int i = 0; i < 3; i++)
        if (strcmp(given, names[i]) == 0) {
            example->positions = (attend_positions)i;
            return ATTEND_OK;
        }
    return wrong_value(source, key, "\"none\", \"sinusoidal\" or \"rotary\"", value);
}

static attend_status read_causal(const at_example_source *source, attend_example *example, const char *key,
                                 const json_t *value) {
    if (!json_is_boolean(value))
        return wrong_value(source, key, "true or false", value);
    example->causal = json_is_true(value);
    return ATTEND_OK;
}

static attend_status read_scale(const at_example_source *source, attend_example *example, const char *key,
                                const json_t *value) {
    if (!json_is_real(value))
        return wrong_value(source, key, "a number", value);
    example->scale = json_real_value(value);
    example->has_scale = true;
    return ATTEND_OK;
}

/* ---- All keys ------------------------------------------------------------------------------ */

typedef struct key_reader {
    const char *name;
    attend_status (*read)(const at_example_source *source, attend_example *example, const char *key,
                          const json_t *value);
} key_reader;

static const key_reader keys[] = {
    {"tokens", read_tokens}, {"q", read_matrix},    {"k", read_matrix},          {"v", read_matrix},
    {"x", read_matrix},      {"wq", read_matrix},   {"wk", read_matrix},         {"wv", read_matrix},
    {"wo", read_matrix},     {"heads", read_heads}, {"kv_heads", read_kv_heads}, {"positions", read_positions},
    {"causal", read_causal}, {"scale", read_scale},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static attend_status unknown_key(const at_example_source *source, const char *key) {
    at_nearest nearest = {NULL, 0};
    for (int i = 0; i < KEYS; i++)
        at_text_consider(&nearest, key, keys[i].name);
    return at_example_fault(source, ATTEND_FORMAT, at_key(key), "unknown key \"%s\" (nearest \"%s\")",
                            at_fault_name(key).text, nearest.best);
}

attend_status at_example_read(const at_example_source *source, attend_example *example) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (source->root, key, value) {
        int i = 0;
        while (i < KEYS && strcmp(keys[i].name, key) != 0)
            i++;
        if (i == KEYS)
            return unknown_key(source, key);
        AT_TRY(keys[i].read(source, example, key, value));
    }
    return ATTEND_OK;
}
