#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/pair.h"

#include "base/elementary_tables.inc"

/* ---- Powers of two ---------------------------------------------------------------------------- */

enum { EXPONENT_MIN = -1022, EXPONENT_BIAS = 1023, FRACTION_BITS = 52 };

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2^n, for n from EXPONENT_MIN to EXPONENT_BIAS. */
static double two_to(int n) {
    uint64_t bits = (uint64_t)(n + EXPONENT_BIAS) << FRACTION_BITS;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x = result * 2^*n with a result in [sqrt 1/2, sqrt 2); x > 0 and finite. */
static double fraction_of(double x, int *n) {
    *n = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        *n = -54;
    }
    int exponent = (int)(bits_of(x) >> FRACTION_BITS) - EXPONENT_BIAS;
    double fraction = x * two_to(-exponent / 2) * two_to(-exponent - -exponent / 2); /* 2^-1023 is no normal number */
    if (fraction >= 0x1.6a09e667f3bcdp+0) {
        fraction /= 2;
        exponent++;
    }
    *n += exponent;
    return fraction;
}

/* x * 2^n, rounded once; x in [1/2, 4), n from -1080 to 1025. */
static double scaled(at_pair x, int n) {
    if (n > EXPONENT_MIN + 1 || x.high >= two_to(EXPONENT_MIN - n))
        return x.high * two_to(n / 2) * two_to(n - n / 2);
    double grain = two_to(EXPONENT_MIN - n); /* a sum with it has the spacing that denormal results have */
    at_pair sum = at_pair_sum(grain, x.high);
    double rounded = sum.high + (sum.low + x.low);
    return (rounded - grain) * two_to(n + 600) * 0x1p-600;
}

/* The nearest whole number, of a number below 2^51. */
static double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* x - n * (the sum of parts), where n times each of the first two parts is exact. */
static at_pair less_multiple(at_pair x, double n, const double parts[3]) {
    at_pair rest = at_pair_add(x, at_pair_of(-n * parts[0]));
    rest = at_pair_add(rest, at_pair_of(-n * parts[1]));
    return at_pair_add(rest, at_pair_of(-n * parts[2]));
}

/* ---- exp ---------------------------------------------------------------------------------------

   x = n ln 2 / 4096 + r:  e^x = 2^(n/4096) e^r, the first from two tables, the second 1 + r + r^2/2 + ... */

typedef struct power {
    at_pair table; /* 2^(n/4096 - exponent) */
    at_pair rest;  /* e^r - 1               */
    int exponent;
} power;

/* |r| < 2^-13: what comes after r^2/2 is small enough for one double. */
static at_pair small_expm1(at_pair r) {
    double x = r.high, tail = x * x * x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720))));
    at_pair square = at_pair_multiply(r, r), half = {square.high / 2, square.low / 2};
    return at_pair_add(r, at_pair_add(half, at_pair_of(tail)));
}

static at_pair power_in_table(int whole) {
    return at_pair_multiply(powers_64[whole >> 6 & 63], powers_4096[whole & 63]);
}

static int power_exponent(int whole) { return (whole - (whole & 4095)) / 4096; }

/* |x| < 800 */
static power power_of_e(at_pair x) {
    double n = nearest(x.high * per_ln2_4096);
    return (power){power_in_table((int)n), small_expm1(less_multiple(x, n, ln2_4096_parts)), power_exponent((int)n)};
}

static double exp_of(at_pair x) {
    if (x.high > 710)
        return INFINITY;
    if (x.high < -746)
        return 0;
    power p = power_of_e(x);
    return scaled(at_pair_add(p.table, at_pair_multiply(p.table, p.rest)), p.exponent);
}

/* Nearly always a sum of 62 bits tells where the rounding goes: then it is the same as that of the pair. */
static bool exp_quickly(double x, double *result) {
    if (!(fabs(x) < 700))
        return false;
    double n = nearest(x * per_ln2_4096), r = (x - n * ln2_4096_parts[0]) - n * (ln2_4096_parts[1] + ln2_4096_parts[2]);
    at_pair table = power_in_table((int)n);
    double low = table.low + table.high * (r + r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24))));
    double most = table.high + (low + 0x1p-62), least = table.high + (low - 0x1p-62);
    *result = most * two_to(power_exponent((int)n));
    return most == least;
}

double at_exp(double x) {
    double result;
    if (isnan(x))
        return x;
    return exp_quickly(x, &result) ? result : exp_of(at_pair_of(x));
}

/* ---- log ---------------------------------------------------------------------------------------

   x = 2^n f, c near 1/f from a table, s = (fc - 1) / (fc + 1):
   log x = n ln 2 - log c + 2 (s + s^3/3 + s^5/5 + ...)  */

/* 2 (s + s^3/3 + ...), s = t / (2 + t), |t| < 2^-6 */
static at_pair small_log1p(at_pair t) {
    at_pair s = at_pair_divide(t, at_pair_add(at_pair_of(2), t)), z = at_pair_multiply(s, s);
    double w = z.high, tail = 1.0 / 7 + w * (1.0 / 9 + w * (1.0 / 11 + w * (1.0 / 13 + w * (1.0 / 15))));
    static const at_pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const at_pair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    at_pair sum = at_pair_add(fifth, at_pair_multiply(z, at_pair_of(tail)));
    sum = at_pair_add(third, at_pair_multiply(z, sum));
    at_pair twice = {2 * s.high, 2 * s.low};
    return at_pair_add(twice, at_pair_multiply(twice, at_pair_multiply(z, sum)));
}

/* x > 0 and finite */
static at_pair log_of(at_pair x) {
    int n;
    double high = fraction_of(x.high, &n);
    double low = x.low == 0 ? 0 : x.low * two_to(-n); /* pairs come from at_log1p, far from the ends of the range */
    int index = (int)nearest(high * 64) - INVERSE_FIRST;
    at_pair product = at_pair_product(high, inverses[index]);
    at_pair t = at_pair_add(at_pair_of(product.high - 1), at_pair_sum(product.low, low * inverses[index]));
    at_pair sum = at_pair_add(inverse_logs[index], small_log1p(t));
    double whole = -n;
    return n == 0 ? sum : less_multiple(sum, whole, ln2_parts);
}

/* As in exp_quickly: log x = n ln 2 - log c + t - t^2/2 + ..., t = fc - 1, |t| < 2^-6, within 2^-62. */
static bool log_quickly(double x, double *result) {
    int n;
    double fraction = fraction_of(x, &n);
    int index = (int)nearest(fraction * 64) - INVERSE_FIRST;
    at_pair product = at_pair_product(fraction, inverses[index]);
    double t = product.high - 1, tail = 1.0 / 6 - t * (1.0 / 7 - t * (1.0 / 8 - t * (1.0 / 9)));
    double series = -t * t * (1.0 / 2 - t * (1.0 / 3 - t * (1.0 / 4 - t * (1.0 / 5 - t * tail))));
    at_pair whole = at_pair_sum(n * ln2_parts[0], inverse_logs[index].high), sum = at_pair_sum(whole.high, t);
    double low = whole.low + sum.low + inverse_logs[index].low + n * (ln2_parts[1] + ln2_parts[2]);
    low += series + (product.low - product.low * t);
    double most = sum.high + (low + 0x1p-61), least = sum.high + (low - 0x1p-61);
    *result = most;
    return most == least;
}

double at_log(double x) {
    double result;
    if (isnan(x) || x < 0)
        return (double)NAN;
    if (x == 0 || x > 0x1.fffffffffffffp1023)
        return x == 0 ? -INFINITY : x;
    return log_quickly(x, &result) ? result : log_of(at_pair_of(x)).high;
}

double at_log1p(double x) {
    if (fabs(x) < 0x1p-54)
        return x;
    if (!(x > -1) || x > 0x1p100)
        return at_log(1 + x);
    return log_of(at_pair_sum(1, x)).high;
}

/* ---- tanh --------------------------------------------------------------------------------------

   With m = e^2|x| - 1: tanh |x| = m / (m + 2). */

static at_pair expm1_of(at_pair x) {
    power p = power_of_e(x);
    at_pair product = at_pair_multiply(p.table, p.rest);
    double scale = two_to(p.exponent);
    if (p.exponent == 0)
        return at_pair_add(at_pair_add(p.table, at_pair_of(-1)), product);
    at_pair sum = at_pair_add(p.table, product), raised = {sum.high * scale, sum.low * scale};
    return at_pair_add(raised, at_pair_of(-1));
}

double at_tanh(double x) {
    double size = fabs(x);
    if (isnan(x) || size < 0x1p-28) /* x - x^3/3 rounds to x */
        return x;
    if (size > 20) /* 1 - 2 e^-2|x| rounds to 1 */
        return x < 0 ? -1 : 1;
    at_pair m = expm1_of(at_pair_of(2 * size));
    double result = at_pair_divide(m, at_pair_add(m, at_pair_of(2))).high;
    return x < 0 ? -result : result;
}

/* ---- Sine and cosine ---------------------------------------------------------------------------

   Quarters of a turn are taken out with as many bits of 2/pi as matter (Payne and Hanek, "Radian reduction for
   trigonometric functions", 1983), then the series are summed for an angle of at most pi/4. */

enum { WORDS = 8, PRODUCT_WORDS = WORDS + 2, WORD_BITS = 32 };

typedef struct reduced {
    at_pair angle; /* |angle| <= pi/4 and a little */
    int quarters;  /* taken out, modulo 4          */
} reduced;

/* product (PRODUCT_WORDS, lowest first) = fraction times WORDS words of 2/pi from word first on */
static void multiply_words(uint64_t fraction, int first, uint32_t product[PRODUCT_WORDS]) {
    uint64_t carry = 0, low = fraction & 0xffffffffu, high = fraction >> WORD_BITS;
    uint32_t above = 0; /* the word before, for the upper half of the fraction */
    for (int i = 0; i < PRODUCT_WORDS; i++) {
        uint32_t word = i < WORDS ? two_over_pi[first + WORDS - 1 - i] : 0;
        uint64_t one = low * word, other = high * above;
        uint64_t sum = carry + (one & 0xffffffffu) + (other & 0xffffffffu);
        product[i] = (uint32_t)sum;
        carry = (sum >> WORD_BITS) + (one >> WORD_BITS) + (other >> WORD_BITS);
        above = word;
    }
}

/* 32 bits of the product from bit place on; bits below 0 are 0. */
static uint32_t word_at(const uint32_t product[PRODUCT_WORDS], int place) {
    int index = place < 0 ? -1 : place / WORD_BITS, shift = (place + WORD_BITS) % WORD_BITS;
    uint64_t low = index >= 0 ? product[index] : 0, high = index + 1 < PRODUCT_WORDS ? product[index + 1] : 0;
    return place <= -WORD_BITS ? 0 : (uint32_t)((high << WORD_BITS | low) >> shift);
}

/* angle > 0 and finite.  angle = fraction * 2^exponent, and fraction * 2/pi has its point above bit `point`. */
static reduced take_out_quarters(double angle) {
    uint64_t bits = bits_of(angle), fraction = (bits & 0xfffffffffffffu) | (uint64_t)1 << FRACTION_BITS;
    int exponent = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS - FRACTION_BITS;
    int first = exponent < 2 ? 0 : (exponent - 2) / WORD_BITS; /* words before it give whole turns */
    int point = WORD_BITS * (first + WORDS) - exponent;
    uint32_t product[PRODUCT_WORDS];
    multiply_words(fraction, first, product);
    int quarters = (int)(word_at(product, point) & 3), upper = (int)(word_at(product, point - 1) & 1);
    at_pair sum = {-upper, 0};
    double weight = 1;
    for (int i = 1; i <= WORDS; i++) {
        weight *= 0x1p-32;
        sum = at_pair_add(sum, at_pair_of((double)word_at(product, point - WORD_BITS * i) * weight));
    }
    return (reduced){at_pair_multiply(sum, half_pi), (quarters + upper) & 3};
}

/* 1 + z (pairs[0] + z (pairs[1] + ... z (tail[0] + z (...)))), signs in the coefficients */
static at_pair series(at_pair z, const at_pair *pairs, int pair_count, const double *tail, int tail_count) {
    double rest = tail[tail_count - 1];
    for (int i = tail_count - 2; i >= 0; i--)
        rest = tail[i] + z.high * rest;
    at_pair sum = at_pair_of(rest);
    for (int i = pair_count - 1; i >= 0; i--)
        sum = at_pair_add(pairs[i], at_pair_multiply(z, sum));
    return at_pair_add(at_pair_of(1), at_pair_multiply(z, sum));
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

at_circle at_circle_at(double angle) {
    double size = fabs(angle);
    if (!(size <= 0x1.fffffffffffffp1023))
        return (at_circle){(double)NAN, (double)NAN};
    if (size < 0x1p-28) /* sine: x - x^3/6 rounds to x; cosine: 1 - x^2/2 to 1 */
        return (at_circle){1, angle};
    reduced turn = size < 0x1.921fb54442d18p-1 ? (reduced){at_pair_of(size), 0} : take_out_quarters(size);
    at_pair z = at_pair_multiply(turn.angle, turn.angle);
    double sine =
        at_pair_multiply(turn.angle, series(z, sine_pairs, COUNT(sine_pairs), sine_tail, COUNT(sine_tail))).high;
    double cosine = series(z, cosine_pairs, COUNT(cosine_pairs), cosine_tail, COUNT(cosine_tail)).high;
    at_circle quarters[4] = {{cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
    at_circle result = quarters[turn.quarters];
    return (at_circle){result.cosine, angle < 0 ? -result.sine : result.sine};
}

/* ---- Powers ------------------------------------------------------------------------------------ */

double at_power(double base, double exponent) {
    at_pair log = log_of(at_pair_of(base));
    if (fabs(log.high * exponent) > 800) /* beyond every double, and the pair might overflow */
        return log.high * exponent > 0 ? INFINITY : 0;
    return exp_of(at_pair_multiply(log, at_pair_of(exponent)));
}
