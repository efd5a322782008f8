#include "readings.h"

#include <stdlib.h>
#include <string.h>

typedef struct taker {
    attend_taps taps;
    int no_memory; // for one of them
} taker;

/* Zeros (a, b, c) at *numbers and the tensor [1, a, b, c] over them, of the given rank. */
static attend_out room(taker *t, double **numbers, int32_t rank, int64_t a, int64_t b, int64_t c) {
    int64_t shape[ATTEND_RANK_MAX] = {1, a, b, c};
    *numbers = calloc((size_t)(a * b * c), sizeof **numbers);
    t->no_memory |= *numbers == NULL;
    return attend_out_dense(*numbers, ATTEND_F64, rank, shape);
}

static void tap_top(taker *t, const worked *work, int64_t top, readings *r) {
    int64_t shape[ATTEND_RANK_MAX] = {1, work->heads, work->tokens, top};
    r->top_index = calloc((size_t)(work->heads * work->tokens * top), sizeof *r->top_index);
    t->no_memory |= r->top_index == NULL;
    t->taps.top_index = attend_out_dense(r->top_index, ATTEND_I32, ATTEND_RANK_MAX, shape);
    t->taps.top_weight = room(t, &r->top_weight, 4, work->heads, work->tokens, top);
    t->taps.top_rest = room(t, &r->top_rest, 3, work->heads, work->tokens, 1);
}

static void tap_wishes(taker *t, const worked *work, const readings_wish *wish, readings *r) {
    int64_t heads = work->heads, tokens = work->tokens;
    if (wish->grid_rows > 0) {
        t->taps.grid_max = room(t, &r->grid, 4, heads, wish->grid_rows, wish->grid_columns);
        t->taps.grid_count = room(t, &r->grid_seen, 4, heads, wish->grid_rows, wish->grid_columns);
    }
    if (wish->row_count > 0) {
        t->taps.rows = attend_in_dense(wish->rows, ATTEND_I32, 1, &wish->row_count);
        t->taps.row_weights = room(t, &r->row_weights, 4, heads, wish->row_count, tokens);
    }
    if (wish->top > 0)
        tap_top(t, work, wish->top, r);
    if (wish->entropy)
        t->taps.entropy = room(t, &r->entropy, 3, heads, tokens, 1);
    if (wish->received)
        t->taps.column_sum = room(t, &r->received, 3, heads, tokens, 1);
}

static attend_status forward(attend_ctx *ctx, const worked *work, const attend_taps *taps, attend_out *output) {
    int64_t q_shape[] = {1, work->heads, work->tokens, work->head_width};
    int64_t k_shape[] = {1, work->kv_heads, work->tokens, work->head_width};
    int64_t v_shape[] = {1, work->kv_heads, work->tokens, work->value_width};
    attend_problem problem = worked_problem(work);
    problem.flags |= ATTEND_READABLE; /* as the steps that are shown beside it */
    attend_in q = attend_in_dense(work->q, ATTEND_F64, 4, q_shape);
    attend_in k = attend_in_dense(work->k, ATTEND_F64, 4, k_shape);
    attend_in v = attend_in_dense(work->v, ATTEND_F64, 4, v_shape);
    return attend_forward(ctx, &problem, &q, &k, &v, NULL, output, taps);
}

attend_status readings_take(attend_ctx *ctx, const worked *work, const readings_wish *wish, readings *result) {
    taker t = {.taps = attend_taps_init()};
    double *mixture; // (H, T, E) known from work already, but the library has to write it somewhere
    attend_out output = room(&t, &mixture, 4, work->heads, work->tokens, work->value_width);
    memset(result, 0, sizeof *result);
    tap_wishes(&t, work, wish, result);
    attend_status status = t.no_memory ? ATTEND_MEMORY : forward(ctx, work, &t.taps, &output);
    free(mixture);
    if (status != ATTEND_OK)
        readings_free(result);
    return status;
}

void readings_free(readings *r) {
    void *blocks[] = {r->grid,       r->grid_seen, r->row_weights, r->top_index,
                      r->top_weight, r->top_rest,  r->entropy,     r->received};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    memset(r, 0, sizeof *r);
}
