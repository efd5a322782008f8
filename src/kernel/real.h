/* real.h - the numbers that the fast path calculates with: floats; and doubles, in the files that define AT_DOUBLE.
   What holds such numbers is written once, over at_real, and compiled for both. */
#ifndef AT_REAL_H
#define AT_REAL_H

#include <float.h>
#include <math.h>

#include "attend/attend.h"

#ifdef AT_DOUBLE
typedef double at_real;
#define AT_REAL_DTYPE ATTEND_F64
#define AT_REAL_MAX DBL_MAX
#define AT_REAL_HUGE 0x1p51 /* from here on numbers are 1/2 apart or more */
#define at_real_fma fma
#define at_real_max fmax
#define at_real_next nextafter
#else
typedef float at_real;
#define AT_REAL_DTYPE ATTEND_F32
#define AT_REAL_MAX FLT_MAX
#define AT_REAL_HUGE 0x1p22f
#define at_real_fma fmaf
#define at_real_max fmaxf
#define at_real_next nextafterf
#endif

/* The nearest number of that type: what is finite stays so. */
static inline at_real at_real_of(double x) {
    double bounded = x > (double)AT_REAL_MAX    ? (double)AT_REAL_MAX
                     : x < -(double)AT_REAL_MAX ? -(double)AT_REAL_MAX
                                                : x;
    return (at_real)(isinf(x) ? x : bounded);
}

#endif
