/* chosen.c - the rows that were chosen, in full: up to AT_LANES of them side by side, over all keys. */
#include "base/size.h"
#include "fused/look_pass.h"

static int64_t count_of(const at_taps *taps) { return at_given_in(&taps->rows) ? taps->rows.shape[0] : 0; }

static int64_t groups_of(const at_taps *taps) { return (count_of(taps) + AT_LANES - 1) / AT_LANES; }

int64_t at_chosen_tasks(const at_problem *problem, const at_taps *taps) {
    return problem->batch * problem->heads * groups_of(taps);
}

/* Converted keys (AT_CHUNK, D). */
bool at_chosen_size(const at_problem *problem, const at_taps *taps, bool converts, size_t *size) {
    size_t wanted = count_of(taps) > 0 && converts ? AT_CHUNK * sizeof(at_real) : 0;
    return at_size_mul(wanted, (size_t)problem->head_width, size);
}

/* Which of the chosen rows stand in the block. */
typedef struct chosen {
    const at_forward_work *look;
    at_bench *bench;
    at_block *block;
    int64_t first; /* of the list */
    at_real *keys; /* (AT_CHUNK, D) */
} chosen;

static chosen begin_rows(const at_forward_work *look, int64_t index, int32_t lane) {
    const at_problem *problem = look->call->problem;
    const at_taps *taps = look->call->taps;
    int64_t groups = groups_of(taps), head = index / groups;
    at_bench *bench = at_bench_of(look, lane);
    chosen rows = {look, bench, &bench->blocks[0], index % groups * AT_LANES, at_tally_of(look, lane)};
    rows.block->rows = 0;
    for (int64_t n = rows.first; n < count_of(taps) && n < rows.first + AT_LANES; n++)
        rows.block->query[rows.block->rows++] = at_query_of(problem, head / problem->heads, head % problem->heads,
                                                            (int64_t)at_get(&taps->rows, n, 0, 0, 0));
    at_block_pack(look->call, &look->plan, bench, rows.block);
    at_look_settle(look->call, &look->plan, rows.block);
    return rows;
}

/* Keys of the span of row n of tensor become values (count, AT_LANES) times factor, or hidden where they are not seen. */
static void write_row(const attend_out *tensor, const at_query *at, int64_t n, at_span span, const at_real *values,
                      double factor, const uint64_t *seen, int32_t lane, double hidden) {
    double row[AT_CHUNK];
    for (int64_t j = 0; j < span.end - span.first; j++)
        row[j] = values == NULL || (seen != NULL && !(seen[j] >> lane & 1))
                     ? hidden
                     : (double)values[j * AT_LANES + lane] * factor;
    at_set_part(tensor, at->b, at->h, n, span.first, span.end - span.first, row);
}

static void write(const chosen *rows, const attend_out *tensor, at_span span, const at_real *values, double factor,
                  const uint64_t *seen, double hidden) {
    for (int32_t i = 0; at_given_out(tensor) && span.first < span.end && i < rows->block->rows; i++)
        write_row(tensor, &rows->block->query[i], rows->first + i, span, values, factor, seen, i, hidden);
}

static void write_hidden(const chosen *rows, at_span span) {
    const at_taps *taps = rows->look->call->taps;
    write(rows, &taps->row_raw, span, NULL, 1, NULL, -INFINITY);
    write(rows, &taps->row_capped, span, NULL, 1, NULL, -INFINITY);
    write(rows, &taps->row_biased, span, NULL, 1, NULL, -INFINITY);
    write(rows, &taps->row_weights, span, NULL, 1, NULL, 0);
}

/* The steps of forward.c, one after another, each written out. */
static void write_seen(const chosen *rows, at_span span, at_panel keys) {
    const at_fused *call = rows->look->call;
    const at_plan *plan = &rows->look->plan;
    const at_taps *taps = call->taps;
    at_bench *bench = rows->bench;
    at_block *block = rows->block;
    const at_real *scores = bench->scores;
    int32_t count = (int32_t)(span.end - span.first);
    double scale = plan->adjusted ? 1 : fabs(call->problem->scale);
    const uint64_t *seen = at_see(call->problem, block->query, block->rows, span, bench->seen);
    at_ahead then = at_panel_ahead(keys, count, call->problem->head_width);
    at_block_compare(call, plan, bench, block, keys, count, seen, &then);
    write(rows, &taps->row_raw, span, scores, (double)plan->sign, seen, -INFINITY);
    if (plan->adjusted && at_given_out(&taps->row_capped)) {
        at_block_adjust(call->problem, plan, bench, block, span, false);
        write(rows, &taps->row_capped, span, scores, 1, seen, -INFINITY);
        at_block_compare(call, plan, bench, block, keys, count, seen, NULL);
    }
    if (plan->adjusted)
        at_block_adjust(call->problem, plan, bench, block, span, true);
    else
        write(rows, &taps->row_capped, span, scores, scale, seen, -INFINITY);
    write(rows, &taps->row_biased, span, scores, scale, seen, -INFINITY);
    plan->kernels->reweigh(bench->scores, block->rows, count, seen, plan->factor, &block->final);
    write(rows, &taps->row_weights, span, scores, 1, seen, 0);
}

void at_chosen_run(void *opaque, int64_t index, int32_t lane) {
    const at_forward_work *look = opaque;
    const at_fused *call = look->call;
    chosen rows = begin_rows(look, index, lane);
    const at_query *at = &rows.block->query[0];
    int64_t all = call->problem->keys;
    for (int64_t j = 0; j < all; j += AT_CHUNK) {
        at_span chunk = {j, j + AT_CHUNK < all ? j + AT_CHUNK : all};
        if (chunk.first >= rows.block->span.end || chunk.end <= rows.block->span.first) {
            write_hidden(&rows, chunk);
            continue;
        }
        at_panel keys = at_panel_of(look->plan.kernels, call->k, at->b, at->g, j, chunk.end - j, rows.keys);
        at_span seen = at_block_sees(rows.block, chunk, &keys), before = {j, seen.first}, after = {seen.end, chunk.end};
        write_hidden(&rows, before);
        write_seen(&rows, seen, keys);
        write_hidden(&rows, after);
    }
}
