#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "token_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_width.h"

enum { LABEL_COLUMNS_MAX = 24 };

/* How often the token at index stands before end. */
static int64_t occurrences(const attend_example *example, int64_t index, int64_t end) {
    int64_t count = 0;
    for (int64_t i = 0; i < end; i++)
        count += strcmp(attend_example_token(example, i), attend_example_token(example, index)) == 0;
    return count;
}

static void write_escaped(FILE *stream, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
}

static void write_visible(FILE *stream, const char *token) {
    int used = 0, columns = 0;
    for (size_t bytes = text_character(token, &columns); bytes > 0; bytes = text_character(token, &columns)) {
        used += columns < 0 ? 4 * (int)bytes : columns;
        if (used > LABEL_COLUMNS_MAX) {
            fputs("..", stream);
            return;
        }
        if (columns < 0)
            write_escaped(stream, token, bytes);
        else
            fwrite(token, 1, bytes, stream);
        token += bytes;
    }
}

static char *make_label(const attend_example *example, int64_t index) {
    char *label = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&label, &length);
    if (stream == NULL)
        return NULL;
    const char *token = attend_example_token(example, index);
    write_visible(stream, token[0] == '\0' ? "\"\"" : token);
    if (occurrences(example, index, attend_example_tokens(example)) > 1)
        fprintf(stream, "#%lld", (long long)occurrences(example, index, index + 1));
    if (fclose(stream) == 0)
        return label;
    free(label);
    return NULL;
}

char **token_labels_make(const attend_example *example) {
    int64_t tokens = attend_example_tokens(example);
    char **labels = calloc((size_t)tokens + 1, sizeof *labels);
    for (int64_t i = 0; labels != NULL && i < tokens; i++) {
        labels[i] = make_label(example, i);
        if (labels[i] == NULL) {
            token_labels_free(labels);
            return NULL;
        }
    }
    return labels;
}

void token_labels_free(char **labels) {
    for (char **label = labels; label != NULL && *label != NULL; label++)
        free(*label);
    free(labels);
}

/* ---- finding one ---------------------------------------------------------------------------- */

static int is_token(const attend_example *example, int64_t index, const char *name, size_t length) {
    const char *token = attend_example_token(example, index);
    return strlen(token) == length && memcmp(token, name, length) == 0;
}

/* The place number of name's first length bytes, counted from 1; no bytes mean any token. */
static int64_t nth(const attend_example *example, const char *name, size_t length, long long number) {
    for (int64_t i = 0; i < attend_example_tokens(example); i++)
        if ((length == 0 || is_token(example, i, name, length)) && --number == 0)
            return i;
    return -1;
}

static int64_t find_numbered(const attend_example *example, const char *name) {
    const char *mark = strrchr(name, '#');
    if (mark == NULL || mark[1] == '\0' || strspn(mark + 1, "0123456789") != strlen(mark + 1) || strlen(mark) > 10)
        return -1;
    return nth(example, name, (size_t)(mark - name), strtoll(mark + 1, NULL, 10));
}

int64_t token_find(const attend_example *example, const char *name) {
    int64_t first = -1;
    for (int64_t i = 0; i < attend_example_tokens(example); i++) {
        if (!is_token(example, i, name, strlen(name)))
            continue;
        if (first >= 0)
            return -2;
        first = i;
    }
    return first >= 0 ? first : find_numbered(example, name);
}
