/* check_number.h - numbers of any type as sign, exponent and fraction (IEEE 754-2019, section 3.4; bf16 likewise). */
#ifndef CHECK_NUMBER_H
#define CHECK_NUMBER_H

#include "attend/attend.h"

/* Stores (-1)^negative * 2^exponent * (1 + fraction / 2^64), the fraction cut to the type's bits. */
void check_number_put(attend_dtype dtype, void *element, int negative, int exponent, uint64_t fraction);
void check_number_put_infinity(attend_dtype dtype, void *element, int negative);
double check_number_get(attend_dtype dtype, const void *element);

#endif
