#include "problem/taps.h"

#include <string.h>

#include "base/check.h"
#include "base/size.h"

/* Several outputs share the size of an axis: the first one given (or NULL) decides, the others must agree. */
static at_axis shared_axis(const attend_out *first, int32_t axis, const char *name) {
    at_axis shared = {first && at_given_out(first) ? first->shape[axis] : AT_ANY, name};
    return shared;
}

static attend_status take_wide(at_arguments *arguments, const at_problem *p, const char *name, const attend_out *tensor,
                               unsigned kinds, at_axis third, at_axis last, attend_out *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, third, last};
    return at_argument_out_if(arguments, name, tensor, kinds, 4, axes, view);
}

static attend_status import_top(at_arguments *arguments, const at_problem *p, const attend_taps *taps,
                                at_taps *result) {
    at_axis queries = {p->queries, "queries"};
    AT_TRY(take_wide(arguments, p, "taps.top_index", &taps->top_index, AT_INDICES, queries, shared_axis(NULL, 3, ""),
                     &result->top_index));
    AT_TRY(take_wide(arguments, p, "taps.top_weight", &taps->top_weight, AT_NUMBERS, queries,
                     shared_axis(&result->top_index, 3, "top_index.shape[3]"), &result->top_weight));
    AT_TRY(at_problem_per_query(arguments, p, "taps.top_rest", &taps->top_rest, &result->top_rest));
    bool index = at_given_out(&result->top_index), weight = at_given_out(&result->top_weight);
    if (index && p->keys - 1 > INT32_MAX)
        return at_fail(arguments->ctx, ATTEND_TOO_LARGE, "taps.top_index is i32, too narrow for %lld keys",
                       (long long)p->keys);
    if (at_given_out(&result->top_rest) && !index && !weight)
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "taps.top_rest needs taps.top_weight or taps.top_index");
    result->top = index ? result->top_index.shape[3] : weight ? result->top_weight.shape[3] : 0;
    return ATTEND_OK;
}

static attend_status check_indices(attend_ctx *ctx, const char *name, const attend_in *list, int64_t count) {
    for (int64_t i = 0; at_given_in(list) && i < list->shape[0]; i++) {
        int64_t value = (int64_t)at_get(list, i, 0, 0, 0);
        if (value < 0 || value >= count)
            return at_fail(ctx, ATTEND_ARGUMENT, "%s[%lld] is %lld (allowed 0 to %lld)", name, (long long)i,
                           (long long)value, (long long)count - 1);
    }
    return ATTEND_OK;
}

static attend_status import_rows(at_arguments *arguments, const at_problem *p, const attend_taps *taps,
                                 at_taps *result) {
    at_axis any = {AT_ANY, ""}, keys = {p->keys, "keys"};
    AT_TRY(at_argument_in_if(arguments, "taps.rows", &taps->rows, AT_INDICES, 1, &any, &result->rows));
    at_axis rows = {at_given_in(&result->rows) ? result->rows.shape[0] : 0, "the number of taps.rows"};
    const struct {
        const char *name;
        const attend_out *tensor;
        attend_out *view;
    } outputs[] = {{"taps.row_raw", &taps->row_raw, &result->row_raw},
                   {"taps.row_capped", &taps->row_capped, &result->row_capped},
                   {"taps.row_biased", &taps->row_biased, &result->row_biased},
                   {"taps.row_weights", &taps->row_weights, &result->row_weights}};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        AT_TRY(take_wide(arguments, p, outputs[i].name, outputs[i].tensor, AT_NUMBERS, rows, keys, outputs[i].view));
    return ATTEND_OK;
}

static attend_status import_columns(at_arguments *arguments, const at_problem *p, const attend_taps *taps,
                                    at_taps *result) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, {p->keys, "keys"}};
    AT_TRY(
        at_argument_out_if(arguments, "taps.column_sum", &taps->column_sum, AT_NUMBERS, 3, axes, &result->column_sum));
    int64_t first = taps->column_first, count = taps->column_count;
    if (first < 0 || first > p->queries)
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "taps.column_first is %lld (allowed 0 to %lld)",
                       (long long)first, (long long)p->queries);
    if (count < 0 || count > p->queries - first)
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "taps.column_count is %lld (allowed 0 to %lld)",
                       (long long)count, (long long)(p->queries - first));
    result->column_first = first;
    result->column_end = count ? first + count : p->queries;
    return ATTEND_OK;
}

static attend_status import_grid(at_arguments *arguments, const at_problem *p, const attend_taps *taps,
                                 at_taps *result) {
    const struct {
        const char *name;
        const attend_out *tensor;
        attend_out *view;
    } outputs[] = {{"taps.grid_sum", &taps->grid_sum, &result->grid_sum},
                   {"taps.grid_count", &taps->grid_count, &result->grid_count},
                   {"taps.grid_max", &taps->grid_max, &result->grid_max}};
    const attend_out *first = NULL;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        AT_TRY(take_wide(arguments, p, outputs[i].name, outputs[i].tensor, AT_NUMBERS,
                         shared_axis(first, 2, "the other grid's shape[2]"),
                         shared_axis(first, 3, "the other grid's shape[3]"), outputs[i].view));
        if (first == NULL && at_given_out(outputs[i].view))
            first = outputs[i].view;
    }
    result->grid_rows = first ? first->shape[2] : 0;
    result->grid_columns = first ? first->shape[3] : 0;
    int64_t product;
    if (!at_i64_mul(p->queries, result->grid_rows, &product) || !at_i64_mul(p->keys, result->grid_columns, &product))
        return at_fail(arguments->ctx, ATTEND_TOO_LARGE, "a grid of %lld x %lld cells over %lld x %lld pairs",
                       (long long)result->grid_rows, (long long)result->grid_columns, (long long)p->queries,
                       (long long)p->keys);
    return ATTEND_OK;
}

static attend_status import_segments(at_arguments *arguments, const at_problem *p, const attend_taps *taps,
                                     at_taps *result) {
    at_axis keys = {p->keys, "keys"}, queries = {p->queries, "queries"};
    AT_TRY(take_wide(arguments, p, "taps.segment_mass", &taps->segment_mass, AT_NUMBERS, queries,
                     shared_axis(NULL, 3, ""), &result->segment_mass));
    AT_TRY(at_argument_in_if(arguments, "taps.segments", &taps->segments, AT_INDICES, 1, &keys, &result->segments));
    if (at_given_out(&result->segment_mass) && !at_given_in(&result->segments))
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "taps.segment_mass needs taps.segments");
    return ATTEND_OK;
}

attend_status at_taps_import(at_arguments *arguments, const at_problem *p, const attend_taps *taps, at_taps *result) {
    attend_taps given;
    memset(result, 0, sizeof *result);
    result->column_end = p->queries;
    if (taps == NULL)
        return ATTEND_OK;
    AT_TRY(at_import(arguments->ctx, "taps", taps, &given, sizeof given));
    AT_TRY(at_import_reserved(arguments->ctx, "taps", given.reserved));
    AT_TRY(at_problem_per_query(arguments, p, "taps.lse", &given.lse, &result->lse));
    AT_TRY(at_problem_per_query(arguments, p, "taps.row_max", &given.row_max, &result->row_max));
    AT_TRY(at_problem_per_query(arguments, p, "taps.entropy", &given.entropy, &result->entropy));
    AT_TRY(import_top(arguments, p, &given, result));
    AT_TRY(import_rows(arguments, p, &given, result));
    AT_TRY(import_columns(arguments, p, &given, result));
    AT_TRY(import_grid(arguments, p, &given, result));
    return import_segments(arguments, p, &given, result);
}

attend_status at_taps_check(attend_ctx *ctx, const at_problem *p, const at_taps *taps) {
    AT_TRY(check_indices(ctx, "taps.rows", &taps->rows, p->queries));
    if (at_given_out(&taps->segment_mass))
        AT_TRY(check_indices(ctx, "taps.segments", &taps->segments, taps->segment_mass.shape[3]));
    return ATTEND_OK;
}
