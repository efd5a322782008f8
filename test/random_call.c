#include "random_call.h"

static attend_dtype pick_type(test_random *rng, unsigned may) {
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64};
    if (may & MUST_BE_SHORT_FLOATS)
        return may & MAY_TYPE ? types[random_pick(rng, 0, 2)] : ATTEND_F32;
    return may & MAY_TYPE ? types[random_pick(rng, 0, 3)] : ATTEND_F64;
}

static attend_out make_tensor(test_random *rng, unsigned may, attend_dtype dtype, int32_t rank, const int64_t *shape,
                              bool written) {
    if (may & MAY_STRIDE)
        return test_strided(rng, dtype, rank, shape, !written);
    int64_t size[4];
    for (int32_t axis = 0; axis < 4; axis++)
        size[axis] = axis < rank ? shape[axis] : -1;
    return test_tensor(dtype, size[0], size[1], size[2], size[3]);
}

/* Numbers from -2 to 2; with some, -infinity for so many in a hundred. */
static attend_in make_numbers(test_random *rng, unsigned may, int32_t rank, const int64_t *shape, int infinities) {
    attend_out tensor = make_tensor(rng, may, pick_type(rng, may), rank, shape, false);
    int64_t size[4];
    for (int32_t axis = 0; axis < 4; axis++)
        size[axis] = axis < rank ? shape[axis] : 1;
    for (int64_t a = 0; a < size[0]; a++)
        for (int64_t b = 0; b < size[1]; b++)
            for (int64_t c = 0; c < size[2]; c++)
                for (int64_t d = 0; d < size[3]; d++)
                    test_set(&tensor, a, b, c, d, random_chance(rng, infinities) ? -INFINITY : 2 * random_real(rng));
    return attend_read(tensor);
}

static attend_in make_mask(test_random *rng, unsigned may, int32_t rank, const int64_t *shape) {
    attend_out mask = make_tensor(rng, may, ATTEND_U8, rank, shape, false);
    int64_t size[4];
    for (int32_t axis = 0; axis < 4; axis++)
        size[axis] = axis < rank ? shape[axis] : 1;
    for (int64_t a = 0; a < size[0]; a++)
        for (int64_t b = 0; b < size[1]; b++)
            for (int64_t c = 0; c < size[2]; c++)
                for (int64_t d = 0; d < size[3]; d++)
                    test_set(&mask, a, b, c, d, (double)(random_chance(rng, 30) ? 0 : random_pick(rng, 1, 255)));
    return attend_read(mask);
}

/* Shape of a mask or bias: any rank, sizes of the grid or 1. */
static int32_t pick_grid_shape(test_random *rng, const attend_problem *p, int64_t *shape) {
    const int64_t grid[] = {p->batch, p->heads, p->queries, p->keys};
    int32_t rank = (int32_t)random_pick(rng, 0, 4);
    for (int32_t axis = 0; axis < rank; axis++)
        shape[axis] = random_chance(rng, 30) ? 1 : grid[4 - rank + axis];
    return rank;
}

static attend_in make_integers(test_random *rng, int64_t count, int64_t low, int64_t high) {
    attend_out list = test_tensor(ATTEND_I32, count, -1, -1, -1);
    for (int64_t n = 0; n < count; n++)
        test_set(&list, n, 0, 0, 0, (double)random_pick(rng, low, high));
    return attend_read(list);
}

/* 0 = first <= ... <= last = total */
static attend_in make_starts(test_random *rng, int64_t sequences, int64_t total) {
    attend_out list = test_tensor(ATTEND_I32, sequences + 1, -1, -1, -1);
    int64_t start = 0;
    for (int64_t s = 0; s < sequences; s++) {
        test_set(&list, s, 0, 0, 0, (double)start);
        start = random_chance(rng, 20) ? start : random_pick(rng, start, total);
    }
    test_set(&list, sequences, 0, 0, 0, (double)total);
    return attend_read(list);
}

static void pick_sizes(test_random *rng, unsigned may, attend_problem *p) {
    int64_t least = may & MAY_BE_EMPTY && random_chance(rng, 15) ? 0 : 1;
    p->batch = random_pick(rng, least, 3);
    p->kv_heads = random_pick(rng, 1, 3);
    p->heads = p->kv_heads * random_pick(rng, 1, 3);
    p->queries = random_pick(rng, least, 6);
    p->keys = random_pick(rng, least, 9);
    p->head_width = random_pick(rng, 1, 6);
    p->value_width = random_pick(rng, 0, 5);
    if (may & MAY_BE_LONG) {
        p->queries = random_chance(rng, 40) ? random_pick(rng, 1, 12) : random_pick(rng, 1, 230);
        p->keys = random_chance(rng, 30) ? random_pick(rng, 1, 300) : random_pick(rng, 1, 900);
        p->head_width = random_pick(rng, 1, 80);
        p->value_width = random_pick(rng, 0, 50);
    }
    if (may & MAY_BE_WIDE) {
        p->head_width = random_pick(rng, 1, random_chance(rng, 50) ? 577 : 70);
        p->value_width = random_pick(rng, 1, random_chance(rng, 50) ? 577 : 70);
    }
}

static void pick_window(test_random *rng, unsigned may, attend_problem *p) {
    p->query_offset = random_chance(rng, 50) ? p->keys - p->queries : random_pick(rng, -4, 12);
    if (random_chance(rng, 50))
        p->flags |= ATTEND_LIMIT_AHEAD;
    if (random_chance(rng, 50))
        p->flags |= ATTEND_LIMIT_BACK;
    p->ahead = random_chance(rng, 50) ? 0 : random_pick(rng, -3, 5);
    p->back = random_pick(rng, -2, 5);
    if (may & MAY_BE_LONG && random_chance(rng, 70)) {
        p->query_offset = random_chance(rng, 50) ? p->keys - p->queries : random_pick(rng, -50, p->keys);
        p->back = random_pick(rng, 0, 400);
    }
}

static void pick_extra(test_random *rng, unsigned may, const attend_problem *p, attend_extra *extra) {
    int64_t shape[4], rows = p->batch;
    int32_t rank = pick_grid_shape(rng, p, shape);
    if (may & MAY_MASK && random_chance(rng, 40))
        extra->mask = make_mask(rng, may, rank, shape);
    rank = pick_grid_shape(rng, p, shape);
    if (may & MAY_BIAS && random_chance(rng, 40))
        extra->bias = make_numbers(rng, may, rank, shape, 15);
    if (may & MAY_SLOPES && random_chance(rng, 30))
        extra->slopes = make_numbers(rng, may, 1, &p->heads, 0);
    if (may & MAY_SINKS && random_chance(rng, 30))
        extra->sinks = make_numbers(rng, may, 1, &p->heads, 10);
    if (may & MAY_PACK && p->batch == 1 && random_chance(rng, 50)) {
        rows = random_pick(rng, 1, 4);
        extra->query_starts = make_starts(rng, rows, p->queries);
        extra->key_starts = make_starts(rng, rows, p->keys);
    }
    if (may & MAY_COUNT && random_chance(rng, 30))
        extra->key_count = make_integers(rng, rows, 0, p->keys);
    if (may & MAY_COUNT && random_chance(rng, 30))
        extra->query_offsets = make_integers(rng, rows, -3, 9);
}

/* Up to three elements become numbers that seldom occur. */
static void make_wild(test_random *rng, const attend_in *tensor) {
    static const double wild[] = {NAN, 0x1p-140, -0x1p-24, -0.0, INFINITY, -INFINITY};
    attend_out out = {.dtype = tensor->dtype, .rank = tensor->rank, .data = (void *)(uintptr_t)tensor->data};
    int64_t index[4] = {0, 0, 0, 0};
    memcpy(out.stride, tensor->stride, sizeof out.stride);
    for (int64_t left = tensor->data != NULL && test_count(tensor) > 0 ? random_pick(rng, 0, 3) : 0; left > 0; left--) {
        for (int32_t axis = 0; axis < tensor->rank; axis++)
            index[axis] = random_pick(rng, 0, tensor->shape[axis] - 1);
        test_set(&out, index[0], index[1], index[2], index[3], wild[random_pick(rng, 0, COUNT_OF(wild) - 1)]);
    }
}

random_call random_call_make(test_random *rng, unsigned may) {
    random_call call;
    attend_problem *p = &call.problem;
    call.problem = attend_problem_init();
    call.extra = attend_extra_init();
    if (!(may & (MAY_BE_FAST | MUST_BE_SHORT_FLOATS)))
        p->flags |= ATTEND_READABLE;
    pick_sizes(rng, may, p);
    if (may & MAY_WINDOW)
        pick_window(rng, may, p);
    if (may & MAY_CAP && random_chance(rng, 30))
        p->softcap = 0.25 + fabs(random_real(rng));
    if (may & MAY_SCALE && random_chance(rng, 40)) {
        p->scale = random_chance(rng, 30) ? 0 : 2 * random_real(rng);
        p->flags |= ATTEND_EXACT_SCALE;
    }
    pick_extra(rng, may, p, &call.extra);
    int64_t value_width = p->value_width ? p->value_width : p->head_width;
    int64_t query[] = {p->batch, p->heads, p->queries, p->head_width};
    int64_t key[] = {p->batch, p->kv_heads, p->keys, p->head_width};
    int64_t value[] = {p->batch, p->kv_heads, p->keys, value_width};
    int64_t output[] = {p->batch, p->heads, p->queries, value_width};
    call.q = make_numbers(rng, may, 4, query, 0);
    call.k = make_numbers(rng, may, 4, key, 0);
    call.v = make_numbers(rng, may, 4, value, 0);
    call.o = make_tensor(rng, may, pick_type(rng, may), 4, output, true);
    if (may & MAY_BE_WILD) {
        const attend_in *inputs[] = {&call.q,          &call.k, &call.v, &call.extra.bias, &call.extra.slopes,
                                     &call.extra.sinks};
        for (size_t n = 0; n < COUNT_OF(inputs); n++)
            make_wild(rng, inputs[n]);
    }
    return call;
}

random_call random_call_in_turn(test_random *rng, int turn, unsigned may) {
    static const unsigned kinds[] = {MAY_ALL,
                                     MAY_ALL | MAY_BE_LONG,
                                     MAY_WINDOW | MAY_BE_LONG,
                                     MAY_WINDOW | MAY_SINKS | MAY_COUNT | MAY_PACK | MAY_STRIDE | MAY_BE_LONG,
                                     MAY_ALL | MAY_BE_WIDE,
                                     MAY_ALL | MAY_BE_WIDE | MAY_BE_WILD,
                                     MAY_ALL | MAY_BE_LONG | MAY_BE_WILD};
    return random_call_make(rng, kinds[(size_t)turn % COUNT_OF(kinds)] | may);
}

/* Products are up to 4, and with repeated axes they may all be the same, so that in a wide head the errors of their sum go
   one way.  Slopes are up to 2: what they take away, far from a query, is rounded twice. */
double random_call_score_error(const random_call *call) {
    const attend_problem *p = &call->problem;
    double unit = random_call_unit(call), width = (double)p->head_width;
    double distance = fabs((double)p->query_offset) + (double)(p->queries + p->keys);
    double scale = p->scale == 0 && !(p->flags & ATTEND_EXACT_SCALE) ? 1 / sqrt(width) : fabs(p->scale);
    double error = fmax(8, width / 10) * unit * (8 + 4 * scale * width);
    return error + (call->extra.slopes.data != NULL ? 2 * unit * 2 * distance : 0);
}

attend_status random_call_forward(attend_ctx *ctx, const random_call *call, const attend_taps *taps) {
    return attend_forward(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &call->o, taps);
}

double random_call_unit(const random_call *call) {
    const int32_t types[] = {call->q.dtype, call->k.dtype, call->v.dtype, call->o.dtype};
    for (size_t n = 0; n < COUNT_OF(types); n++)
        if (types[n] == ATTEND_F64)
            return 0x1p-53;
    return 0x1p-24;
}

attend_in random_call_output(attend_ctx *ctx, const random_call *call) {
    random_call again = *call;
    again.problem.flags |= ATTEND_READABLE;
    again.o = test_tensor(ATTEND_F64, call->o.shape[0], call->o.shape[1], call->o.shape[2], call->o.shape[3]);
    assert_works(ctx, random_call_forward(ctx, &again, NULL));
    return attend_read(again.o);
}

attend_in test_range(int64_t count) {
    attend_out list = test_tensor(ATTEND_I32, count, -1, -1, -1);
    for (int64_t n = 0; n < count; n++)
        test_set(&list, n, 0, 0, 0, (double)n);
    return attend_read(list);
}

attend_in random_call_weights(attend_ctx *ctx, const random_call *call) {
    const attend_problem *p = &call->problem;
    attend_taps taps = attend_taps_init();
    taps.rows = test_range(p->queries);
    taps.row_weights = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    assert_works(ctx, random_call_forward(ctx, call, &taps));
    return attend_read(taps.row_weights);
}
