/* join: L = log(e^La + e^Lb), O = e^(La-L) Oa + e^(Lb-L) Ob (Milakov and Gimelshein 2018, section 3). */
#include "stage/join.h"

#include <math.h>

#include "base/elementary.h"
#include "stage/row.h"

static double join_lse(double a, double b) {
    double high = a > b || isnan(a) ? a : b, low = high == a ? b : a;
    if (low == -INFINITY)
        return high; /* also when both are: nothing was seen */
    return high + at_log1p(at_exp(low - high));
}

/* e^(own - L), written without L: rounded, L = 1e16 would hide that two parts share the weight. */
static double share(double own_lse, double other_lse) { return 1 / (1 + at_exp(other_lse - own_lse)); }

/* A part without weight is left out rather than multiplied by 0: what it holds never matters. */
static double join_value(double lse_a, double a, double lse_b, double b) {
    if (lse_a == -INFINITY)
        return lse_b == -INFINITY ? 0 : b;
    if (lse_b == -INFINITY)
        return a;
    return at_part_of(a, share(lse_a, lse_b)) + at_part_of(b, share(lse_b, lse_a));
}

static void join_row(const attend_in *o_a, double lse_a, const attend_in *o_b, double lse_b, const attend_out *o,
                     int64_t b, int64_t h, int64_t i) {
    for (int64_t e = 0; e < o->shape[3]; e++)
        at_set(o, b, h, i, e, join_value(lse_a, at_get(o_a, b, h, i, e), lse_b, at_get(o_b, b, h, i, e)));
}

void at_join(const attend_in *o_a, const attend_in *lse_a, const attend_in *o_b, const attend_in *lse_b,
             const attend_out *o, const attend_out *lse) {
    for (int64_t b = 0; b < o->shape[0]; b++)
        for (int64_t h = 0; h < o->shape[1]; h++)
            for (int64_t i = 0; i < o->shape[2]; i++) {
                double sum_a = at_get(lse_a, b, h, i, 0), sum_b = at_get(lse_b, b, h, i, 0);
                join_row(o_a, sum_a, o_b, sum_b, o, b, h, i);
                if (at_given_out(lse))
                    at_set(lse, b, h, i, 0, join_lse(sum_a, sum_b));
            }
}
