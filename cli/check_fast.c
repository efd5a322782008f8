/* The fast path against the readable one, and its bits against themselves. */
#include <float.h>
#include <math.h>

#include "check_compare.h"
#include "check_part.h"

/* Whether the fast path calculates in f64. */
static bool is_double(const forward_call *call) {
    return call->q.dtype == ATTEND_F64 || call->k.dtype == ATTEND_F64 || call->v.dtype == ATTEND_F64;
}

/* The output in the type of the sums; *fast says whether attend_forward took the fast path, as it does where it can. */
static attend_status forward_fast(check_case *at, attend_ctx *ctx, const forward_call *call, outcome *result,
                                  bool *fast) {
    attend_out o, wide;
    attend_dtype dtype = is_double(call) ? ATTEND_F64 : ATTEND_F32;
    attend_taps taps = attend_taps_init();
    int64_t shape[] = {call->problem.batch, call->problem.heads, call->problem.queries, call->v.shape[3]};
    if (!check_memory_tensor(&at->memory, dtype, 4, shape, &o))
        return ATTEND_MEMORY;
    CHECK_TRY(check_tensor(at, 4, shape, &wide));
    CHECK_TRY(check_tensor(at, 3, shape, &taps.lse));
    CHECK_TRY(attend_forward(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &o, &taps));
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; i++)
        ((double *)wide.data)[i] =
            dtype == ATTEND_F64 ? ((const double *)o.data)[i] : (double)((const float *)o.data)[i];
    result->o = attend_read(wide);
    result->lse = attend_read(taps.lse);
    *fast = strcmp(attend_ctx_path(ctx), "fast") == 0;
    return ATTEND_OK;
}

/* ---- How far it may lie from the readable path ------------------------------------------------------------------- */

static double norm(const attend_in *tensor, int64_t b, int64_t h, int64_t t) {
    double sum = 0;
    for (int64_t d = 0; d < tensor->shape[3]; d++)
        sum += pow(check_value(tensor, b, h, t, d), 2);
    return sqrt(sum);
}

/* The largest norm of a key; keys that are not finite are hidden, or spoil the rows that see them anyway. */
static double largest_norm(const attend_in *keys) {
    double most = 0;
    for (int64_t b = 0; b < keys->shape[0]; b++)
        for (int64_t g = 0; g < keys->shape[1]; g++)
            for (int64_t j = 0; j < keys->shape[2]; j++) {
                double length = norm(keys, b, g, j);
                most = isfinite(length) && length > most ? length : most;
            }
    return most;
}

static double scale_of(const attend_problem *problem) {
    bool given = problem->scale != 0 || (problem->flags & ATTEND_EXACT_SCALE) != 0;
    return given ? fabs(problem->scale) : 1 / sqrt((double)problem->head_width);
}

/* What is known of a call about the size of its scores. */
typedef struct sizes {
    double key;   /* largest norm of a key                                    */
    double scale; /* magnitude of the factor                                  */
    double added; /* most that softcap, slopes and bias put into a score      */
    double sum;   /* terms of the sums: a chunk of 256 keys, then the chunks  */
} sizes;

static sizes sizes_of(const check_case *at) {
    const forward_call *call = at->call;
    double reach = (double)(call->problem.queries + call->problem.keys);
    sizes found = {largest_norm(&call->k), scale_of(&call->problem), call->problem.softcap, 0};
    for (int64_t group = 0; group < groups_count(call); group++)
        reach = fmax(reach,
                     (double)(call->problem.queries + call->problem.keys) + fabs((double)groups_offset(call, group)));
    found.added += check_largest(&call->extra.bias) + reach * check_largest(&call->extra.slopes);
    found.sum = fmin((double)call->problem.keys, 256) + (double)call->problem.keys / 256;
    return found;
}

/* With u = 2^-24, or 2^-53 in f64: a score is a sum of D products, off by at most D u |q| |k| (Cauchy and Schwarz), then scaled, capped
   and added to, each step with a few u of what it handles.  A weight is off relatively by as much as its score, and the
   sums of n weights, above and below the division, by n u each.  So the output is off by at most twice the sum of all
   that times the largest value, and lse by half of it. */
static double allowed_of_row(const check_case *at, const sizes *known, double query) {
    const double u = (is_double(at->call) ? DBL_EPSILON : (double)FLT_EPSILON) / 2;
    double score = ((double)at->call->problem.head_width + 4) * known->scale * query * known->key + 4 * known->added;
    return 2 * u * (score + known->sum + 8);
}

/* Keeps the row whose error is the largest share of what is allowed there. */
static void add_row(check_case *at, const sizes *known, const outcome *fast, int64_t b, int64_t h, int64_t i,
                    finding *found) {
    double lse = check_at(&at->whole.lse, b, h, i, 0);
    double error = check_apart(lse, check_at(&fast->lse, b, h, i, 0)) / check_unit(lse);
    for (int64_t e = 0; e < fast->o.shape[3]; e++)
        error = fmax(error,
                     check_apart(check_at(&at->whole.o, b, h, i, e), check_at(&fast->o, b, h, i, e)) / at->value_most);
    double allowed = allowed_of_row(at, known, norm(&at->call->q, b, h, i));
    if (isfinite(allowed) && error * found->allowed >= found->error * allowed) {
        found->error = error;
        found->allowed = allowed;
    }
}

attend_status check_fast(check_case *at, finding *found) {
    outcome fast;
    CHECK_TRY(forward_fast(at, at->ctx, at->call, &fast, &found->compared));
    if (!found->compared)
        return ATTEND_OK;
    sizes known = sizes_of(at);
    for (int64_t b = 0; b < fast.o.shape[0]; b++)
        for (int64_t h = 0; h < fast.o.shape[1]; h++)
            for (int64_t i = 0; i < fast.o.shape[2]; i++)
                add_row(at, &known, &fast, b, h, i, found);
    return ATTEND_OK;
}

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

static attend_status compare_queries(check_case *at, const outcome *whole, int64_t group, finding *found) {
    part all = part_of_group(at->call, group), one = all;
    for (int64_t query = 0; query < all.queries.count; query++) {
        one.queries = (span){query, 1};
        forward_call call = part_call(at->call, &one);
        outcome alone, rows = {part_result(at->call, &one, whole->o), part_result(at->call, &one, whole->lse)};
        bool fast;
        CHECK_TRY(forward_fast(at, at->ctx, &call, &alone, &fast));
        found->error = fmax(found->error, check_outcomes(at, &rows, &alone, check_bits));
    }
    return ATTEND_OK;
}

attend_status check_fast_bits(check_case *at, finding *found) {
    outcome whole, again;
    bool fast;
    CHECK_TRY(forward_fast(at, at->ctx, at->call, &whole, &found->compared));
    if (!found->compared)
        return ATTEND_OK;
    CHECK_TRY(forward_fast(at, at->other, at->call, &again, &fast));
    found->error = check_outcomes(at, &whole, &again, check_bits);
    for (int64_t group = 0; group < groups_count(at->call); group++)
        CHECK_TRY(compare_queries(at, &whole, group, found));
    return ATTEND_OK;
}
