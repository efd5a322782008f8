/* elementary.h - exp, log, tanh, sine, cosine and powers with the same bits on every machine.

   The C library's differ in their last bits from one system to the next, and from one processor to the next.  The
   readable path is compared digit for digit between machines and with the page in the browser, so it has its own: in
   pairs of doubles (pair.h), rounded once at the end.  A result is the double nearest to the true value, unless that
   lies within about 2^-40 units of the middle between two doubles.

   NaN gives NaN, and infinities their limits. */
#ifndef AT_ELEMENTARY_H
#define AT_ELEMENTARY_H

double at_exp(double x);
double at_log(double x);
/* log(1 + x) and tanh, without losing digits near 0 */
double at_log1p(double x);
double at_tanh(double x);

/* Of an angle in radians, however large. */
typedef struct at_circle {
    double cosine, sine;
} at_circle;
at_circle at_circle_at(double angle);

/* base to the power exponent, for a finite base > 0 and a finite exponent. */
double at_power(double base, double exponent);

#endif
