/* compare: R[j] = sum_d Q[d] K[j,d]  (Vaswani et al. 2017, section 3.2.1: Q K^T). */
#include "stage/row.h"

static double dot(const at_problem *problem, const at_row *row, const attend_in *k, int64_t j) {
    double sum = 0;
    for (int64_t d = 0; d < problem->head_width; d++)
        sum += row->query[d] * at_get(k, row->at.b, row->at.g, j, d);
    return sum;
}

void at_compare_row(const at_problem *problem, const attend_in *k, at_row *row) {
    for (int64_t j = 0; j < problem->keys; j++)
        row->raw[j] = row->seen[j] ? dot(problem, row, k, j) : -INFINITY;
}
