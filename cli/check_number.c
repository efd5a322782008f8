#include "check_number.h"

#include <math.h>

typedef struct format {
    int exponent_bits;
    int fraction_bits;
} format;

static format format_of(attend_dtype dtype) {
    static const format f16 = {5, 10}, bf16 = {8, 7}, f32 = {8, 23}, f64 = {11, 52};
    return dtype == ATTEND_F16 ? f16 : dtype == ATTEND_BF16 ? bf16 : dtype == ATTEND_F32 ? f32 : f64;
}

static int highest_exponent(format shape) { return (1 << shape.exponent_bits) - 1; }

static int bias(format shape) { return highest_exponent(shape) / 2; }

static void store(attend_dtype dtype, void *element, int negative, int biased, uint64_t fraction) {
    format shape = format_of(dtype);
    int sign_place = shape.exponent_bits + shape.fraction_bits;
    uint64_t bits = (uint64_t)negative << sign_place | (uint64_t)biased << shape.fraction_bits | fraction;
    uint16_t half = (uint16_t)bits;
    uint32_t single = (uint32_t)bits;
    size_t size = attend_dtype_size(dtype);
    memcpy(element, size == 2 ? (void *)&half : size == 4 ? (void *)&single : (void *)&bits, size);
}

void check_number_put(attend_dtype dtype, void *element, int negative, int exponent, uint64_t fraction) {
    format shape = format_of(dtype);
    int biased = exponent + bias(shape);
    uint64_t digits = fraction >> (64 - shape.fraction_bits);
    if (biased <= 0) { /* denormal, or 0 */
        digits |= UINT64_C(1) << shape.fraction_bits;
        digits = biased > -shape.fraction_bits ? digits >> (1 - biased) : 0;
    }
    store(dtype, element, negative, biased > 0 ? biased : 0, digits);
}

void check_number_put_infinity(attend_dtype dtype, void *element, int negative) {
    store(dtype, element, negative, highest_exponent(format_of(dtype)), 0);
}

static uint64_t load(attend_dtype dtype, const void *element) {
    uint16_t half;
    uint32_t single;
    uint64_t bits;
    switch (attend_dtype_size(dtype)) {
    case 2: memcpy(&half, element, sizeof half); return half;
    case 4: memcpy(&single, element, sizeof single); return single;
    default: memcpy(&bits, element, sizeof bits); return bits;
    }
}

double check_number_get(attend_dtype dtype, const void *element) {
    format shape = format_of(dtype);
    uint64_t bits = load(dtype, element), one = UINT64_C(1) << shape.fraction_bits, fraction = bits & (one - 1);
    int biased = (int)(bits >> shape.fraction_bits) & highest_exponent(shape);
    double sign = bits >> (shape.exponent_bits + shape.fraction_bits) ? -1 : 1;
    if (biased == highest_exponent(shape))
        return fraction == 0 ? sign * INFINITY : NAN;
    if (biased > 0)
        fraction += one;
    return sign * ldexp((double)fraction, (biased > 0 ? biased : 1) - bias(shape) - shape.fraction_bits);
}
