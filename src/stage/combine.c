/* combine: O[e] = sum_j P[j] V[j,e]  (Vaswani et al. 2017, section 3.2.1: the weighted average of the values).
   A hidden value is not read: 0 times NaN would be NaN. */
#include "stage/row.h"

void at_combine_row(const at_problem *problem, const attend_in *v, at_row *row) {
    for (int64_t e = 0; e < problem->value_width; e++)
        row->output[e] = 0;
    for (int64_t j = 0; j < problem->keys; j++)
        for (int64_t e = 0; row->seen[j] && e < problem->value_width; e++)
            row->output[e] += at_part_of(at_get(v, row->at.b, row->at.g, j, e), row->weights[j]);
}
