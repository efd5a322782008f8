#include "problem/problem.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/size.h"
#include "base/text.h"

static const int64_t POSITION_MAX = (int64_t)1 << 60; /* sums of three positions stay inside 64 bits */

static attend_status check_size(attend_ctx *ctx, const char *name, int64_t value) {
    if (value < 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.%s is %lld (allowed 0 or more)", name, (long long)value);
    if (value > POSITION_MAX)
        return at_fail(ctx, ATTEND_TOO_LARGE, "problem.%s is %lld (allowed up to 2^60)", name, (long long)value);
    return ATTEND_OK;
}

static attend_status check_position(attend_ctx *ctx, const char *name, int64_t value) {
    if (value < -POSITION_MAX || value > POSITION_MAX)
        return at_fail(ctx, ATTEND_TOO_LARGE, "problem.%s is %lld (allowed -2^60 to 2^60)", name, (long long)value);
    return ATTEND_OK;
}

static attend_status import_sizes(attend_ctx *ctx, const attend_problem *given, at_problem *result) {
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"batch", given->batch},
                 {"heads", given->heads},
                 {"kv_heads", given->kv_heads},
                 {"queries", given->queries},
                 {"keys", given->keys},
                 {"head_width", given->head_width},
                 {"value_width", given->value_width}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        AT_TRY(check_size(ctx, sizes[i].name, sizes[i].value));
    result->batch = given->batch;
    result->heads = given->heads;
    result->kv_heads = given->kv_heads ? given->kv_heads : given->heads;
    result->queries = given->queries;
    result->keys = given->keys;
    result->head_width = given->head_width;
    result->value_width = given->value_width ? given->value_width : given->head_width;
    if (result->kv_heads && result->heads % result->kv_heads != 0)
        return at_fail(ctx, ATTEND_SHAPE, "problem.heads is %lld, not a multiple of kv_heads %lld",
                       (long long)result->heads, (long long)result->kv_heads);
    int64_t rows;
    if (!at_i64_mul(result->batch, result->heads, &rows))
        return at_fail(ctx, ATTEND_TOO_LARGE, "problem.batch %lld times heads %lld does not fit",
                       (long long)result->batch, (long long)result->heads);
    result->group = result->kv_heads ? result->heads / result->kv_heads : 1;
    return ATTEND_OK;
}

static attend_status import_positions(attend_ctx *ctx, const attend_problem *given, at_problem *result) {
    const uint32_t known = ATTEND_LIMIT_AHEAD | ATTEND_LIMIT_BACK | ATTEND_EXACT_SCALE | ATTEND_READABLE;
    if (given->flags & ~known)
        return at_fail(ctx, ATTEND_NEWER, "problem.flags is 0x%x, this library knows 0x%x", (unsigned)given->flags,
                       (unsigned)known);
    AT_TRY(check_position(ctx, "query_offset", given->query_offset));
    AT_TRY(check_position(ctx, "ahead", given->ahead));
    AT_TRY(check_position(ctx, "back", given->back));
    result->flags = given->flags;
    result->query_offset = given->query_offset;
    result->ahead = given->ahead;
    result->back = given->back;
    return ATTEND_OK;
}

static attend_status import_scale(attend_ctx *ctx, const attend_problem *given, at_problem *result) {
    if (!isfinite(given->scale))
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.scale is %s, not finite", at_text_real(given->scale).text);
    if (!isfinite(given->softcap) || given->softcap < 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.softcap is %s (allowed 0 for off, or a positive number)",
                       at_text_real(given->softcap).text);
    bool literal = given->scale != 0 || (given->flags & ATTEND_EXACT_SCALE);
    if (!literal && result->head_width == 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem.head_width is 0, so scale 1/sqrt(0) has no value: set scale");
    result->scale = literal ? given->scale : sqrt(1 / (double)result->head_width);
    result->softcap = given->softcap;
    return ATTEND_OK;
}

/* Values of an i32 list must lie in low..high; a list of starts must also rise from low to high. */
static attend_status check_list(attend_ctx *ctx, const char *name, const attend_in *list, int64_t low, int64_t high,
                                bool starts) {
    int64_t previous = low;
    for (int64_t i = 0; at_given_in(list) && i < list->shape[0]; i++) {
        int64_t value = (int64_t)at_get(list, i, 0, 0, 0);
        if (value < low || value > high)
            return at_fail(ctx, ATTEND_ARGUMENT, "%s[%lld] is %lld (allowed %lld to %lld)", name, (long long)i,
                           (long long)value, (long long)low, (long long)high);
        if (starts && value < previous)
            return at_fail(ctx, ATTEND_ARGUMENT, "%s[%lld] is %lld but %s[%lld] is %lld: starts never fall", name,
                           (long long)i, (long long)value, name, (long long)(i - 1), (long long)previous);
        previous = value;
    }
    return ATTEND_OK;
}

static attend_status check_starts(attend_ctx *ctx, const char *name, const attend_in *starts, int64_t total) {
    int64_t last = starts->shape[0] - 1;
    AT_TRY(check_list(ctx, name, starts, 0, total, true));
    if (at_get(starts, 0, 0, 0, 0) != 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s[0] is %lld (must be 0)", name, (long long)at_get(starts, 0, 0, 0, 0));
    if ((int64_t)at_get(starts, last, 0, 0, 0) != total)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s[%lld] is %lld but there are %lld in all", name, (long long)last,
                       (long long)at_get(starts, last, 0, 0, 0), (long long)total);
    return ATTEND_OK;
}

static attend_status import_packed(at_arguments *arguments, const attend_extra *extra, at_problem *result) {
    attend_ctx *ctx = arguments->ctx;
    at_axis any = {AT_ANY, ""};
    result->sequences = result->batch;
    AT_TRY(at_argument_in_if(arguments, "extra.query_starts", &extra->query_starts, AT_INDICES, 1, &any,
                             &result->query_starts));
    AT_TRY(
        at_argument_in_if(arguments, "extra.key_starts", &extra->key_starts, AT_INDICES, 1, &any, &result->key_starts));
    if (at_given_in(&result->query_starts) != at_given_in(&result->key_starts))
        return at_fail(ctx, ATTEND_ARGUMENT, "extra.query_starts and extra.key_starts go together, one is missing");
    if (!at_given_in(&result->query_starts))
        return ATTEND_OK;
    int64_t starts = result->query_starts.shape[0];
    if (result->batch != 1)
        return at_fail(ctx, ATTEND_SHAPE, "problem.batch is %lld but must be 1 with query_starts",
                       (long long)result->batch);
    if (starts < 2 || starts != result->key_starts.shape[0])
        return at_fail(ctx, ATTEND_SHAPE,
                       "extra.query_starts.shape[0] is %lld, extra.key_starts.shape[0] is %lld "
                       "(both must be sequences + 1, at least 2)",
                       (long long)starts, (long long)result->key_starts.shape[0]);
    result->sequences = starts - 1;
    AT_TRY(check_starts(ctx, "extra.query_starts", &result->query_starts, result->queries));
    return check_starts(ctx, "extra.key_starts", &result->key_starts, result->keys);
}

static attend_status import_extra(at_arguments *arguments, const attend_extra *extra, at_problem *result) {
    at_axis grid[] = {{result->batch, "batch"},
                      {result->heads, "heads"},
                      {result->queries, "queries"},
                      {result->keys, "keys"}};
    at_axis heads = {result->heads, "heads"};
    AT_TRY(at_argument_broadcast(arguments, "extra.mask", &extra->mask, AT_BYTES, grid, &result->mask));
    AT_TRY(at_argument_broadcast(arguments, "extra.bias", &extra->bias, AT_NUMBERS, grid, &result->bias));
    AT_TRY(at_argument_in_if(arguments, "extra.slopes", &extra->slopes, AT_NUMBERS, 1, &heads, &result->slopes));
    AT_TRY(at_argument_in_if(arguments, "extra.sinks", &extra->sinks, AT_NUMBERS, 1, &heads, &result->sinks));
    AT_TRY(import_packed(arguments, extra, result));
    at_axis rows = {result->sequences, at_given_in(&result->query_starts) ? "sequences" : "batch"};
    AT_TRY(
        at_argument_in_if(arguments, "extra.key_count", &extra->key_count, AT_INDICES, 1, &rows, &result->key_count));
    AT_TRY(at_argument_in_if(arguments, "extra.query_offsets", &extra->query_offsets, AT_INDICES, 1, &rows,
                             &result->query_offsets));
    return check_list(arguments->ctx, "extra.key_count", &result->key_count, 0, result->keys, false);
}

attend_status at_problem_import(at_arguments *arguments, const attend_problem *problem, const attend_extra *extra,
                                at_problem *result) {
    attend_ctx *ctx = arguments->ctx;
    attend_problem given;
    attend_extra given_extra;
    memset(result, 0, sizeof *result);
    if (problem == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "problem is NULL");
    AT_TRY(at_import(ctx, "problem", problem, &given, sizeof given));
    AT_TRY(at_import(ctx, "extra", extra, &given_extra, sizeof given_extra));
    AT_TRY(at_import_reserved(ctx, "extra", given_extra.reserved));
    AT_TRY(import_sizes(ctx, &given, result));
    AT_TRY(import_positions(ctx, &given, result));
    AT_TRY(import_scale(ctx, &given, result));
    return import_extra(arguments, &given_extra, result);
}

attend_status at_problem_query(at_arguments *arguments, const at_problem *p, const attend_in *q, attend_in *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, {p->queries, "queries"}, {p->head_width, "head_width"}};
    return at_argument_in(arguments, "q", q, AT_NUMBERS, 4, axes, view);
}

attend_status at_problem_key(at_arguments *arguments, const at_problem *p, const attend_in *k, attend_in *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->kv_heads, "kv_heads"}, {p->keys, "keys"}, {p->head_width, "head_width"}};
    return at_argument_in(arguments, "k", k, AT_NUMBERS, 4, axes, view);
}

attend_status at_problem_value(at_arguments *arguments, const at_problem *p, const attend_in *v, attend_in *view) {
    at_axis axes[] = {{p->batch, "batch"},
                      {p->kv_heads, "kv_heads"},
                      {p->keys, "keys"},
                      {p->value_width, "value_width"}};
    return at_argument_in(arguments, "v", v, AT_NUMBERS, 4, axes, view);
}

attend_status at_problem_grid_in(at_arguments *arguments, const at_problem *p, const char *name, const attend_in *grid,
                                 attend_in *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, {p->queries, "queries"}, {p->keys, "keys"}};
    return at_argument_in(arguments, name, grid, AT_NUMBERS, 4, axes, view);
}

attend_status at_problem_grid_out(at_arguments *arguments, const at_problem *p, const char *name,
                                  const attend_out *grid, attend_out *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, {p->queries, "queries"}, {p->keys, "keys"}};
    return at_argument_out_if(arguments, name, grid, AT_NUMBERS, 4, axes, view);
}

attend_status at_problem_per_query(at_arguments *arguments, const at_problem *p, const char *name,
                                   const attend_out *tensor, attend_out *view) {
    at_axis axes[] = {{p->batch, "batch"}, {p->heads, "heads"}, {p->queries, "queries"}};
    return at_argument_out_if(arguments, name, tensor, AT_NUMBERS, 3, axes, view);
}

attend_status at_problem_output(at_arguments *arguments, const at_problem *p, const char *name, const attend_out *o,
                                attend_out *view) {
    at_axis axes[] = {{p->batch, "batch"},
                      {p->heads, "heads"},
                      {p->queries, "queries"},
                      {p->value_width, "value_width"}};
    return at_argument_out_if(arguments, name, o, AT_NUMBERS, 4, axes, view);
}
