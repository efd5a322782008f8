/* text.h - text for messages: UTF-8 from outside printed safely, numbers, and guessing what was meant. */
#ifndef AT_TEXT_H
#define AT_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { AT_PRINTABLE_NAME = 120, AT_PRINTABLE_PATH = 240 };

typedef struct at_printable {
    char text[AT_PRINTABLE_PATH + sizeof "..."];
} at_printable;

/* Bytes of the UTF-8 character at text, 1..4, and its code point; 0 when the bytes are no character. */
size_t at_text_character(const char *text, size_t length, uint32_t *code);

/* Whether a code point could move the cursor or change the colours of a terminal. */
static inline int at_text_is_control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/* The text with control characters and bytes that are not UTF-8 as \xNN, cut at limit bytes with "..." added.
   limit is AT_PRINTABLE_NAME or AT_PRINTABLE_PATH. */
at_printable at_text_printable(const char *text, size_t length, size_t limit);

/* A number as %g prints it, with "." whatever the locale. */
at_printable at_text_real(double value);

/* The candidate nearest to a wanted name so far, by the number of letters inserted, removed or replaced.
   Start with best NULL. */
typedef struct at_nearest {
    const char *best;
    size_t distance;
} at_nearest;
void at_text_consider(at_nearest *nearest, const char *wanted, const char *candidate);

#endif
