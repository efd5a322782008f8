#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Digits are read by hand: the C library's parsers also take blanks, "+", hexadecimal and "nan". */
static const char *skip_digits(const char *text) {
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

static bool read_whole(const char *text, int64_t *value) {
    bool negative = *text == '-';
    const char *digits = text + negative;
    int64_t total = 0;
    if (*digits == 0 || *skip_digits(digits) != 0)
        return false;
    for (; *digits != 0; digits++)
        if (__builtin_mul_overflow(total, 10, &total) || __builtin_sub_overflow(total, *digits - '0', &total))
            return false;
    if (!negative && total == INT64_MIN)
        return false;
    *value = negative ? total : -total;
    return true;
}

int cli_parse_int(const char *option, const char *text, int64_t least, int64_t most, int64_t *value) {
    int64_t number;
    if (!read_whole(text, &number) || number < least || number > most)
        return cli_usage_error("%s: \"%s\" is not a whole number from %lld to %lld", option, text, (long long)least,
                               (long long)most);
    *value = number;
    return CLI_DONE;
}

/* -?digits[.digits][e[+-]digits], at least one digit before the exponent */
static bool is_real(const char *text) {
    text += *text == '-';
    const char *whole = skip_digits(text), *end = whole;
    if (*whole == '.')
        end = skip_digits(whole + 1);
    if (end == text || (end == text + 1 && *text == '.'))
        return false;
    if (*end == 'e' || *end == 'E') {
        const char *power = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(power);
        if (end == power)
            return false;
    }
    return *end == 0;
}

static int wrong_real(const char *option, const char *text, double least, double most) {
    if (isfinite(least) && isfinite(most))
        return cli_usage_error("%s: \"%s\" is not a number from %g to %g", option, text, least, most);
    if (isfinite(least))
        return cli_usage_error("%s: \"%s\" is not a finite number of at least %g", option, text, least);
    return cli_usage_error("%s: \"%s\" is not a finite number", option, text);
}

int cli_parse_real(const char *option, const char *text, double least, double most, double *value) {
    double number = is_real(text) ? strtod(text, NULL) : NAN;
    if (!isfinite(number) || number < least || number > most)
        return wrong_real(option, text, least, most);
    *value = number;
    return CLI_DONE;
}

int cli_parse_choice(const char *option, const char *text, const char *const *names, int count, int *choice) {
    char list[512] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *choice = i;
            return CLI_DONE;
        }
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    return cli_usage_error("%s: \"%s\" is not one of %s", option, text, list);
}
