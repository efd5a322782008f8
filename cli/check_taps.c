/* The taps, against what one gets from the rows that they hand out. */
#include <math.h>

#include "check_compare.h"

enum { TOP = 3, BANDS = 2, KINDS = 3 };

/* Every tap of one call, with room for all rows, last query first. */
typedef struct tapped {
    const forward_call *call;
    attend_taps taps;
    attend_steps chain;
    attend_in capped; /* (B, H, Tq, Tk) scores without slopes and bias */
    outcome result;
} tapped;

static attend_status make_index_list(check_case *at, int64_t count, attend_in *list) {
    attend_out made;
    if (!check_memory_tensor(&at->memory, ATTEND_I32, 1, &count, &made))
        return ATTEND_MEMORY;
    *list = attend_read(made);
    return ATTEND_OK;
}

static int32_t *entries_of(const attend_in *list) { return (int32_t *)(uintptr_t)list->data; }

static attend_status make_row_taps(check_case *at, attend_taps *taps) {
    const attend_problem *problem = &at->call->problem;
    int64_t grid[] = {problem->batch, problem->heads, problem->queries, problem->keys};
    CHECK_TRY(make_index_list(at, problem->queries, &taps->rows));
    for (int64_t row = 0; row < problem->queries; row++)
        entries_of(&taps->rows)[row] = (int32_t)(problem->queries - 1 - row);
    CHECK_TRY(check_tensor(at, 4, grid, &taps->row_raw));
    CHECK_TRY(check_tensor(at, 4, grid, &taps->row_capped));
    CHECK_TRY(check_tensor(at, 4, grid, &taps->row_biased));
    return check_tensor(at, 4, grid, &taps->row_weights);
}

static attend_status make_query_taps(check_case *at, attend_taps *taps) {
    const attend_problem *problem = &at->call->problem;
    int64_t shape[] = {problem->batch, problem->heads, problem->queries, TOP};
    CHECK_TRY(check_tensor(at, 3, shape, &taps->row_max));
    CHECK_TRY(check_tensor(at, 3, shape, &taps->entropy));
    CHECK_TRY(check_tensor(at, 3, shape, &taps->top_rest));
    CHECK_TRY(check_tensor(at, 4, shape, &taps->top_weight));
    return check_memory_tensor(&at->memory, ATTEND_I32, 4, shape, &taps->top_index) ? ATTEND_OK : ATTEND_MEMORY;
}

static attend_status make_key_taps(check_case *at, attend_taps *taps) {
    const attend_problem *problem = &at->call->problem;
    int64_t columns[] = {problem->batch, problem->heads, problem->keys};
    int64_t cells[] = {problem->batch, problem->heads, BANDS, BANDS};
    int64_t kinds[] = {problem->batch, problem->heads, problem->queries, KINDS};
    CHECK_TRY(check_tensor(at, 3, columns, &taps->column_sum));
    CHECK_TRY(check_tensor(at, 4, cells, &taps->grid_sum));
    CHECK_TRY(check_tensor(at, 4, cells, &taps->grid_count));
    CHECK_TRY(check_tensor(at, 4, cells, &taps->grid_max));
    CHECK_TRY(check_tensor(at, 4, kinds, &taps->segment_mass));
    CHECK_TRY(make_index_list(at, problem->keys, &taps->segments));
    for (int64_t key = 0; key < problem->keys; key++)
        entries_of(&taps->segments)[key] = (int32_t)(key * key % KINDS);
    return ATTEND_OK;
}

static attend_status run_tapped(check_case *at, tapped *all) {
    const forward_call *call = at->call;
    attend_out capped;
    all->call = call;
    all->taps = attend_taps_init();
    CHECK_TRY(make_row_taps(at, &all->taps));
    CHECK_TRY(make_query_taps(at, &all->taps));
    CHECK_TRY(make_key_taps(at, &all->taps));
    all->taps.column_first = call->problem.queries / 3;
    CHECK_TRY(check_run_chain(at, &all->chain));
    attend_in raw = attend_read(all->chain.compare);
    CHECK_TRY(check_tensor(at, 4, raw.shape, &capped));
    CHECK_TRY(attend_scale(at->ctx, &call->problem, &raw, NULL, &capped));
    all->capped = attend_read(capped);
    return check_forward(at, at->ctx, call, &all->taps, &all->result);
}

static double at_out(const attend_out *tensor, int64_t b, int64_t h, int64_t i, int64_t j) {
    attend_in readable = attend_read(*tensor);
    return check_at(&readable, b, h, i, j);
}

/* Hidden pairs have the score -infinity in the chain, and of the scores seen none may have it, or be NaN: else one
   cannot tell from the chain what is hidden. */
static bool scores_are_plain(const tapped *all) {
    attend_in raw = attend_read(all->chain.compare), masked = attend_read(all->chain.mask);
    const double *before = raw.data, *after = masked.data;
    for (int64_t i = 0; i < raw.shape[0] * raw.shape[1] * raw.shape[2] * raw.shape[3]; i++)
        if (isinf(before[i]) || isnan(after[i]) || after[i] == INFINITY)
            return false;
    return true;
}

/* One query's row in all tensors. */
typedef struct row {
    const tapped *all;
    int64_t b, h, i;
    int64_t keys;
} row;

static bool is_seen(const row *at, int64_t key) {
    return at_out(&at->all->chain.mask, at->b, at->h, at->i, key) != -INFINITY;
}

static double tap_of_row(const row *at, const attend_out *tap, int64_t key) {
    return at_out(tap, at->b, at->h, tap->shape[2] - 1 - at->i, key);
}

static double weight(const row *at, int64_t key) { return tap_of_row(at, &at->all->taps.row_weights, key); }

/* Exactly the same scores; but a zero may have either sign, as adding no bias may change that. */
static double miss_of_scores(const row *at) {
    const tapped *all = at->all;
    double worst = 0, most = -INFINITY;
    for (int64_t key = 0; key < at->keys; key++) {
        bool seen = is_seen(at, key);
        double raw = seen ? at_out(&all->chain.compare, at->b, at->h, at->i, key) : -INFINITY;
        double capped = seen ? check_at(&all->capped, at->b, at->h, at->i, key) : -INFINITY;
        double masked = at_out(&all->chain.mask, at->b, at->h, at->i, key);
        worst = fmax(worst, check_apart(raw, tap_of_row(at, &all->taps.row_raw, key)));
        worst = fmax(worst, check_apart(capped, tap_of_row(at, &all->taps.row_capped, key)));
        worst = fmax(worst, check_apart(masked, tap_of_row(at, &all->taps.row_biased, key)));
        most = fmax(most, masked);
    }
    return fmax(worst, check_apart(most, at_out(&all->taps.row_max, at->b, at->h, at->i, 0)));
}

/* The heaviest seen key after another one; ties: the lower key first.  -1 when there is none. */
static int64_t next_heaviest(const row *at, int64_t previous) {
    int64_t best = -1;
    for (int64_t key = 0; key < at->keys; key++) {
        bool after = previous < 0 || weight(at, key) < weight(at, previous) ||
                     (weight(at, key) == weight(at, previous) && key > previous);
        if (is_seen(at, key) && after && (best < 0 || weight(at, key) > weight(at, best)))
            best = key;
    }
    return best;
}

static double miss_of_top(const row *at) {
    const attend_out *index = &at->all->taps.top_index;
    double worst = 0;
    int64_t key = -1;
    for (int64_t n = 0; n < TOP; n++) {
        int64_t place = at->b * index->stride[0] + at->h * index->stride[1] + at->i * index->stride[2] + n;
        bool past_last = n > 0 && key < 0;
        key = past_last ? -1 : next_heaviest(at, key);
        worst = fmax(worst, fabs((double)(key - ((const int32_t *)index->data)[place])));
        worst = fmax(worst, check_bits(key < 0 ? 0 : weight(at, key),
                                       at_out(&at->all->taps.top_weight, at->b, at->h, at->i, n)));
    }
    return worst;
}

/* Calls miss for each row; the result is the largest. */
static double worst_row(const check_case *at, const tapped *all, double (*miss)(const row *at)) {
    const attend_problem *problem = &at->call->problem;
    double worst = 0;
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t h = 0; h < problem->heads; h++)
            for (int64_t i = 0; i < problem->queries; i++) {
                row one = {all, b, h, i, problem->keys};
                worst = fmax(worst, miss(&one));
            }
    return worst;
}

/* A cell of the pooled grid, worked out from the rows. */
typedef struct cell {
    double sum, count, most;
} cell;

static cell pool(const check_case *at, const tapped *all, int64_t b, int64_t h, int64_t y, int64_t x) {
    int64_t queries = at->call->problem.queries, keys = at->call->problem.keys;
    cell found = {0, 0, 0};
    for (int64_t i = y * queries / BANDS; i < (y + 1) * queries / BANDS; i++)
        for (int64_t key = x * keys / BANDS; key < (x + 1) * keys / BANDS; key++) {
            row one = {all, b, h, i, keys};
            found.sum += weight(&one, key);
            found.count += is_seen(&one, key);
            found.most = fmax(found.most, weight(&one, key));
        }
    return found;
}

/* Sums of n positive numbers, each at most 1: rounding may cost n units of the sum, which itself is as large as the
   number of rows.  So an error counts in units of the square of that number. */
static double unit_of_rows(int64_t rows) { return rows > 1 ? (double)rows * (double)rows : 1; }

static void check_cells(const check_case *at, const tapped *all, double *picked, double *summed) {
    const attend_problem *problem = &at->call->problem;
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t h = 0; h < problem->heads; h++)
            for (int64_t y = 0; y < BANDS; y++)
                for (int64_t x = 0; x < BANDS; x++) {
                    cell want = pool(at, all, b, h, y, x);
                    *picked = fmax(*picked, check_bits(want.count, at_out(&all->taps.grid_count, b, h, y, x)));
                    *picked = fmax(*picked, check_bits(want.most, at_out(&all->taps.grid_max, b, h, y, x)));
                    *summed = fmax(*summed, check_apart(want.sum, at_out(&all->taps.grid_sum, b, h, y, x)) /
                                                unit_of_rows(problem->queries));
                }
}

attend_status check_picked(check_case *at, finding *found) {
    tapped all;
    double summed = 0;
    CHECK_TRY(run_tapped(at, &all));
    found->error = check_outcomes(at, &at->whole, &all.result, check_bits); /* looking changes nothing */
    found->compared = true;
    if (!scores_are_plain(&all))
        return ATTEND_OK;
    found->error = fmax(found->error, worst_row(at, &all, miss_of_scores));
    found->error = fmax(found->error, worst_row(at, &all, miss_of_top));
    check_cells(at, &all, &found->error, &summed);
    return ATTEND_OK;
}

static double lse_of(const row *at) { return check_at(&at->all->result.lse, at->b, at->h, at->i, 0); }

static double miss_of_weights(const row *at) {
    double worst = 0;
    for (int64_t key = 0; key < at->keys; key++)
        worst = fmax(worst, check_apart(weight(at, key), at_out(&at->all->chain.normalize, at->b, at->h, at->i, key)));
    return worst / check_unit(lse_of(at));
}

static double surprise(double probability) { return probability > 0 ? -probability * log(probability) : 0; }

/* The sink is one more outcome. */
static double miss_of_entropy(const row *at) {
    double entropy = surprise(check_sink_weight(&at->all->call->extra.sinks, at->h, lse_of(at)));
    for (int64_t key = 0; key < at->keys; key++)
        entropy += surprise(weight(at, key));
    return check_apart(entropy, at_out(&at->all->taps.entropy, at->b, at->h, at->i, 0)) /
           (check_unit(lse_of(at)) * (1 + entropy));
}

/* A row without keys and sink has no weight that could be left over. */
static double miss_of_rest(const row *at) {
    double rest = lse_of(at) == -INFINITY ? 0 : 1;
    for (int64_t n = 0; n < TOP; n++)
        rest -= at_out(&at->all->taps.top_weight, at->b, at->h, at->i, n);
    return check_apart(rest, at_out(&at->all->taps.top_rest, at->b, at->h, at->i, 0));
}

static double miss_of_kinds(const row *at) {
    double mass[KINDS] = {0}, worst = 0;
    for (int64_t key = 0; key < at->keys; key++)
        mass[key * key % KINDS] += weight(at, key);
    for (int64_t kind = 0; kind < KINDS; kind++)
        worst = fmax(worst, check_apart(mass[kind], at_out(&at->all->taps.segment_mass, at->b, at->h, at->i, kind)));
    return worst;
}

static double miss_of_column(const check_case *at, const tapped *all, int64_t b, int64_t h, int64_t key) {
    double sum = 0;
    for (int64_t i = all->taps.column_first; i < at->call->problem.queries; i++) {
        row one = {all, b, h, i, at->call->problem.keys};
        sum += weight(&one, key);
    }
    return check_apart(sum, at_out(&all->taps.column_sum, b, h, key, 0)) / unit_of_rows(at->call->problem.queries);
}

attend_status check_summed(check_case *at, finding *found) {
    const attend_problem *problem = &at->call->problem;
    tapped all;
    double picked = 0;
    CHECK_TRY(run_tapped(at, &all));
    found->compared = scores_are_plain(&all);
    if (!found->compared)
        return ATTEND_OK;
    check_cells(at, &all, &picked, &found->error);
    found->error = fmax(found->error, worst_row(at, &all, miss_of_weights));
    found->error = fmax(found->error, worst_row(at, &all, miss_of_entropy));
    found->error = fmax(found->error, worst_row(at, &all, miss_of_rest));
    found->error = fmax(found->error, worst_row(at, &all, miss_of_kinds));
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t h = 0; h < problem->heads; h++)
            for (int64_t key = 0; key < problem->keys; key++)
                found->error = fmax(found->error, miss_of_column(at, &all, b, h, key));
    return ATTEND_OK;
}
