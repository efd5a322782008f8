/* pair.h - a number as the sum of two doubles, high + low with |low| at most half a unit of high: about 106 bits.

   Every operation is plain double arithmetic without fused multiply-adds, so that the bits are the same on every
   machine.  Source: Dekker, "A floating-point technique for extending the available precision" (1971); Shewchuk,
   "Adaptive precision floating-point arithmetic" (1997), section 2. */
#ifndef AT_PAIR_H
#define AT_PAIR_H

typedef struct at_pair {
    double high, low;
} at_pair;

/* a + b, exactly; |a| >= |b| or a is 0. */
static inline at_pair at_pair_ordered(double a, double b) {
    double high = a + b;
    return (at_pair){high, b - (high - a)};
}

/* a + b, exactly. */
static inline at_pair at_pair_sum(double a, double b) {
    double high = a + b, part = high - a;
    return (at_pair){high, (a - (high - part)) + (b - part)};
}

/* Half of the bits of a, so that products of halves are exact; |a| < 2^996. */
static inline double at_pair_half(double a) {
    double shifted = a * 0x1.0000002p27;
    return shifted - (shifted - a);
}

/* a * b, exactly, unless it comes near the ends of the range. */
static inline at_pair at_pair_product(double a, double b) {
    double high = a * b, a1 = at_pair_half(a), b1 = at_pair_half(b), a2 = a - a1, b2 = b - b1;
    return (at_pair){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline at_pair at_pair_add(at_pair a, at_pair b) {
    at_pair high = at_pair_sum(a.high, b.high), low = at_pair_sum(a.low, b.low);
    high = at_pair_ordered(high.high, high.low + low.high);
    return at_pair_ordered(high.high, high.low + low.low);
}

static inline at_pair at_pair_multiply(at_pair a, at_pair b) {
    at_pair product = at_pair_product(a.high, b.high);
    return at_pair_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline at_pair at_pair_negate(at_pair a) { return (at_pair){-a.high, -a.low}; }

static inline at_pair at_pair_of(double a) { return (at_pair){a, 0}; }

static inline at_pair at_pair_divide(at_pair a, at_pair b) {
    double first = a.high / b.high;
    at_pair rest = at_pair_add(a, at_pair_negate(at_pair_multiply(b, at_pair_of(first))));
    double second = rest.high / b.high;
    rest = at_pair_add(rest, at_pair_negate(at_pair_multiply(b, at_pair_of(second))));
    at_pair quotient = at_pair_ordered(first, second);
    return at_pair_ordered(quotient.high, quotient.low + rest.high / b.high);
}

#endif
