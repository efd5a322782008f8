#include "fused/added.h"

#include "fused/panel.h"

static double slope_of(const at_problem *problem, int64_t h) { return at_get(&problem->slopes, h, 0, 0, 0); }

/* ALiBi alone knows nothing but the distance: neighbouring queries of a head share one row of it, each a key further
   on.  row[i] becomes the part of the shared row that is row i's. */
static void share_slopes(const at_problem *problem, const at_query *query, int32_t rows, at_span span, at_real *scratch,
                         const at_real **row) {
    for (int32_t first = 0, end; first < rows; first = end) {
        for (end = first + 1; end < rows && query[end].h == query[first].h; end++)
            if (query[end].position != query[end - 1].position + 1)
                break;
        int64_t last = query[end - 1].position, count = end - first - 1 + span.end - span.first;
        double slope = slope_of(problem, query[first].h);
        for (int64_t n = 0; n < count; n++)
            scratch[n] = at_real_of(-slope * fabs((double)(last - span.first - n)));
        for (int32_t i = first; i < end; i++)
            row[i] = scratch + (last - query[i].position);
        scratch += count;
    }
}

/* Where no slope comes to it, a row of adjacent floats is read where it lies. */
static const at_real *bias_row(const at_problem *problem, const at_kernels *kernels, const at_query *query,
                               at_span span, at_real *scratch) {
    const attend_in *bias = &problem->bias;
    bool plain = !at_given_in(&problem->slopes) && bias->stride[3] == 1, half = at_is_half(bias->dtype);
    double slope = at_given_in(&problem->slopes) ? slope_of(problem, query->h) : 0;
    int64_t place = query->b * bias->stride[0] + query->h * bias->stride[1] + query->i * bias->stride[2] + span.first;
    if (plain && bias->dtype == AT_REAL_DTYPE)
        return (const at_real *)bias->data + place;
    if (plain && half)
        kernels->widen((const uint16_t *)bias->data + place, bias->dtype, span.end - span.first, scratch);
    for (int64_t j = span.first; !(plain && half) && j < span.end; j++)
        scratch[j - span.first] =
            at_real_of(-slope * fabs((double)(query->position - j)) + at_get(bias, query->b, query->h, query->i, j));
    return scratch;
}

void at_added(const at_problem *problem, const at_kernels *kernels, const at_query *query, int32_t rows, at_span span,
              at_real *scratch, at_real *added) {
    const at_real *row[AT_LANES];
    if (!at_given_in(&problem->bias))
        share_slopes(problem, query, rows, span, scratch, row);
    for (int32_t i = 0; at_given_in(&problem->bias) && i < rows; i++)
        row[i] = bias_row(problem, kernels, &query[i], span, scratch + i * AT_ADDED_KEYS);
    kernels->pack(row, rows, span.end - span.first, 1.0f, added);
}
