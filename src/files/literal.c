#include "files/literal.h"

#include <string.h>

#include "base/check.h"
#include "base/size.h"

/* ---- Characters ---------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("_+-.", c) != NULL);
}

/* The next character that is not blank, '\0' at the end: a header holds no such character (check_characters). */
static char peek(at_literal *literal) {
    while (literal->at < literal->length && is_blank(literal->text[literal->at]))
        literal->at++;
    return literal->at < literal->length ? literal->text[literal->at] : '\0';
}

static bool take(at_literal *literal, char wanted) {
    if (peek(literal) != wanted)
        return false;
    literal->at++;
    return true;
}

/* Letters, digits and signs: a number or a keyword. */
static size_t take_word(at_literal *literal, const char **word) {
    peek(literal);
    size_t begin = literal->at;
    while (literal->at < literal->length && is_word(literal->text[literal->at]))
        literal->at++;
    *word = literal->text + begin;
    return literal->at - begin;
}

static bool same(const char *text, size_t length, const char *wanted) {
    return length == strlen(wanted) && memcmp(text, wanted, length) == 0;
}

/* ---- Faults -------------------------------------------------------------------------------- */

static size_t place(const at_literal *literal) { return literal->begin + literal->at; }

static attend_status not_a_dictionary(at_literal *literal) {
    char found = peek(literal);
    if (found == '\0')
        return at_byte_fault(literal->file, ATTEND_FORMAT, place(literal),
                             "header is not a literal dictionary (it ends early)");
    return at_byte_fault(literal->file, ATTEND_FORMAT, place(literal), "header is not a literal dictionary (at \"%s\")",
                         at_text_printable(&found, 1, AT_PRINTABLE_NAME).text);
}

/* What stands at the cursor, for "found": a word, or the one character that begins something else. */
static at_printable found_here(const at_literal *literal) {
    at_literal ahead = *literal;
    const char *word = NULL;
    size_t length = take_word(&ahead, &word);
    if (length == 0)
        length = ahead.at < ahead.length ? 1 : 0;
    return at_text_printable(word, length, AT_PRINTABLE_NAME);
}

static attend_status wrong_value(at_literal *literal, attend_status status, const char *key, const char *rule) {
    peek(literal);
    at_printable found = found_here(literal);
    return at_byte_fault(literal->file, status, place(literal), "%s must be %s (found %s)", key, rule, found.text);
}

/* ---- Values -------------------------------------------------------------------------------- */

/* A string without escapes: neither keys nor type names need one. */
static attend_status read_string(at_literal *literal, const char **text, size_t *length) {
    char quote = peek(literal);
    if (quote != '\'' && quote != '"')
        return not_a_dictionary(literal);
    size_t begin = ++literal->at;
    while (literal->at < literal->length && literal->text[literal->at] != quote && literal->text[literal->at] != '\\')
        literal->at++;
    if (literal->at == literal->length || literal->text[literal->at] != quote)
        return not_a_dictionary(literal);
    *text = literal->text + begin;
    *length = literal->at++ - begin;
    return ATTEND_OK;
}

static attend_status read_descr(at_literal *literal, at_npy_header *header) {
    char next = peek(literal);
    header->descr_byte = place(literal);
    if (next == '[' || next == '(')
        return at_byte_fault(literal->file, ATTEND_UNSUPPORTED, place(literal),
                             "structured dtypes are not numeric: save one field");
    if (next != '\'' && next != '"')
        return wrong_value(literal, ATTEND_FORMAT, "descr", "a string");
    return read_string(literal, &header->descr, &header->descr_length);
}

static attend_status read_order(at_literal *literal, at_npy_header *header) {
    at_literal start = *literal;
    const char *word = NULL;
    size_t length = take_word(literal, &word);
    header->fortran_order = same(word, length, "True");
    if (header->fortran_order || same(word, length, "False"))
        return ATTEND_OK;
    return wrong_value(&start, ATTEND_FORMAT, "fortran_order", "True or False");
}

/* Decimal digits, with the L that Python 2 wrote behind long integers. */
static bool parse_size(const char *word, size_t length, int64_t *size) {
    if (length > 1 && word[length - 1] == 'L')
        length--;
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        if (!at_i64_mul(*size, 10, size) || !at_i64_add(*size, word[i] - '0', size))
            return false;
    }
    return length > 0 && (length == 1 || word[0] != '0');
}

/* One axis.  Axes past the fourth are counted and checked, but there is nowhere to keep them. */
static attend_status read_axis(at_literal *literal, at_npy_header *header) {
    at_literal start = *literal;
    const char *word = NULL;
    int64_t size = 0;
    size_t length = take_word(literal, &word);
    if (!parse_size(word, length, &size)) {
        peek(&start);
        at_printable found = found_here(&start);
        return at_byte_fault(literal->file, ATTEND_FORMAT, place(&start), "shape[%d] is %s (allowed 0 to 2^63-1)",
                             (int)header->rank, found.text);
    }
    if (header->rank < ATTEND_RANK_MAX)
        header->shape[header->rank] = size;
    header->rank++;
    return ATTEND_OK;
}

static attend_status read_shape(at_literal *literal, at_npy_header *header) {
    bool comma = true;
    header->rank = 0;
    if (peek(literal) != '(')
        return wrong_value(literal, ATTEND_FORMAT, "shape", "a tuple");
    size_t begin = place(literal);
    literal->at++;
    while (!take(literal, ')')) {
        if (!comma)
            return not_a_dictionary(literal);
        AT_TRY(read_axis(literal, header));
        comma = take(literal, ',');
    }
    if (header->rank == 1 && !comma) /* to Python (3) is a number */
        return at_byte_fault(literal->file, ATTEND_FORMAT, begin, "shape must be a tuple (found a number in brackets)");
    if (header->rank > ATTEND_RANK_MAX)
        return at_byte_fault(literal->file, ATTEND_UNSUPPORTED, begin, "rank %d (limit %d)", (int)header->rank,
                             (int)ATTEND_RANK_MAX);
    return ATTEND_OK;
}

/* ---- The dictionary ------------------------------------------------------------------------ */

typedef struct key_reader {
    const char *name;
    attend_status (*read)(at_literal *literal, at_npy_header *header);
} key_reader;

enum { KEYS = 3 };
static const key_reader keys[KEYS] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

static attend_status read_item(at_literal *literal, at_npy_header *header, bool *seen) {
    const char *name = NULL;
    size_t length = 0;
    int key = 0;
    peek(literal);
    size_t begin = place(literal);
    AT_TRY(read_string(literal, &name, &length));
    while (key < KEYS && !same(name, length, keys[key].name))
        key++;
    if (key == KEYS)
        return at_byte_fault(literal->file, ATTEND_FORMAT, begin, "unknown key \"%s\"",
                             at_text_printable(name, length, AT_PRINTABLE_NAME).text);
    if (seen[key])
        return at_byte_fault(literal->file, ATTEND_FORMAT, begin, "key \"%s\" twice", keys[key].name);
    seen[key] = true;
    if (!take(literal, ':'))
        return not_a_dictionary(literal);
    return keys[key].read(literal, header);
}

/* NUL, control characters, and in versions 1 and 2 everything that is not ASCII: no writer makes them, so the
   length or the version is wrong. */
static attend_status check_characters(const at_literal *literal) {
    for (size_t i = 0; i < literal->length; i++) {
        unsigned char c = (unsigned char)literal->text[i];
        if (c >= 0x7f || (c < ' ' && !is_blank((char)c)))
            return at_byte_fault(literal->file, ATTEND_FORMAT, literal->begin + i,
                                 "header holds byte 0x%02x (allowed: ASCII text)", c);
    }
    if (literal->length == 0 || literal->text[literal->length - 1] != '\n')
        return at_byte_fault(literal->file, ATTEND_FORMAT, literal->begin + literal->length,
                             "header must end in a newline");
    return ATTEND_OK;
}

attend_status at_literal_header(at_literal *literal, at_npy_header *header) {
    bool seen[KEYS] = {false, false, false};
    AT_TRY(check_characters(literal));
    if (!take(literal, '{'))
        return not_a_dictionary(literal);
    for (bool comma = true; !take(literal, '}'); comma = take(literal, ',')) {
        if (!comma)
            return not_a_dictionary(literal);
        AT_TRY(read_item(literal, header, seen));
    }
    if (peek(literal) != '\0')
        return not_a_dictionary(literal);
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return at_byte_fault(literal->file, ATTEND_FORMAT, literal->begin, "key \"%s\" missing", keys[key].name);
    return ATTEND_OK;
}
