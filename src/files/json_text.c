#include "files/json_text.h"

#include <string.h>

/* The offset past a string that begins with the quote at text[at]. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    at++;
    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < length ? at + 1 : length;
}

static bool opens(char c) { return c == '[' || c == '{'; }
static bool closes(char c) { return c == ']' || c == '}'; }

bool at_json_too_deep(const char *text, size_t length, size_t *offset) {
    size_t depth = 0;
    for (size_t at = 0; at < length;) {
        *offset = at;
        depth += opens(text[at]);
        depth -= closes(text[at]) && depth > 0;
        if (depth > AT_JSON_DEPTH_MAX)
            return true;
        at = text[at] == '"' ? skip_string(text, length, at) : at + 1;
    }
    return false;
}

/* A walk through a text: how many values came before at each depth, counted down to AT_JSON_STEPS_MAX. */
typedef struct walk {
    int depth;
    size_t before[AT_JSON_DEPTH_MAX + 1]; /* [d]: values before this one at depth d; [0] is not used */
} walk;

static bool arrived(const walk *here, const size_t *path, int depth) {
    return here->depth == depth && memcmp(&here->before[1], path, (size_t)depth * sizeof *path) == 0;
}

static void step(walk *here, char c) {
    if (opens(c))
        here->before[++here->depth] = 0;
    else if (closes(c))
        here->depth--;
    else if (c == ',')
        here->before[here->depth]++;
}

size_t at_json_line(const char *text, size_t length, const size_t *path, int depth) {
    walk here = {0, {0}};
    size_t line = 1;
    for (size_t at = 0; at < length;) {
        char c = text[at];
        line += c == '\n';
        if (strchr(" \t\r\n,:]}", c) == NULL && arrived(&here, path, depth))
            return line;
        step(&here, c);
        at = c == '"' ? skip_string(text, length, at) : at + 1;
    }
    return 1;
}

size_t at_json_line_of_offset(const char *text, size_t offset) {
    size_t line = 1;
    for (size_t at = 0; at < offset; at++)
        line += text[at] == '\n';
    return line;
}

at_printable at_json_found(const json_t *value) {
    char text[AT_PRINTABLE_PATH];
    if (json_is_array(value))
        return at_text_printable("an array", strlen("an array"), AT_PRINTABLE_NAME);
    if (json_is_object(value))
        return at_text_printable("an object", strlen("an object"), AT_PRINTABLE_NAME);
    size_t length = json_dumpb(value, text, sizeof text, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (length > sizeof text) /* json_dumpb filled what there was room for */
        length = sizeof text;
    return at_text_printable(text, length, AT_PRINTABLE_NAME);
}
