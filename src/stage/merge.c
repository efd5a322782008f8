/* merge: y[b,t,c] = sum_h sum_e o[b,h,t,e] weight[c,h,e] + bias[c]: the heads side by side, times W_O
   (Vaswani et al. 2017, section 3.2.2). */
#include "stage/views.h"
#include "tensor/tensor.h"

static double merge_one(const attend_in *o, const attend_in *weight, const attend_in *bias, int64_t b, int64_t t,
                        int64_t c) {
    double sum = at_given_in(bias) ? at_get(bias, c, 0, 0, 0) : 0;
    for (int64_t h = 0; h < o->shape[1]; h++)
        for (int64_t e = 0; e < o->shape[3]; e++)
            sum += at_get(o, b, h, t, e) * at_get(weight, c, h, e, 0);
    return sum;
}

void at_merge(const attend_in *o, const attend_in *weight, const attend_in *bias, const attend_out *y) {
    for (int64_t b = 0; b < y->shape[0]; b++)
        for (int64_t t = 0; t < y->shape[1]; t++)
            for (int64_t c = 0; c < y->shape[2]; c++)
                at_set(y, b, t, c, 0, merge_one(o, weight, bias, b, t, c));
}
