/* The public stages before and after attention: embed, place, project, merge. */
#include <math.h>

#include "base/check.h"
#include "base/float_mode.h"
#include "base/text.h"
#include "stage/views.h"
#include "tensor/arguments.h"
#include "tensor/tensor.h"

static const at_axis ANY = {AT_ANY, ""};

static attend_status begin(attend_ctx *ctx, at_arguments *arguments) {
    AT_TRY(at_begin(ctx));
    at_arguments_begin(arguments, ctx);
    return ATTEND_OK;
}

static attend_status check_tokens(attend_ctx *ctx, const attend_in *tokens, int64_t rows) {
    for (int64_t b = 0; b < tokens->shape[0]; b++)
        for (int64_t t = 0; t < tokens->shape[1]; t++) {
            int64_t token = (int64_t)at_get(tokens, b, t, 0, 0);
            if (token < 0 || token >= rows)
                return at_fail(ctx, ATTEND_ARGUMENT, "tokens[%lld,%lld] is %lld (allowed 0 to %lld)", (long long)b,
                               (long long)t, (long long)token, (long long)rows - 1);
        }
    return ATTEND_OK;
}

attend_status attend_embed(attend_ctx *ctx, const attend_in *tokens, const attend_in *table, const attend_out *x) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in ids, rows;
    attend_out result;
    at_axis any_shape[] = {ANY, ANY};
    AT_TRY(begin(ctx, &arguments));
    AT_TRY(at_argument_in(&arguments, "tokens", tokens, AT_INDICES, 2, any_shape, &ids));
    AT_TRY(at_argument_in(&arguments, "table", table, AT_NUMBERS, 2, any_shape, &rows));
    at_axis shape[] = {{ids.shape[0], "tokens.shape[0]"},
                       {ids.shape[1], "tokens.shape[1]"},
                       {rows.shape[1], "table.shape[1]"}};
    AT_TRY(at_argument_out(&arguments, "x", x, AT_NUMBERS, 3, shape, &result));
    AT_TRY(at_arguments_apart(&arguments));
    AT_TRY(check_tokens(ctx, &ids, rows.shape[0]));
    at_embed(&ids, &rows, &result);
    return ATTEND_OK;
}

/* A list for all batch rows, or one list for each: rank axes, or one more in front for the batch. */
static attend_status take_per_token(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                                    int32_t rank, at_axis batch, at_axis tokens, at_axis last, attend_in *view) {
    bool each = tensor != NULL && tensor->rank == rank + 1;
    at_axis for_all[] = {tokens, last}, for_each[] = {batch, tokens, last};
    return at_argument_in(arguments, name, tensor, kinds, each ? rank + 1 : rank, each ? for_each : for_all, view);
}

static attend_status check_kind(attend_ctx *ctx, attend_place_kind kind, attend_place_kind first) {
    if (kind < first || kind > ATTEND_PLACE_ROTATE_HALVES)
        return at_fail(ctx, ATTEND_ARGUMENT, "kind is %d (allowed %d to %d)", (int)kind, (int)first,
                       (int)ATTEND_PLACE_ROTATE_HALVES);
    return ATTEND_OK;
}

/* Turning needs pairs; adding does without a cosine for the last channel of an odd width. */
static attend_status check_width(attend_ctx *ctx, attend_place_kind kind, int64_t width, int64_t channels) {
    bool pairs = kind != ATTEND_PLACE_ADD;
    if (width < 0 || width > channels || (pairs && width % 2 != 0))
        return at_fail(ctx, ATTEND_ARGUMENT, "width is %lld (allowed %snumbers from 0 to %lld)", (long long)width,
                       pairs ? "even " : "", (long long)channels);
    return ATTEND_OK;
}

/* x and y of the same shape: (B,T,C) or (B,H,T,D). */
static attend_status take_pair(at_arguments *arguments, const attend_in *x, const attend_out *y, int32_t rank,
                               attend_in *from, attend_out *to) {
    at_axis any_shape[] = {ANY, ANY, ANY, ANY};
    AT_TRY(at_argument_in(arguments, "x", x, AT_NUMBERS, rank, any_shape, from));
    at_axis shape[] = {{from->shape[0], "x.shape[0]"},
                       {from->shape[1], "x.shape[1]"},
                       {from->shape[2], "x.shape[2]"},
                       {from->shape[3], "x.shape[3]"}};
    return at_argument_out(arguments, "y", y, AT_NUMBERS, rank, shape, to);
}

attend_status attend_place(attend_ctx *ctx, attend_place_kind kind, double base, int64_t width, const attend_in *x,
                           const attend_in *positions, const attend_out *y) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in from, places;
    attend_out to;
    AT_TRY(begin(ctx, &arguments));
    AT_TRY(check_kind(ctx, kind, ATTEND_PLACE_ADD));
    if (!isfinite(base) || base <= 0)
        return at_fail(ctx, ATTEND_ARGUMENT, "base is %s (allowed positive numbers)", at_text_real(base).text);
    int32_t rank = kind == ATTEND_PLACE_ADD ? 3 : 4;
    AT_TRY(take_pair(&arguments, x, y, rank, &from, &to));
    at_axis batch = {from.shape[0], "x.shape[0]"};
    at_axis tokens = {from.shape[rank - 2], rank == 3 ? "x.shape[1]" : "x.shape[2]"};
    AT_TRY(take_per_token(&arguments, "positions", positions, AT_INDICES, 1, batch, tokens, ANY, &places));
    AT_TRY(at_arguments_apart(&arguments));
    int64_t channels = from.shape[rank - 1];
    AT_TRY(check_width(ctx, kind, width ? width : channels, channels));
    if (kind == ATTEND_PLACE_ADD)
        at_place_add(base, width ? width : channels, &from, &places, &to);
    else
        at_place_rotate(kind, base, width ? width : channels, &from, &places, &to);
    return ATTEND_OK;
}

attend_status attend_rotate(attend_ctx *ctx, attend_place_kind kind, const attend_in *x, const attend_in *cosine,
                            const attend_in *sine, const attend_out *y) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in from, cosines, sines;
    attend_out to;
    AT_TRY(begin(ctx, &arguments));
    AT_TRY(check_kind(ctx, kind, ATTEND_PLACE_ROTATE_NEIGHBOURS));
    AT_TRY(take_pair(&arguments, x, y, 4, &from, &to));
    at_axis batch = {from.shape[0], "x.shape[0]"}, tokens = {from.shape[2], "x.shape[2]"};
    AT_TRY(take_per_token(&arguments, "cosine", cosine, AT_NUMBERS, 2, batch, tokens, ANY, &cosines));
    int64_t pairs = cosines.shape[cosines.rank - 1];
    at_axis same = {pairs, "the last axis of cosine"};
    AT_TRY(take_per_token(&arguments, "sine", sine, AT_NUMBERS, 2, batch, tokens, same, &sines));
    AT_TRY(at_arguments_apart(&arguments));
    if (pairs > from.shape[3] / 2)
        return at_fail(ctx, ATTEND_SHAPE, "cosine has %lld pairs but x.shape[3] is %lld channels", (long long)pairs,
                       (long long)from.shape[3]);
    at_rotate(kind, 2 * pairs, &from, &cosines, &sines, &to);
    return ATTEND_OK;
}

attend_status attend_project(attend_ctx *ctx, const attend_in *x, const attend_in *weight, const attend_in *bias,
                             const attend_out *y) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in from, table, offset;
    attend_out to;
    at_axis any_shape[] = {ANY, ANY, ANY};
    AT_TRY(begin(ctx, &arguments));
    AT_TRY(at_argument_in(&arguments, "x", x, AT_NUMBERS, 3, any_shape, &from));
    at_axis weight_shape[] = {ANY, ANY, {from.shape[2], "x.shape[2]"}};
    AT_TRY(at_argument_in(&arguments, "weight", weight, AT_NUMBERS, 3, weight_shape, &table));
    at_axis heads = {table.shape[0], "weight.shape[0]"}, width = {table.shape[1], "weight.shape[1]"};
    at_axis bias_shape[] = {heads, width};
    AT_TRY(at_argument_in_if(&arguments, "bias", bias, AT_NUMBERS, 2, bias_shape, &offset));
    at_axis shape[] = {{from.shape[0], "x.shape[0]"}, heads, {from.shape[1], "x.shape[1]"}, width};
    AT_TRY(at_argument_out(&arguments, "y", y, AT_NUMBERS, 4, shape, &to));
    AT_TRY(at_arguments_apart(&arguments));
    at_project(&from, &table, &offset, &to);
    return ATTEND_OK;
}

attend_status attend_merge(attend_ctx *ctx, const attend_in *o, const attend_in *weight, const attend_in *bias,
                           const attend_out *y) {
    AT_STANDARD_FLOATS;
    at_arguments arguments;
    attend_in from, table, offset;
    attend_out to;
    at_axis any_shape[] = {ANY, ANY, ANY, ANY};
    AT_TRY(begin(ctx, &arguments));
    AT_TRY(at_argument_in(&arguments, "o", o, AT_NUMBERS, 4, any_shape, &from));
    at_axis weight_shape[] = {ANY, {from.shape[1], "o.shape[1]"}, {from.shape[3], "o.shape[3]"}};
    AT_TRY(at_argument_in(&arguments, "weight", weight, AT_NUMBERS, 3, weight_shape, &table));
    at_axis width = {table.shape[0], "weight.shape[0]"};
    AT_TRY(at_argument_in_if(&arguments, "bias", bias, AT_NUMBERS, 1, &width, &offset));
    at_axis shape[] = {{from.shape[0], "o.shape[0]"}, {from.shape[2], "o.shape[2]"}, width};
    AT_TRY(at_argument_out(&arguments, "y", y, AT_NUMBERS, 3, shape, &to));
    AT_TRY(at_arguments_apart(&arguments));
    at_merge(&from, &table, &offset, &to);
    return ATTEND_OK;
}
