/* scale: S[j] = c tanh(R[j] scale / c) - slope |p - j| + bias[j].  The cap comes before everything that is
   added, and hiding comes last, so that a cap never lets a hidden key back in. */
#include "base/elementary.h"
#include "stage/row.h"

/* Softcap (Gemma Team, "Gemma 2", 2024, section 2): keeps a score within -c..c; 0 means off. */
static double cap(const at_problem *problem, double score) {
    return problem->softcap > 0 ? problem->softcap * at_tanh(score / problem->softcap) : score;
}

/* ALiBi (Press et al. 2021, section 3): a key loses slope for each place it is away. */
static double distance_bias(const at_problem *problem, const at_query *at, int64_t j) {
    if (!at_given_in(&problem->slopes))
        return 0;
    return -at_get(&problem->slopes, at->h, 0, 0, 0) * fabs((double)(at->position - j));
}

static double given_bias(const at_problem *problem, const at_query *at, int64_t j) {
    return at_given_in(&problem->bias) ? at_get(&problem->bias, at->b, at->h, at->i, j) : 0;
}

void at_scale_row(const at_problem *problem, at_row *row) {
    for (int64_t j = 0; j < problem->keys; j++) {
        row->capped[j] = row->scores[j] = -INFINITY;
        if (!row->seen[j])
            continue;
        row->capped[j] = cap(problem, row->raw[j] * problem->scale);
        row->scores[j] = row->capped[j] + distance_bias(problem, &row->at, j) + given_bias(problem, &row->at, j);
    }
}
