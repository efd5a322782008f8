/* text_width.h - how many columns of a terminal a text takes: wide characters take two, combining ones none. */
#ifndef TEXT_WIDTH_H
#define TEXT_WIDTH_H

#include <stddef.h>

/* Columns of a UTF-8 text. A byte that is not UTF-8, and a character without a width, count as one. */
int text_width(const char *text);

/* Bytes of the UTF-8 character that text begins with, and its columns: -1 when it must not reach a terminal
   (a control character, a byte that is not UTF-8). 0 bytes at the end of text. */
size_t text_character(const char *text, int *columns);

#endif
