#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes that a first byte announces, 0 when it cannot come first (RFC 3629, section 3). */
static size_t announced(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2) /* a continuation, or the first half of an overlong ASCII character */
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

size_t at_text_character(const char *text, size_t length, uint32_t *code) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = length > 0 ? announced(bytes[0]) : 0;
    if (count == 0 || count > length)
        return 0;
    *code = count == 1 ? bytes[0] : bytes[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < smallest[count] || *code > 0x10ffff || surrogate ? 0 : count;
}

at_printable at_text_printable(const char *text, size_t length, size_t limit) {
    at_printable printable;
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        char piece[8];
        uint32_t code = 0;
        size_t count = at_text_character(text + at, length - at, &code);
        bool plain = count > 0 && !at_text_is_control(code);
        size_t taken = plain ? count : 1;
        size_t needed = plain ? count : 4;
        snprintf(piece, sizeof piece, "\\x%02x", (unsigned)(unsigned char)text[at]);
        if (used + needed > limit) {
            memcpy(printable.text + used, "...", 3);
            used += 3;
            break;
        }
        memcpy(printable.text + used, plain ? text + at : piece, needed);
        used += needed;
        at += taken;
    }
    printable.text[used] = '\0';
    return printable;
}

at_printable at_text_real(double value) {
    at_printable printable, text;
    char *to = printable.text;
    snprintf(text.text, sizeof text.text, "%g", value);
    for (const char *from = text.text; *from; from++) {
        bool known = strchr("0123456789+-einfa", *from) != NULL; /* what is left is the locale's decimal point */
        if (known || to == printable.text || to[-1] != '.')
            *to++ = known ? *from : '.';
    }
    *to = '\0';
    return printable;
}

enum { COMPARED = 120 }; /* letters of a name that are compared: bounds the work on hostile names */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Levenshtein distance, one row of the table at a time. */
static size_t distance(const char *a, const char *b) {
    size_t row[COMPARED + 1];
    size_t width = smaller(strlen(b), COMPARED);
    size_t height = smaller(strlen(a), COMPARED);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[width];
}

void at_text_consider(at_nearest *nearest, const char *wanted, const char *candidate) {
    size_t found = distance(wanted, candidate);
    if (nearest->best != NULL && found >= nearest->distance)
        return;
    nearest->best = candidate;
    nearest->distance = found;
}
