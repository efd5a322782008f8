/* number_text.h - numbers for readers: a fixed count of decimals, "." whatever the locale, and no -0.000. */
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include <stdint.h>

enum { NUMBER_TEXT_MAX = 48, NUMBER_DIGITS_MAX = 17 };

/* value with digits decimals; from 1e15 on, where those mean nothing, as a power of ten. */
void number_fixed(char text[NUMBER_TEXT_MAX], double value, int digits);

/* The shortest of the above that says the same: 2.500 -> 2.5, 2.000 -> 2. */
void number_short(char text[NUMBER_TEXT_MAX], double value, int digits);

/* Decimals that numbers need: 0 when all are whole, else digits. */
int number_digits(const double *numbers, int64_t count, int digits);

#endif
