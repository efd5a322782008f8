/* project: y[b,h,t,d] = sum_c x[b,t,c] weight[h,d,c] + bias[h,d]: a query, key or value is a learned view of
   one token (Vaswani et al. 2017, section 3.2.2). */
#include "stage/views.h"
#include "tensor/tensor.h"

static double project_one(const attend_in *x, const attend_in *weight, const attend_in *bias, int64_t b, int64_t h,
                          int64_t t, int64_t d) {
    double sum = at_given_in(bias) ? at_get(bias, h, d, 0, 0) : 0;
    for (int64_t c = 0; c < x->shape[2]; c++)
        sum += at_get(x, b, t, c, 0) * at_get(weight, h, d, c, 0);
    return sum;
}

void at_project(const attend_in *x, const attend_in *weight, const attend_in *bias, const attend_out *y) {
    for (int64_t b = 0; b < y->shape[0]; b++)
        for (int64_t h = 0; h < y->shape[1]; h++)
            for (int64_t t = 0; t < y->shape[2]; t++)
                for (int64_t d = 0; d < y->shape[3]; d++)
                    at_set(y, b, h, t, d, project_one(x, weight, bias, b, h, t, d));
}
