#include "check_compare.h"

#include <float.h>
#include <math.h>

#include "check_number.h"
#include "check_part.h"

attend_status check_tensor(check_case *at, int32_t rank, const int64_t *shape, attend_out *tensor) {
    return check_memory_tensor(&at->memory, ATTEND_F64, rank, shape, tensor) ? ATTEND_OK : ATTEND_MEMORY;
}

attend_status check_forward(check_case *at, attend_ctx *ctx, const forward_call *call, const attend_taps *taps,
                            outcome *result) {
    attend_problem problem = call->problem;
    int64_t shape[] = {problem.batch, problem.heads, problem.queries, call->v.shape[3]};
    attend_out o;
    problem.flags |= ATTEND_READABLE;
    attend_taps all = taps == NULL ? attend_taps_init() : *taps;
    CHECK_TRY(check_tensor(at, 4, shape, &o));
    CHECK_TRY(check_tensor(at, 3, shape, &all.lse));
    result->o = attend_read(o);
    result->lse = attend_read(all.lse);
    return attend_forward(ctx, &problem, &call->q, &call->k, &call->v, &call->extra, &o, &all);
}

/* ---- Distances --------------------------------------------------------------------------------------------------- */

static const void *element_at(const attend_in *tensor, int64_t i, int64_t j, int64_t l, int64_t m) {
    int64_t index[] = {i, j, l, m}, place = 0;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        place += index[axis] * tensor->stride[axis];
    return (const char *)tensor->data + place * (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
}

double check_at(const attend_in *tensor, int64_t i, int64_t j, int64_t l, int64_t m) {
    return *(const double *)element_at(tensor, i, j, l, m);
}

double check_apart(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a - b) ? fabs(a - b) : INFINITY;
}

double check_bits(double a, double b) {
    double apart = check_apart(a, b);
    return apart == 0 && !isnan(a) && signbit(a) != signbit(b) ? DBL_TRUE_MIN : apart;
}

static int64_t size_of(const attend_in *tensor, int32_t axis) { return axis < tensor->rank ? tensor->shape[axis] : 1; }

double check_tensors(const attend_in *a, const attend_in *b, double (*distance)(double a, double b)) {
    double worst = 0;
    for (int64_t i = 0; i < size_of(a, 0); i++)
        for (int64_t j = 0; j < size_of(a, 1); j++)
            for (int64_t l = 0; l < size_of(a, 2); l++)
                for (int64_t m = 0; m < size_of(a, 3); m++)
                    worst = fmax(worst, distance(check_at(a, i, j, l, m), check_at(b, i, j, l, m)));
    return worst;
}

double check_unit(double lse) { return isfinite(lse) ? 1 + fabs(lse) : 1; }

double check_outcomes(const check_case *at, const outcome *a, const outcome *b,
                      double (*distance)(double a, double b)) {
    double worst = 0;
    for (int64_t i = 0; i < a->o.shape[0]; i++)
        for (int64_t j = 0; j < a->o.shape[1]; j++)
            for (int64_t l = 0; l < a->o.shape[2]; l++) {
                double lse = check_at(&a->lse, i, j, l, 0), unit = check_unit(lse);
                worst = fmax(worst, distance(lse, check_at(&b->lse, i, j, l, 0)) / unit);
                for (int64_t m = 0; m < a->o.shape[3]; m++)
                    worst = fmax(worst, distance(check_at(&a->o, i, j, l, m), check_at(&b->o, i, j, l, m)) /
                                            (unit * at->value_most));
            }
    return worst;
}

double check_bound(const check_case *at) { return 4 * (double)(at->call->problem.keys + 8) * DBL_EPSILON / 2; }

/* ---- One case ---------------------------------------------------------------------------------------------------- */

double check_value(const attend_in *tensor, int64_t i, int64_t j, int64_t l, int64_t m) {
    return check_number_get((attend_dtype)tensor->dtype, element_at(tensor, i, j, l, m));
}

double check_largest(const attend_in *tensor) {
    double most = 0;
    for (int64_t i = 0; tensor->data != NULL && i < size_of(tensor, 0); i++)
        for (int64_t j = 0; j < size_of(tensor, 1); j++)
            for (int64_t l = 0; l < size_of(tensor, 2); l++)
                for (int64_t m = 0; m < size_of(tensor, 3); m++) {
                    double magnitude = fabs(check_value(tensor, i, j, l, m));
                    most = isfinite(magnitude) && magnitude > most ? magnitude : most;
                }
    return most;
}

attend_status check_case_begin(check_case *at) {
    CHECK_TRY(check_forward(at, at->ctx, at->call, NULL, &at->whole));
    at->value_most = check_largest(&at->call->v);
    if (at->value_most == 0)
        at->value_most = 1;
    return ATTEND_OK;
}

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

static attend_status compare_threads(check_case *at, finding *found) {
    outcome again;
    CHECK_TRY(check_forward(at, at->other, at->call, NULL, &again));
    found->error = check_outcomes(at, &at->whole, &again, check_bits);
    found->compared = true;
    return ATTEND_OK;
}

/* A part on its own, beside its rows in the whole. */
static attend_status compare_part(check_case *at, const part *wanted, finding *found) {
    forward_call call = part_call(at->call, wanted);
    outcome alone, rows = {part_result(at->call, wanted, at->whole.o), part_result(at->call, wanted, at->whole.lse)};
    CHECK_TRY(check_forward(at, at->ctx, &call, NULL, &alone));
    found->error = fmax(found->error, check_outcomes(at, &rows, &alone, check_bits));
    found->compared = true;
    return ATTEND_OK;
}

static attend_status compare_groups(check_case *at, finding *found) {
    for (int64_t group = 0; group < groups_count(at->call); group++) {
        part all = part_of_group(at->call, group);
        CHECK_TRY(compare_part(at, &all, found));
    }
    return ATTEND_OK;
}

static attend_status compare_heads(check_case *at, finding *found) {
    for (int64_t group = 0; group < groups_count(at->call); group++)
        for (int64_t head = 0; head < at->call->problem.heads; head++) {
            part one = part_of_group(at->call, group);
            one.heads = (span){head, 1};
            CHECK_TRY(compare_part(at, &one, found));
        }
    return ATTEND_OK;
}

static attend_status compare_queries(check_case *at, finding *found) {
    for (int64_t group = 0; group < groups_count(at->call); group++) {
        part all = part_of_group(at->call, group), one = all;
        for (int64_t query = 0; query < all.queries.count; query++) {
            one.queries = (span){query, 1};
            CHECK_TRY(compare_part(at, &one, found));
        }
    }
    return ATTEND_OK;
}

/* The same elements one after another. */
static attend_status make_dense(check_case *at, attend_in *tensor) {
    attend_out dense;
    size_t size = attend_dtype_size((attend_dtype)tensor->dtype);
    if (tensor->data == NULL)
        return ATTEND_OK;
    if (!check_memory_tensor(&at->memory, (attend_dtype)tensor->dtype, tensor->rank, tensor->shape, &dense))
        return ATTEND_MEMORY;
    char *to = dense.data;
    for (int64_t i = 0; i < size_of(tensor, 0); i++)
        for (int64_t j = 0; j < size_of(tensor, 1); j++)
            for (int64_t l = 0; l < size_of(tensor, 2); l++)
                for (int64_t m = 0; m < size_of(tensor, 3); m++, to += size)
                    memcpy(to, element_at(tensor, i, j, l, m), size);
    *tensor = attend_read(dense);
    return ATTEND_OK;
}

static attend_status compare_dense(check_case *at, finding *found) {
    forward_call dense = *at->call;
    outcome again;
    CHECK_TRY(make_dense(at, &dense.q));
    CHECK_TRY(make_dense(at, &dense.k));
    CHECK_TRY(make_dense(at, &dense.v));
    CHECK_TRY(make_dense(at, &dense.extra.mask));
    CHECK_TRY(make_dense(at, &dense.extra.bias));
    CHECK_TRY(make_dense(at, &dense.extra.slopes));
    CHECK_TRY(make_dense(at, &dense.extra.sinks));
    CHECK_TRY(check_forward(at, at->ctx, &dense, NULL, &again));
    found->error = check_outcomes(at, &at->whole, &again, check_bits);
    found->compared = true;
    return ATTEND_OK;
}

/* An output in float is the one in double, rounded once. */
static attend_status compare_rounded(check_case *at, finding *found) {
    forward_call call = *at->call;
    const attend_in *o = &at->whole.o;
    attend_out narrow;
    call.problem.flags |= ATTEND_READABLE;
    if (!check_memory_tensor(&at->memory, ATTEND_F32, 4, o->shape, &narrow))
        return ATTEND_MEMORY;
    CHECK_TRY(attend_forward(at->ctx, &call.problem, &call.q, &call.k, &call.v, &call.extra, &narrow, NULL));
    const float *single = narrow.data;
    const double *full = o->data;
    for (int64_t i = 0; i < o->shape[0] * o->shape[1] * o->shape[2] * o->shape[3]; i++)
        found->error = fmax(found->error, check_bits((double)(float)full[i], (double)single[i]));
    found->compared = true;
    return ATTEND_OK;
}

/* ---- Other orders of the sums ------------------------------------------------------------------------------------ */

/* Keys in two halves, each a call of its own, and joined.  A sink is in the first half only. */
static attend_status split_and_join(check_case *at, const part *all, int64_t cut, outcome *joined) {
    part first = *all, second = *all;
    outcome a, b;
    attend_out o, lse;
    first.keys.count = second.keys.first = cut;
    second.keys.count = all->keys.count - cut;
    forward_call first_call = part_call(at->call, &first), second_call = part_call(at->call, &second);
    second_call.extra.sinks.data = NULL;
    CHECK_TRY(check_forward(at, at->ctx, &first_call, NULL, &a));
    CHECK_TRY(check_forward(at, at->ctx, &second_call, NULL, &b));
    CHECK_TRY(check_tensor(at, 4, a.o.shape, &o));
    CHECK_TRY(check_tensor(at, 3, a.o.shape, &lse));
    joined->o = attend_read(o);
    joined->lse = attend_read(lse);
    return attend_join(at->ctx, &a.o, &a.lse, &b.o, &b.lse, &o, &lse);
}

static attend_status compare_split(check_case *at, finding *found) {
    for (int64_t group = 0; group < groups_count(at->call); group++) {
        part all = part_of_group(at->call, group);
        outcome joined, rows = {part_result(at->call, &all, at->whole.o), part_result(at->call, &all, at->whole.lse)};
        CHECK_TRY(split_and_join(at, &all, (all.keys.count + 1) / 2, &joined));
        found->error = fmax(found->error, check_outcomes(at, &rows, &joined, check_apart));
        found->compared = true;
    }
    return ATTEND_OK;
}

static attend_in backwards(attend_in tensor, int32_t axis) {
    if (tensor.data == NULL || axis < 0 || tensor.shape[axis] < 2)
        return tensor;
    tensor.data = element_at(&tensor, axis == 0 ? tensor.shape[0] - 1 : 0, axis == 1 ? tensor.shape[1] - 1 : 0,
                             axis == 2 ? tensor.shape[2] - 1 : 0, axis == 3 ? tensor.shape[3] - 1 : 0);
    tensor.stride[axis] = -tensor.stride[axis];
    return tensor;
}

/* Without limits and slopes a query does not know where a key stands, so keys may come in any order. */
static attend_status compare_reversed(check_case *at, finding *found) {
    bool positions_matter = (at->call->problem.flags & (ATTEND_LIMIT_AHEAD | ATTEND_LIMIT_BACK)) != 0 ||
                            at->call->extra.slopes.data != NULL;
    for (int64_t group = 0; group < groups_count(at->call) && !positions_matter; group++) {
        part all = part_of_group(at->call, group);
        forward_call call = part_call(at->call, &all);
        outcome again, rows = {part_result(at->call, &all, at->whole.o), part_result(at->call, &all, at->whole.lse)};
        call.k = backwards(call.k, 2);
        call.v = backwards(call.v, 2);
        call.extra.mask = backwards(call.extra.mask, call.extra.mask.rank - 1);
        call.extra.bias = backwards(call.extra.bias, call.extra.bias.rank - 1);
        CHECK_TRY(check_forward(at, at->ctx, &call, NULL, &again));
        found->error = fmax(found->error, check_outcomes(at, &rows, &again, check_apart));
        found->compared = true;
    }
    return ATTEND_OK;
}

const comparison check_comparisons[] = {
    {"fast", "the fast path", false, check_fast},
    {"fastbits", "the fast path: other threads, plain C, each query alone", true, check_fast_bits},
    {"threads", "with another number of threads", true, compare_threads},
    {"groups", "each batch row or packed sequence alone, without the keys that are not there", true, compare_groups},
    {"heads", "each head alone", true, compare_heads},
    {"queries", "each query alone", true, compare_queries},
    {"dense", "the same numbers without gaps in memory", true, compare_dense},
    {"rounded", "the output in float", true, compare_rounded},
    {"split", "the keys in two halves, joined", false, compare_split},
    {"reversed", "the keys in the opposite order", false, compare_reversed},
    {"stages", "the stages called one by one, against the chain", true, check_stages},
    {"chain", "the chain of stages, every grid stored", false, check_chain},
    {"weights", "the weights of a row, and of its sink, sum to 1", false, check_weights},
    {"picked", "taps that pick: scores, largest, heaviest, counts", true, check_picked},
    {"summed", "taps that sum: entropy, received, pooled, by kind", false, check_summed},
};
const int check_comparisons_count = sizeof check_comparisons / sizeof check_comparisons[0];
