#include "base/half.h"

#include <math.h>
#include <string.h>

/* Both types are (sign, exponent, fraction) with an implicit leading one; only the widths differ. */
typedef struct half_format {
    int fraction_bits;
    int exponent_max; /* largest exponent of a finite number */
} half_format;

static const half_format f16 = {10, 15};
static const half_format bf16 = {7, 127};

static double from_bits(uint16_t bits, half_format format) {
    int fields_exponent = (bits & 0x7fff) >> format.fraction_bits;
    int fraction = bits & ((1 << format.fraction_bits) - 1);
    int exponent_min = 1 - format.exponent_max;
    double magnitude;
    if (fields_exponent > 2 * format.exponent_max)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (fields_exponent == 0)
        magnitude = ldexp(fraction, exponent_min - format.fraction_bits);
    else
        magnitude =
            ldexp(fraction + (1 << format.fraction_bits), fields_exponent - format.exponent_max - format.fraction_bits);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t to_bits(double value, half_format format) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)((2 * format.exponent_max + 1) << format.fraction_bits);
    if (isnan(value))
        return (uint16_t)(sign | infinity | 1 << (format.fraction_bits - 1));
    if (value == 0)
        return sign;
    int exponent = 0;
    frexp(value, &exponent); /* |value| in [2^(exponent-1), 2^exponent) */
    int exponent_min = 1 - format.exponent_max;
    if (isinf(value) || exponent - 1 > format.exponent_max)
        return sign | infinity;
    if (exponent - 1 < exponent_min)
        exponent = exponent_min + 1; /* subnormal: the spacing stops shrinking */
    /* In units of the last place the rounded magnitude is a whole number, and adding it to the exponent
       field carries into the next binade, or into infinity, by itself. */
    double units = rint(ldexp(fabs(value), format.fraction_bits - (exponent - 1)));
    int field = exponent - 1 - exponent_min; /* 0 for subnormal and for the first binade */
    return (uint16_t)(sign | ((field << format.fraction_bits) + (int)units));
}

double at_half_from_f16(uint16_t bits) { return from_bits(bits, f16); }
double at_half_from_bf16(uint16_t bits) { return from_bits(bits, bf16); }
uint16_t at_half_to_f16(double value) { return to_bits(value, f16); }
uint16_t at_half_to_bf16(double value) { return to_bits(value, bf16); }
