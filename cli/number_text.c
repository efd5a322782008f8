#include "number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double fixed_limit = 1e15;

static int shows_zero(const char *text) { return text[strspn(text, "-0.")] == '\0'; }

void number_fixed(char text[NUMBER_TEXT_MAX], double value, int digits) {
    if (isnan(value))
        snprintf(text, NUMBER_TEXT_MAX, "nan"); /* printf may write "-nan" */
    else if (fabs(value) < fixed_limit)
        snprintf(text, NUMBER_TEXT_MAX, "%.*f", digits, value);
    else
        snprintf(text, NUMBER_TEXT_MAX, "%.*e", digits, value);
    if (text[0] == '-' && shows_zero(text))
        memmove(text, text + 1, strlen(text));
}

void number_short(char text[NUMBER_TEXT_MAX], double value, int digits) {
    number_fixed(text, value, digits);
    if (strchr(text, '.') == NULL || strchr(text, 'e') != NULL)
        return;
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    text[length] = '\0';
}

int number_digits(const double *numbers, int64_t count, int digits) {
    for (int64_t i = 0; i < count; i++)
        if (isfinite(numbers[i]) && numbers[i] != floor(numbers[i]))
            return digits;
    return 0;
}
