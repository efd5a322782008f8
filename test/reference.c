#include "reference.h"

/* Element [b,h,i,j] of an optional input that is aligned on the right with [B,H,Tq,Tk]. */
static double spread_get(const attend_in *tensor, int64_t b, int64_t h, int64_t i, int64_t j) {
    int64_t whole[] = {b, h, i, j}, index[4] = {0, 0, 0, 0};
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        index[axis] = tensor->shape[axis] == 1 ? 0 : whole[4 - tensor->rank + axis];
    return test_get(tensor, index[0], index[1], index[2], index[3]);
}

static int64_t list_get(const attend_in *list, int64_t index) { return (int64_t)test_get(list, index, 0, 0, 0); }

/* Sequence of a packed batch that token t belongs to: starts[s] <= t < starts[s+1]. */
static int64_t sequence_of(const attend_in *starts, int64_t t) {
    int64_t s = 0;
    while (!(list_get(starts, s) <= t && t < list_get(starts, s + 1)))
        s++;
    return s;
}

/* Sequence (or batch row) and the positions of i and j counted from its start; false when they are not together. */
static bool together(const attend_extra *extra, int64_t b, int64_t *i, int64_t *j, int64_t *s) {
    *s = b;
    if (extra->query_starts.data == NULL)
        return true;
    *s = sequence_of(&extra->query_starts, *i);
    if (sequence_of(&extra->key_starts, *j) != *s)
        return false;
    *i -= list_get(&extra->query_starts, *s);
    *j -= list_get(&extra->key_starts, *s);
    return true;
}

static int64_t offset_of(const attend_problem *problem, const attend_extra *extra, int64_t s) {
    return extra->query_offsets.data ? list_get(&extra->query_offsets, s) : problem->query_offset;
}

bool reference_sees(const attend_problem *problem, const attend_extra *extra, int64_t b, int64_t h, int64_t i,
                    int64_t j) {
    int64_t own_i = i, own_j = j, s;
    if (!together(extra, b, &own_i, &own_j, &s))
        return false;
    int64_t p = own_i + offset_of(problem, extra, s);
    if ((problem->flags & ATTEND_LIMIT_AHEAD) && own_j > p + problem->ahead)
        return false;
    if ((problem->flags & ATTEND_LIMIT_BACK) && own_j < p - problem->back)
        return false;
    if (extra->key_count.data && own_j >= list_get(&extra->key_count, s))
        return false;
    if (extra->mask.data && spread_get(&extra->mask, b, h, i, j) == 0)
        return false;
    return extra->bias.data == NULL || spread_get(&extra->bias, b, h, i, j) != -INFINITY;
}

/* slope * |i + offset - j|, positions counted from the start of a packed sequence. */
static double distance_penalty(const attend_problem *problem, const attend_extra *extra, int64_t b, int64_t h,
                               int64_t i, int64_t j) {
    int64_t s;
    if (extra->slopes.data == NULL || !together(extra, b, &i, &j, &s))
        return 0;
    return test_get(&extra->slopes, h, 0, 0, 0) * fabs((double)(i + offset_of(problem, extra, s) - j));
}

static reference new_reference(const attend_problem *problem) {
    reference r = {0};
    r.B = problem->batch;
    r.H = problem->heads;
    r.G = problem->kv_heads ? problem->kv_heads : r.H;
    r.Tq = problem->queries;
    r.Tk = problem->keys;
    r.D = problem->head_width;
    r.E = problem->value_width ? problem->value_width : r.D;
    size_t queries = (size_t)(r.B * r.H * r.Tq), pairs = queries * (size_t)r.Tk;
    r.seen = test_block(pairs * sizeof(bool));
    double **grids[] = {&r.raw, &r.capped, &r.scores, &r.masked, &r.weights};
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        *grids[n] = test_block(pairs * sizeof(double));
    double **lists[] = {&r.lse, &r.row_max, &r.entropy, &r.sink_mass};
    for (size_t n = 0; n < COUNT_OF(lists); n++)
        *lists[n] = test_block(queries * sizeof(double));
    r.output = test_block(queries * (size_t)r.E * sizeof(double));
    return r;
}

static void fill_scores(const reference *r, const attend_problem *problem, const attend_extra *extra,
                        const attend_in *q, const attend_in *k, int64_t b, int64_t h, int64_t i) {
    bool given = problem->scale != 0 || (problem->flags & ATTEND_EXACT_SCALE);
    double scale = given ? problem->scale : 1 / sqrt((double)r->D), cap = problem->softcap;
    for (int64_t j = 0; j < r->Tk; j++) {
        int64_t at = reference_pair(r, b, h, i, j);
        r->raw[at] = 0;
        for (int64_t d = 0; d < r->D; d++)
            r->raw[at] += test_get(q, b, h, i, d) * test_get(k, b, h / (r->H / r->G), j, d);
        r->capped[at] = cap > 0 ? cap * tanh(r->raw[at] * scale / cap) : r->raw[at] * scale;
        r->scores[at] = r->capped[at] - distance_penalty(problem, extra, b, h, i, j);
        if (extra->bias.data)
            r->scores[at] += spread_get(&extra->bias, b, h, i, j);
        r->seen[at] = reference_sees(problem, extra, b, h, i, j);
        r->masked[at] = r->seen[at] ? r->scores[at] : -INFINITY;
    }
}

/* Softmax in the order of the textbook: the sum, its logarithm, then exp(S - L); the entropy by its definition. */
static void fill_weights(const reference *r, double sink, int64_t b, int64_t h, int64_t i) {
    int64_t row = reference_pair(r, b, h, i, 0), query = reference_query(r, b, h, i);
    double max = -INFINITY, sum = 0, entropy = 0;
    for (int64_t j = 0; j < r->Tk; j++)
        max = r->masked[row + j] > max ? r->masked[row + j] : max;
    r->row_max[query] = max;
    double top = sink > max ? sink : max;
    for (int64_t j = 0; j < r->Tk; j++)
        sum += r->seen[row + j] ? exp(r->masked[row + j] - top) : 0;
    if (sink != -INFINITY)
        sum += exp(sink - top);
    r->lse[query] = top == -INFINITY ? -INFINITY : top + log(sum);
    r->sink_mass[query] = sink == -INFINITY ? 0 : exp(sink - r->lse[query]);
    for (int64_t j = 0; j < r->Tk; j++) {
        double p = r->seen[row + j] ? exp(r->masked[row + j] - r->lse[query]) : 0;
        r->weights[row + j] = p;
        entropy -= p > 0 ? p * log(p) : 0;
    }
    r->entropy[query] = entropy - (r->sink_mass[query] > 0 ? r->sink_mass[query] * log(r->sink_mass[query]) : 0);
}

/* Infinity reaches the row, however little of it is taken. */
static double part_of(double value, double weight) { return isinf(value) && weight == 0 ? value : value * weight; }

static void fill_output(const reference *r, const attend_in *v, int64_t b, int64_t h, int64_t i) {
    for (int64_t e = 0; e < r->E; e++) {
        double sum = 0;
        for (int64_t j = 0; j < r->Tk; j++)
            if (r->seen[reference_pair(r, b, h, i, j)])
                sum += part_of(test_get(v, b, h / (r->H / r->G), j, e), r->weights[reference_pair(r, b, h, i, j)]);
        r->output[reference_query(r, b, h, i) * r->E + e] = sum;
    }
}

reference reference_attention(const attend_problem *problem, const attend_in *q, const attend_in *k, const attend_in *v,
                              const attend_extra *extra) {
    attend_extra none = attend_extra_init();
    reference r = new_reference(problem);
    extra = extra ? extra : &none;
    for (int64_t b = 0; b < r.B; b++)
        for (int64_t h = 0; h < r.H; h++)
            for (int64_t i = 0; i < r.Tq; i++) {
                double sink = extra->sinks.data ? test_get(&extra->sinks, h, 0, 0, 0) : -INFINITY;
                fill_scores(&r, problem, extra, q, k, b, h, i);
                fill_weights(&r, sink, b, h, i);
                fill_output(&r, v, b, h, i);
            }
    return r;
}
