/* embed: x[b,t] = the row of the table that token [b,t] names. */
#include "stage/views.h"
#include "tensor/tensor.h"

void at_embed(const attend_in *tokens, const attend_in *table, const attend_out *x) {
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t t = 0; t < x->shape[1]; t++) {
            int64_t token = (int64_t)at_get(tokens, b, t, 0, 0);
            for (int64_t c = 0; c < x->shape[2]; c++)
                at_set(x, b, t, c, 0, at_get(table, token, c, 0, 0));
        }
}
