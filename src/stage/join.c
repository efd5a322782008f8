/* join: L = log(e^La + e^Lb), O = e^(La-L) Oa + e^(Lb-L) Ob (Milakov and Gimelshein 2018, section 3). */
#include "stage/join.h"

#include <math.h>

#include "tensor/tensor.h"

static double join_lse(double a, double b) {
    double high = a > b || isnan(a) ? a : b, low = high == a ? b : a;
    if (low == -INFINITY)
        return high; /* also when both are: nothing was seen */
    return high + log1p(exp(low - high));
}

/* A part without weight is left out rather than multiplied by 0: what it holds never matters. */
static double share(double lse_part, double lse, double value) {
    return lse_part == -INFINITY ? 0 : exp(lse_part - lse) * value;
}

void at_join(const attend_in *o_a, const attend_in *lse_a, const attend_in *o_b, const attend_in *lse_b,
             const attend_out *o, const attend_out *lse) {
    for (int64_t b = 0; b < o->shape[0]; b++)
        for (int64_t h = 0; h < o->shape[1]; h++)
            for (int64_t i = 0; i < o->shape[2]; i++) {
                double a_lse = at_get(lse_a, b, h, i, 0), b_lse = at_get(lse_b, b, h, i, 0);
                double joined = join_lse(a_lse, b_lse);
                for (int64_t e = 0; e < o->shape[3]; e++)
                    at_set(o, b, h, i, e,
                           share(a_lse, joined, at_get(o_a, b, h, i, e)) + share(b_lse, joined, at_get(o_b, b, h, i, e)));
                if (at_given_out(lse))
                    at_set(lse, b, h, i, 0, joined);
            }
}
