/* half.h - 16-bit floats as numbers.  Reading is exact; writing rounds the double once, to nearest,
   ties to even (IEEE 754-2019, section 4.3.1), never through a third type. */
#ifndef AT_HALF_H
#define AT_HALF_H

#include <stdint.h>

double at_half_from_f16(uint16_t bits);
double at_half_from_bf16(uint16_t bits);
uint16_t at_half_to_f16(double value);
uint16_t at_half_to_bf16(double value);

#endif
