#include "fragment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MATRICES = 8, HEADS_MAX = 65536 };

typedef struct fragment {
    attend_example_parts parts;
    const char **token;        /* (T) */
    double *numbers[MATRICES]; /* what parts' matrices point to, in the order of their keys */
    int64_t query;             /* -1: not given */
} fragment;

/* Cuts *rest at the first mark and returns what is before it; NULL when nothing is left. */
static char *next_part(char **rest, char mark) {
    char *part = *rest, *end = part == NULL ? NULL : strchr(part, mark);
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL)
        *end = '\0';
    return part;
}

/* Parts that a text has between its marks. */
static int64_t count_parts(const char *text, char mark) {
    int64_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == mark;
    return count;
}

/* ---- tokens ----------------------------------------------------------------------------------- */

static int hexadecimal(char sign) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = sign == '\0' ? NULL : strchr(digits, sign);
    return found == NULL ? -1 : (int)(found - digits) % 16;
}

/* The byte that %XY at text stands for (RFC 3986, section 2.1); 0 when it is none, or none that a text can hold. */
static int byte_of(const char *text) {
    int upper = hexadecimal(text[1]), lower = upper < 0 ? -1 : hexadecimal(text[2]);
    return lower < 0 ? 0 : upper << 4 | lower;
}

static int is_encoded(const char *text) {
    while ((text = strchr(text, '%')) != NULL && byte_of(text) != 0)
        text += 3;
    return text == NULL;
}

/* Percent-encoded text becomes what it means, in place. */
static void decode(char *text) {
    char *to = text;
    while (*text != '\0') {
        int length = *text == '%' ? 3 : 1;
        *to++ = length == 3 ? (char)byte_of(text) : *text;
        text += length;
    }
    *to = '\0';
}

static int read_tokens(fragment *f, const char *key, char *text) {
    int64_t count = count_parts(text, ',');
    f->parts.token = f->token = calloc((size_t)count, sizeof *f->token);
    if (f->token == NULL)
        return cli_failure("no memory for this example");
    for (char *token; (token = next_part(&text, ',')) != NULL;) {
        if (!is_encoded(token))
            return cli_usage_error("%s: token %lld, \"%s\", is not percent-encoded text", key,
                                   (long long)f->parts.tokens + 1, token);
        decode(token);
        f->token[f->parts.tokens++] = token;
    }
    return CLI_DONE;
}

/* ---- matrices --------------------------------------------------------------------------------- */

typedef struct matrix_key {
    const char *key;
    int64_t row, columns;
} matrix_key;

/* One row into numbers, which have room for it. */
static int read_row(const matrix_key *at, char *text, double *numbers) {
    int64_t columns = count_parts(text, ',');
    if (columns != at->columns)
        return cli_usage_error("row %lld of %s has %lld number%s, row 1 has %lld", (long long)at->row + 1, at->key,
                               (long long)columns, columns == 1 ? "" : "s", (long long)at->columns);
    for (int64_t column = 0; column < columns; column++) {
        char place[96];
        snprintf(place, sizeof place, "row %lld, column %lld of %s", (long long)at->row + 1, (long long)column + 1,
                 at->key);
        int status = cli_parse_real(place, next_part(&text, ','), -INFINITY, INFINITY, &numbers[column]);
        if (status != CLI_DONE)
            return status;
    }
    return CLI_DONE;
}

static const char *const matrix_names[MATRICES] = {"q", "k", "v", "x", "wq", "wk", "wv", "wo"};

static int matrix_index(const char *key) {
    int index = 0;
    while (strcmp(matrix_names[index], key) != 0)
        index++;
    return index;
}

static int read_matrix(fragment *f, const char *key, char *text) {
    attend_in *const matrices[MATRICES] = {&f->parts.q,  &f->parts.k,  &f->parts.v,  &f->parts.x,
                                           &f->parts.wq, &f->parts.wk, &f->parts.wv, &f->parts.wo};
    int index = matrix_index(key), status = CLI_DONE;
    int64_t rows = count_parts(text, ';');
    double *numbers = calloc(strlen(text) / 2 + 1, sizeof *numbers); /* a number and its mark take two signs */
    if (numbers == NULL)
        return cli_failure("no memory for this example");
    f->numbers[index] = numbers;
    matrix_key at = {key, 0, 0};
    for (char *row; status == CLI_DONE && (row = next_part(&text, ';')) != NULL; at.row++) {
        at.columns = at.row == 0 ? count_parts(row, ',') : at.columns;
        status = read_row(&at, row, numbers + at.row * at.columns);
    }
    *matrices[index] = attend_in_dense(numbers, ATTEND_F64, 2, (int64_t[]){rows, at.columns});
    return status;
}

/* ---- options ---------------------------------------------------------------------------------- */

static int read_heads(fragment *f, const char *key, char *text) {
    return cli_parse_int(key, text, 1, HEADS_MAX, &f->parts.heads);
}

static int read_kv_heads(fragment *f, const char *key, char *text) {
    return cli_parse_int(key, text, 1, HEADS_MAX, &f->parts.kv_heads);
}

static int read_positions(fragment *f, const char *key, char *text) {
    static const char *const names[] = {"none", "sinusoidal", "rotary"}; /* in the order of attend_positions */
    int choice = 0, status = cli_parse_choice(key, text, names, 3, &choice);
    f->parts.positions = choice;
    return status;
}

static int read_causal(fragment *f, const char *key, char *text) {
    static const char *const names[] = {"0", "1"};
    int choice = 0, status = cli_parse_choice(key, text, names, 2, &choice);
    f->parts.causal = choice;
    return status;
}

static int read_scale(fragment *f, const char *key, char *text) {
    f->parts.has_scale = 1;
    return cli_parse_real(key, text, -INFINITY, INFINITY, &f->parts.scale);
}

static int read_query(fragment *f, const char *key, char *text) {
    return cli_parse_int(key, text, 0, INT32_MAX, &f->query);
}

/* What only the page shows.  NOLINTNEXTLINE(readability-non-const-parameter): one of a list of readers */
static int pass_over(fragment *f, const char *key, char *text) {
    (void)f;
    (void)key;
    (void)text;
    return CLI_DONE;
}

/* ---- the whole -------------------------------------------------------------------------------- */

typedef struct key_reader {
    const char *name;
    int (*read)(fragment *f, const char *key, char *text);
} key_reader;

static const key_reader readers[] = {
    {"tokens", read_tokens}, {"q", read_matrix},    {"k", read_matrix},          {"v", read_matrix},
    {"x", read_matrix},      {"wq", read_matrix},   {"wk", read_matrix},         {"wv", read_matrix},
    {"wo", read_matrix},     {"heads", read_heads}, {"kv_heads", read_kv_heads}, {"positions", read_positions},
    {"causal", read_causal}, {"scale", read_scale}, {"query", read_query},       {"key", pass_over},
    {"head", pass_over},     {"level", pass_over},  {"view", pass_over},         {"preset", pass_over},
};
enum { READERS = sizeof readers / sizeof readers[0] };

static const char page_prefix[] = "page-"; /* of keys that a panel of the page keeps for itself */

static int unknown_key(const char *key) {
    const char *names[READERS];
    for (int i = 0; i < READERS; i++)
        names[i] = readers[i].name;
    const char *nearest = cli_nearest(key, names, READERS);
    int status = cli_usage_error("the fragment has an unknown key \"%s\"", key);
    if (nearest != NULL)
        cli_hint("the nearest key is \"%s\"; docs/fragment.md lists all", nearest);
    return status;
}

static int read_part(fragment *f, char *part, unsigned *seen) {
    char *text = part;
    const char *key = next_part(&text, '=');
    if (text == NULL)
        return cli_usage_error("the fragment has \"%s\", which is not NAME=VALUE", key);
    if (strncmp(key, page_prefix, sizeof page_prefix - 1) == 0)
        return CLI_DONE;
    int i = 0;
    while (i < READERS && strcmp(readers[i].name, key) != 0)
        i++;
    if (i == READERS)
        return unknown_key(key);
    if (*seen & 1u << i)
        return cli_usage_error("the fragment has %s twice", key);
    *seen |= 1u << i;
    return readers[i].read(f, key, text);
}

static int read_all(fragment *f, char *text) {
    unsigned seen = 0;
    int status = CLI_DONE;
    for (char *part; status == CLI_DONE && (part = next_part(&text, '&')) != NULL;)
        status = read_part(f, part, &seen);
    if (status == CLI_DONE && f->parts.tokens == 0)
        return cli_usage_error("the fragment has no tokens");
    if (status == CLI_DONE && f->query >= f->parts.tokens)
        return cli_usage_error("query is %lld, the last of %lld token%s is %lld", (long long)f->query,
                               (long long)f->parts.tokens, f->parts.tokens == 1 ? "" : "s",
                               (long long)f->parts.tokens - 1);
    return status;
}

static int make(attend_ctx *ctx, fragment *f, char *text, attend_example **example) {
    int status = read_all(f, text);
    if (status != CLI_DONE)
        return status;
    attend_status made = attend_example_make(ctx, "fragment", &f->parts, example);
    if (made == ATTEND_FORMAT)
        return cli_usage_error("%s", attend_message(ctx));
    return made == ATTEND_OK ? CLI_DONE : cli_library_error(ctx, made);
}

int fragment_is(const char *argument) { return argument[0] == '#'; }

int fragment_open(attend_ctx *ctx, const char *text, attend_example **example, int64_t *query) {
    fragment f = {.parts = attend_example_parts_init(), .query = -1};
    size_t size = strlen(text + 1) + 1;
    char *copy = malloc(size);
    *example = NULL;
    int status =
        copy == NULL ? cli_failure("no memory for this example") : make(ctx, &f, memcpy(copy, text + 1, size), example);
    *query = f.query;
    for (int i = 0; i < MATRICES; i++)
        free(f.numbers[i]);
    free(f.token);
    free(copy);
    return status;
}
