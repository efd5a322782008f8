/* normalize: P[j] = exp(S[j] - L), L = log sum_j exp S[j]  (softmax, Vaswani et al. 2017, section 3.2.1).
   The largest score is taken out before the exponential, so that nothing overflows. */
#include "base/elementary.h"
#include "stage/row.h"

static double sink_of(const at_problem *problem, const at_row *row) {
    return at_given_in(&problem->sinks) ? at_get(&problem->sinks, row->at.h, 0, 0, 0) : -INFINITY;
}

/* Largest score, NaN when one of them is, unless another is infinity. */
static double largest(const double *scores, int64_t count) {
    double max = -INFINITY;
    bool broken = false;
    for (int64_t j = 0; j < count; j++) {
        broken = broken || isnan(scores[j]);
        max = scores[j] > max ? scores[j] : max;
    }
    return broken && max < INFINITY ? (double)NAN : max;
}

/* Sums over the outcomes of a row, m being the largest score. */
typedef struct outcomes {
    bool largest_met;
    double others; /* sum of e^(s-m) without the largest, which is 1 and would swallow small ones */
    double spread; /* sum of e^(s-m) (m-s)                                                        */
} outcomes;

static void add_outcome(outcomes *sums, double score, double m) {
    double part = at_exp(score - m);
    if (part == 0)
        return; /* the distance alone may overflow */
    sums->spread += part * (m - score);
    if (score == m && !sums->largest_met)
        sums->largest_met = true;
    else
        sums->others += part;
}

/* Entropy -sum p log p without cancellation: with l = sum e^(s-m) and t = sum e^(s-m) (m-s), it is
   log l + t/l, and both terms are >= 0. */
static double entropy_of(const double *masked, int64_t count, double sink, double m) {
    outcomes sums = {false, 0, 0};
    add_outcome(&sums, sink, m);
    for (int64_t j = 0; j < count; j++)
        add_outcome(&sums, masked[j], m);
    return at_log1p(sums.others) + sums.spread / (1 + sums.others);
}

void at_normalize_row(const at_problem *problem, at_row *row) {
    double sink = sink_of(problem, row);
    row->max = largest(row->masked, problem->keys);
    double m = isnan(sink) || sink > row->max ? sink : row->max; /* what is taken out: the sink counts too */
    double l = sink == -INFINITY ? 0 : at_exp(sink - m);
    for (int64_t j = 0; j < problem->keys; j++) {
        row->weights[j] = row->masked[j] == -INFINITY ? 0 : at_exp(row->masked[j] - m);
        l += row->weights[j];
    }
    for (int64_t j = 0; j < problem->keys; j++)
        row->weights[j] = l == 0 || !row->seen[j] ? 0 : row->weights[j] / l; /* NaN in l: all that is seen is NaN */
    row->lse = m == -INFINITY ? -INFINITY : m + at_log(l);
    row->entropy = m == -INFINITY ? 0 : entropy_of(row->masked, problem->keys, sink, m);
}

void at_reweigh_row(const at_problem *problem, double lse, at_row *row) {
    row->lse = lse;
    row->max = row->entropy = NAN;
    for (int64_t j = 0; j < problem->keys; j++)
        row->weights[j] = lse == -INFINITY || !row->seen[j] ? 0 : at_exp(row->masked[j] - lse);
}
