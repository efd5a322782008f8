#include "trace_facts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* exp of the scores as they are is shown while the largest of a row lies between these two. */
static const double exponential_shown_from = 0.1, exponential_shown_to = 1e5;

/* exp below this is less than the smallest double, and becomes 0. */
static const double exponent_vanishes = -744;

static int allocate(trace_facts *facts, const worked *work) {
    size_t rows = (size_t)(work->heads * work->tokens);
    double **blocks[] = {&facts->exponentials, &facts->totals,   &facts->tops,
                         &facts->sums,         &facts->smallest, &facts->largest};
    size_t counts[] = {rows * (size_t)work->tokens,     rows, rows, rows, rows * (size_t)work->value_width,
                       rows * (size_t)work->value_width};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        *blocks[i] = calloc(counts[i], sizeof **blocks[i]);
        if (*blocks[i] == NULL)
            return 0;
    }
    return 1;
}

/* ---- exponentials --------------------------------------------------------------------------- */

/* Tokens that query row (of 0..H*T-1) sees: all of them up to this one. */
static int64_t seen(const worked *work, int64_t row) { return work->causal ? row % work->tokens + 1 : work->tokens; }

static int out_of_sight(double exponential) {
    return !(exponential >= exponential_shown_from && exponential < exponential_shown_to);
}

static void find_tops(const worked *work, trace_facts *facts, int64_t shown) {
    for (int64_t row = 0; row < work->heads * work->tokens; row++) {
        const double *scores = work->masked + row * work->tokens;
        facts->tops[row] = scores[0];
        for (int64_t j = 1; j < seen(work, row); j++)
            facts->tops[row] = fmax(facts->tops[row], scores[j]);
        if (shown < 0 || row % work->tokens == shown)
            facts->shifted |= out_of_sight(attend_exp(facts->tops[row]));
    }
}

static void find_exponentials(const worked *work, trace_facts *facts) {
    for (int64_t row = 0; row < work->heads * work->tokens; row++)
        for (int64_t j = 0; j < seen(work, row); j++) {
            int64_t cell = row * work->tokens + j;
            facts->exponentials[cell] = attend_exp(work->masked[cell] - (facts->shifted ? facts->tops[row] : 0));
            facts->totals[row] += facts->exponentials[cell];
        }
}

/* ---- weights are positive and sum to 1 ------------------------------------------------------- */

/* T weights that come from one division each by their computed total: 2T roundings of at most half an epsilon of 1,
   in the library's sum, the divisions and the sum here. */
static double sum_tolerance(const worked *work) { return (double)(work->tokens + 1) * DBL_EPSILON; }

/* A weight that is positive, but smaller than any double, and so stored as 0. */
static int vanishes(const worked *work, int64_t row, int64_t cell) {
    return work->weights[cell] == 0 && work->masked[cell] - work->lse[row] < exponent_vanishes;
}

int trace_weights_hold(const worked *work, const trace_facts *facts, int64_t row) {
    for (int64_t cell = row * work->tokens; cell < row * work->tokens + seen(work, row); cell++)
        if (!(work->weights[cell] > 0) && !vanishes(work, row, cell))
            return 0;
    return fabs(1 - facts->sums[row]) <= sum_tolerance(work);
}

static void check_weights(const worked *work, trace_facts *facts) {
    for (int64_t row = 0; row < work->heads * work->tokens; row++) {
        for (int64_t cell = row * work->tokens; cell < row * work->tokens + seen(work, row); cell++) {
            facts->sums[row] += work->weights[cell];
            facts->vanished += vanishes(work, row, cell);
        }
        double error = fabs(1 - facts->sums[row]);
        facts->sum_error = isnan(error) || error > facts->sum_error ? error : facts->sum_error;
        facts->weights_hold &= trace_weights_hold(work, facts, row);
    }
}

/* ---- a mixture stays among its values -------------------------------------------------------- */

static void find_range(const worked *work, trace_facts *facts, int64_t row, int64_t channel) {
    int64_t kv_head = worked_kv_head(work, row / work->tokens), cell = row * work->value_width + channel;
    const double *values = work->v + kv_head * work->tokens * work->value_width + channel; /* (T, E) */
    facts->smallest[cell] = facts->largest[cell] = values[0];
    for (int64_t j = 1; j < seen(work, row); j++) {
        facts->smallest[cell] = fmin(facts->smallest[cell], values[j * work->value_width]);
        facts->largest[cell] = fmax(facts->largest[cell], values[j * work->value_width]);
    }
}

/* The weights may miss 1 by the tolerance of their sum; their products with the values are rounded, and so is the sum
   of those: twice that tolerance, for the largest size among the values. */
int trace_mixture_holds(const worked *work, const trace_facts *facts, int64_t row) {
    for (int64_t cell = row * work->value_width; cell < (row + 1) * work->value_width; cell++) {
        double smallest = facts->smallest[cell], largest = facts->largest[cell];
        double slack =
            2 * sum_tolerance(work) * fmax(fabs(smallest), fabs(largest)) + DBL_MIN; /* below it products lose digits */
        if (!(work->mixture[cell] >= smallest - slack && work->mixture[cell] <= largest + slack))
            return 0;
    }
    return 1;
}

static void check_mixtures(const worked *work, trace_facts *facts) {
    for (int64_t row = 0; row < work->heads * work->tokens; row++) {
        for (int64_t channel = 0; channel < work->value_width; channel++)
            find_range(work, facts, row, channel);
        facts->mixtures_hold &= trace_mixture_holds(work, facts, row);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

trace_facts *trace_facts_make(const worked *work, int64_t shown) {
    trace_facts *facts = calloc(1, sizeof *facts);
    if (facts == NULL || !allocate(facts, work)) {
        trace_facts_free(facts);
        return NULL;
    }
    facts->weights_hold = facts->mixtures_hold = 1;
    find_tops(work, facts, shown);
    find_exponentials(work, facts);
    check_weights(work, facts);
    check_mixtures(work, facts);
    return facts;
}

void trace_facts_free(trace_facts *facts) {
    if (facts == NULL)
        return;
    double *blocks[] = {facts->exponentials, facts->totals, facts->tops, facts->sums, facts->smallest, facts->largest};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
    free(facts);
}
