#include "fused/block.h"

#include <string.h>

#include "base/elementary.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/size.h"
#include "tensor/pages.h"

/* ---- scratch ---- */

static size_t widest(const at_problem *problem) {
    return (size_t)(problem->head_width > problem->value_width ? problem->head_width : problem->value_width);
}

/* Adds count numbers, rounded up so that the next ones stay aligned. */
static bool add_reals(size_t *reals, size_t count, size_t width) {
    size_t product;
    return at_size_mul(count, width, &product) && at_size_add(product, AT_ALIGNMENT, &product) &&
           at_size_add(*reals, product - product % (AT_ALIGNMENT / sizeof(at_real)), reals);
}

/* The tallies lie behind the numbers. */
static bool tallies_size(const at_fused *call, const at_plan *plan, size_t *size) {
    *size = 0;
    return !plan->tallies || at_heaviest_size(call->taps, plan->blocks, size);
}

bool at_bench_size(const at_fused *call, const at_plan *plan, size_t *size) {
    const at_problem *problem = call->problem;
    size_t reals = 0, bytes, tallies, width = (size_t)problem->head_width, value_width = (size_t)problem->value_width;
    bool fits = add_reals(&reals, AT_CHUNK, AT_LANES) && add_reals(&reals, plan->adjusted ? AT_CHUNK : 0, AT_LANES) &&
                add_reals(&reals, plan->adjusted ? AT_ADDED_KEYS : 0, AT_LANES);
    for (int32_t n = 0; n < plan->blocks; n++)
        fits = fits && add_reals(&reals, AT_LANES, width) && add_reals(&reals, AT_FEW, width) &&
               add_reals(&reals, AT_LANES, value_width) &&
               add_reals(&reals, plan->keeps ? AT_LANES : 0, (size_t)problem->keys);
    fits = fits && add_reals(&reals, plan->widen_k ? AT_CHUNK : 0, width) &&
           add_reals(&reals, plan->widen_v ? AT_CHUNK : 0, value_width) &&
           add_reals(&reals, AT_LANES, widest(problem)) && at_size_mul(reals, sizeof(at_real), &bytes) &&
           at_size_add(bytes, sizeof(at_bench) + 3 * AT_ALIGNMENT, size) && tallies_size(call, plan, &tallies) &&
           at_size_add(*size, tallies, size);
    *size -= fits ? *size % AT_ALIGNMENT : 0;
    return fits;
}

static at_real *take_reals(at_real **next, size_t count, size_t width) {
    at_real *taken = *next;
    size_t reals = 0;
    (void)add_reals(&reals, count, width); /* it fitted when it was measured */
    *next += reals;
    return taken;
}

/* The next place for an at_bench or at_tallies. */
static void *aligned(void *place) {
    return (void *)(((uintptr_t)place + AT_ALIGNMENT - 1) / AT_ALIGNMENT * AT_ALIGNMENT);
}

at_bench *at_bench_lay_out(const at_fused *call, const at_plan *plan, void *memory) {
    const at_problem *problem = call->problem;
    at_bench *bench = memory;
    size_t width = (size_t)problem->head_width, value_width = (size_t)problem->value_width;
    at_real *next = aligned(bench + 1);
    bench->pairs = plan->pairs != NULL;
    bench->scores = take_reals(&next, AT_CHUNK, AT_LANES);
    bench->added = take_reals(&next, plan->adjusted ? AT_CHUNK : 0, AT_LANES);
    bench->added_rows = take_reals(&next, plan->adjusted ? AT_ADDED_KEYS : 0, AT_LANES);
    for (int32_t n = 0; n < plan->blocks; n++) {
        bench->blocks[n].queries = take_reals(&next, AT_LANES, width);
        bench->blocks[n].few = take_reals(&next, AT_FEW, width);
        bench->blocks[n].output = take_reals(&next, AT_LANES, value_width);
        at_real *kept = take_reals(&next, plan->keeps ? AT_LANES : 0, (size_t)problem->keys);
        bench->blocks[n].kept = plan->keeps ? kept : NULL;
    }
    bench->keys = take_reals(&next, plan->widen_k ? AT_CHUNK : 0, width);
    bench->values = take_reals(&next, plan->widen_v ? AT_CHUNK : 0, value_width);
    bench->rows = take_reals(&next, AT_LANES, widest(problem));
    bench->tallies = plan->tallies ? at_heaviest_lay_out(call->taps, plan->blocks, aligned(next)) : NULL;
    for (int32_t n = 0; n < plan->blocks; n++)
        bench->blocks[n].tally = plan->tallies ? &bench->tallies->block[n] : NULL;
    return bench;
}

/* ---- begin ---- */

void at_block_clear(const at_problem *problem, at_block *block) {
    memset(block->output, 0, sizeof(at_real) * AT_LANES * (size_t)problem->value_width);
    for (int32_t i = 0; i < AT_LANES; i++) {
        block->state.shift[i] = AT_SHIFT_NONE;
        block->state.sum[i] = 0;
        block->state.highest[i] = -INFINITY;
        block->state.others[i] = block->state.distance[i] = 0;
    }
    if (block->tally != NULL)
        at_heaviest_clear(block->tally);
}

/* Queries of a few rows once more, so close together that they stay in the first cache while keys pass through it. */
static void pack_few(int64_t width, at_block *block) {
    int32_t step = 1;
    while (step < block->rows && step <= AT_FEW)
        step *= 2;
    block->few_step = step <= AT_FEW ? step : 0;
    for (int64_t d = 0; d < width; d++)
        for (int32_t r = 0; r < block->few_step; r++)
            block->few[d * step + r] = block->queries[d * AT_LANES + r];
}

/* Whether all queries fit; if so they are packed. */
static bool pack_pairs(const at_fused *call, const at_plan *plan, at_block *block) {
    int64_t width = call->problem->head_width;
    const uint16_t *q[AT_LANES];
    bool fit = true;
    for (int32_t row = 0; row < block->rows && fit; row++) {
        const at_query *at = &block->query[row];
        q[row] = (const uint16_t *)call->q->data + at_row_place(call->q->stride, at->b, at->h, at->i);
        fit = plan->pairs->fit(q[row], width);
    }
    if (fit)
        plan->pairs->pack(q, block->rows, width, (float *)block->queries);
    return fit;
}

static void pack(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block) {
    int64_t width = call->problem->head_width;
    const at_real *q[AT_LANES];
    bool in_place = at_panel_in_place(call->q);
    for (int32_t row = 0; row < block->rows; row++) {
        const at_query *at = &block->query[row];
        q[row] = in_place ? (const at_real *)call->q->data + at_row_place(call->q->stride, at->b, at->h, at->i)
                          : at_panel_of(plan->kernels, call->q, at->b, at->h, at->i, 1, bench->rows + row * width).rows;
    }
    plan->kernels->pack(q, block->rows, width, plan->sign, block->queries);
    pack_few(width, block);
}

void at_block_pack(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block) {
    block->span = at_span_of(block->query, block->rows);
    block->few_step = 0;
    bench->pairs = block->pairs = bench->pairs && pack_pairs(call, plan, block);
    if (!block->pairs)
        pack(call, plan, bench, block);
}

/* Asks for row [b,h,i], which is read or written soon. */
static void fetch_row(const attend_in *tensor, int64_t b, int64_t h, int64_t i) {
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    int64_t place = at_row_place(tensor->stride, b, h, i) * size;
    at_fetch((uintptr_t)tensor->data + (uintptr_t)place, tensor->shape[3] * size);
}

void at_block_begin(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block, const at_span *heads,
                    const at_span *queries, int64_t b) {
    block->rows = 0;
    for (int64_t h = heads->first; h < heads->end; h++)
        for (int64_t i = queries->first; i < queries->end; i++) {
            fetch_row(call->q, b, h, i);
            block->query[block->rows++] = at_query_of(call->problem, b, h, i);
        }
    at_block_clear(call->problem, block);
    at_block_pack(call, plan, bench, block);
}

/* ---- step ---- */

void at_block_adjust(const at_problem *problem, const at_plan *plan, at_bench *bench, const at_block *block,
                     at_span span, bool added) {
    bool adds = added && at_adds(problem);
    if (adds)
        at_added(problem, plan->kernels, block->query, block->rows, span, bench->added_rows, bench->added);
    plan->kernels->adjust(bench->scores, block->rows, (int32_t)(span.end - span.first), (at_real)fabs(problem->scale),
                          (at_real)problem->softcap, adds ? bench->added : NULL);
}

static bool keys_fit(const at_plan *plan, at_panel keys, int64_t count, int64_t width) {
    bool fit = true;
    for (int64_t j = 0; keys.rows != NULL && j < count && fit; j++)
        fit = plan->pairs->fit(at_panel_row(keys, j), width);
    return fit;
}

at_panel at_block_keys(const at_fused *call, const at_plan *plan, at_bench *bench, int64_t b, int64_t g,
                       at_span chunk) {
    at_panel stored = at_panel_raw(call->k, b, g, chunk.first);
    if (!plan->widen_k)
        return stored;
    bench->pairs = bench->pairs && keys_fit(plan, stored, chunk.end - chunk.first, call->problem->head_width);
    if (bench->pairs)
        return stored;
    return at_panel_of(plan->kernels, call->k, b, g, chunk.first, chunk.end - chunk.first, bench->keys);
}

at_panel at_block_values(const at_fused *call, const at_plan *plan, at_bench *bench, int64_t b, int64_t g,
                         at_span chunk) {
    if (!plan->widen_v)
        return at_panel_raw(call->v, b, g, chunk.first);
    return at_panel_of(plan->kernels, call->v, b, g, chunk.first, chunk.end - chunk.first, bench->values);
}

at_span at_block_sees(const at_block *block, at_span chunk, at_panel *keys) {
    at_span both = {block->span.first > chunk.first ? block->span.first : chunk.first,
                    block->span.end < chunk.end ? block->span.end : chunk.end};
    if (both.first >= both.end)
        return both;
    if (keys->dtype == ATTEND_I8) /* whole groups; what nobody sees of them is hidden */
        both.first -= (both.first - chunk.first) % AT_GROUP;
    *keys = at_panel_from(*keys, both.first - chunk.first);
    return both;
}

void at_block_compare(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block, at_panel keys,
                      int32_t count, const uint64_t *seen, const at_ahead *ahead) {
    int64_t width = call->problem->head_width;
    at_real *highest = bench->chunk.highest;
    if (block->pairs)
        plan->pairs->compare((const float *)block->queries, block->rows, width, keys.rows, keys.stride, count, seen,
                             (float *)bench->scores, (float *)highest, ahead);
    else if (keys.dtype != AT_REAL_DTYPE || (block->few_step > 0 && !plan->swapped))
        plan->kernels->compare_few(block->few, block->rows, width, keys.rows, keys.dtype, keys.stride, count,
                                   bench->scores, highest);
    else
        plan->kernels->compare(block->queries, block->rows, width, keys.rows, keys.stride, count, plan->swapped, seen,
                               bench->scores, highest, ahead);
    if (keys.scales != NULL)
        plan->kernels->weigh(bench->scores, block->rows, count, keys.scales);
}

void at_block_scores(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block, at_span span,
                     at_panel keys, const uint64_t *seen, const at_ahead *ahead) {
    at_block_compare(call, plan, bench, block, keys, (int32_t)(span.end - span.first), seen, ahead);
    if (plan->adjusted)
        at_block_adjust(call->problem, plan, bench, block, span, true);
}

/* Scores become weights, and what they sum to is folded in. */
static void normalize(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block, int32_t count,
                      const uint64_t *seen) {
    const at_kernels *kernels = plan->kernels;
    if (at_given_out(&call->taps->entropy)) {
        kernels->normalize_spread(bench->scores, block->rows, count, seen, plan->factor, &bench->chunk);
        kernels->fold_spread(&block->state, &bench->chunk, block->rows);
    } else
        kernels->normalize(bench->scores, block->rows, count, seen, plan->factor, &bench->chunk);
    kernels->fold(&block->state, &bench->chunk, block->rows, bench->keep, bench->take);
}

/* Weights become shares of the output. */
static void combine(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block, int32_t count,
                    at_panel values, const uint64_t *seen, const at_ahead *ahead) {
    int64_t width = call->problem->value_width;
    if (values.scales != NULL)
        plan->kernels->weigh(bench->scores, block->rows, count, values.scales);
    if (values.dtype == AT_REAL_DTYPE)
        plan->kernels->combine(bench->scores, block->rows, count, seen, values.rows, values.stride, width, bench->keep,
                               bench->take, block->output, ahead);
    else
        plan->kernels->combine_few(bench->scores, block->rows, count, seen, values.rows, values.dtype, values.stride,
                                   width, bench->keep, bench->take, block->output);
}

/* Whether nobody looks at the scores and weights of a chunk, so that they need not be there for many rows' kernels. */
static bool at_once(const at_fused *call, const at_plan *plan, const at_block *block, const uint64_t *seen) {
    return block->few_step > 0 && seen == NULL && !plan->adjusted && !plan->widen_k && !plan->widen_v &&
           block->kept == NULL && block->tally == NULL && call->lse == NULL && !at_given_out(&call->taps->entropy);
}

/* Keys from key first on that lie as those before it do, as far as some row may see them; no more than a chunk. */
static int32_t keys_after(const at_fused *call, const at_block *block, int64_t first) {
    int64_t more = block->span.end - first;
    if (call->k->dtype == AT_PAGED && first % ((const at_pages *)call->k->data)->page == 0)
        return 0;
    return (int32_t)(more < AT_CHUNK ? more : AT_CHUNK);
}

static void step_at_once(const at_fused *call, const at_plan *plan, at_block *block, at_span span, at_panel keys,
                         at_panel values) {
    int64_t width = call->problem->head_width, value_width = call->problem->value_width;
    at_few few = {.rows = block->rows,
                  .keys = (int32_t)(span.end - span.first),
                  .more = keys_after(call, block, span.end),
                  .queries = block->few,
                  .width = width,
                  .k = keys.rows,
                  .v = values.rows,
                  .k_dtype = keys.dtype,
                  .v_dtype = values.dtype,
                  .k_stride = keys.stride,
                  .v_stride = values.stride,
                  .value_width = value_width,
                  .k_scales = keys.scales,
                  .v_scales = values.scales,
                  .factor = plan->factor};
    plan->kernels->step_few(&few, &block->state, block->output);
}

void at_block_step(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block, at_span chunk,
                   at_panel keys, at_panel values) {
    at_span span = at_block_sees(block, chunk, &keys);
    if (span.first >= span.end)
        return;
    int32_t count = (int32_t)(span.end - span.first);
    const uint64_t *seen = at_see(call->problem, block->query, block->rows, span, bench->seen);
    if (!at_seen_by_some(seen, block->rows, span))
        return;
    values = at_panel_from(values, span.first - chunk.first);
    if (at_once(call, plan, block, seen)) {
        step_at_once(call, plan, block, span, keys, values);
        return;
    }
    at_ahead then = at_panel_ahead(values, 0, call->problem->value_width);
    const bool in_place = !plan->widen_k || bench->pairs;
    if (block->pairs && !bench->pairs) /* some keys did not fit */
        at_block_pack(call, plan, bench, block);
    at_block_scores(call, plan, bench, block, span, keys, seen, plan->widen_v ? NULL : &then);
    if (block->kept != NULL)
        memcpy(block->kept + span.first * AT_LANES, bench->scores, sizeof(at_real) * AT_LANES * (size_t)count);
    if (block->tally != NULL)
        at_heaviest_search(plan->kernels, block->rows, span, bench->scores, seen, bench->tallies, block->tally);
    if (call->lse != NULL && block->tally->kinds == 0)
        return; /* with the sum of the row given, there are weights to make of what was found alone */
    if (plan->adjusted || seen != NULL || keys.scales != NULL)
        plan->kernels->highest(bench->scores, block->rows, count, seen, bench->chunk.highest);
    normalize(call, plan, bench, block, count, seen);
    if (block->tally != NULL)
        at_heaviest_sort(plan->kernels, call->taps, block->rows, span, bench->scores, bench->keep, bench->take,
                         bench->tallies, block->tally);
    then = at_panel_ahead(keys, count, call->problem->head_width);
    combine(call, plan, bench, block, count, values, seen, in_place ? &then : NULL);
}

/* ---- end ---- */

static const double ln_2 = 0.693147180559945309417;

/* A sink is one more chunk, of one key without a value. */
static void fold_sinks(const at_problem *problem, const at_plan *plan, at_bench *bench, at_block *block) {
    at_real highest[AT_LANES];
    memcpy(highest, block->state.highest, sizeof highest); /* the largest score of a key stays what it is */
    for (int32_t i = 0; i < block->rows; i++)
        bench->scores[i] = bench->chunk.highest[i] = at_real_of(at_get(&problem->sinks, block->query[i].h, 0, 0, 0));
    plan->kernels->normalize(bench->scores, block->rows, 1, NULL, (at_real)(1 / ln_2), &bench->chunk);
    plan->kernels->fold(&block->state, &bench->chunk, block->rows, bench->keep, bench->take);
    for (int64_t e = 0; e < problem->value_width; e++)
        for (int32_t i = 0; i < block->rows; i++)
            block->output[e * AT_LANES + i] *= bench->keep[i];
    memcpy(block->state.highest, highest, sizeof highest);
}

static double sink_of(const at_problem *problem, int64_t h) {
    return at_given_in(&problem->sinks) ? at_get(&problem->sinks, h, 0, 0, 0) : -INFINITY;
}

static double highest_of(const at_problem *problem, const at_plan *plan, const at_rows *state, int32_t i) {
    if (state->highest[i] == -INFINITY)
        return -INFINITY; /* also when the scale is 0 */
    return (double)state->highest[i] * (plan->adjusted ? 1 : fabs(problem->scale));
}

/* Where no key was seen there is the sink alone, if anything.  A shift at the end of the numbers stands for more. */
static double lse_of(const at_problem *problem, const at_plan *plan, const at_rows *state, int32_t i, int64_t h) {
    double sink = sink_of(problem, h);
    if (isnan(state->sum[i]))
        return NAN;
    if (state->highest[i] == -INFINITY)
        return sink;
    bool at_the_end = fabs((double)state->shift[i]) >= -(double)AT_SHIFT_NONE;
    double shift = at_the_end ? fmax(highest_of(problem, plan, state, i), sink) : (double)state->shift[i] * ln_2;
    return shift + at_log((double)state->sum[i]);
}

/* A score that is NaN was passed over by the maximum, but is in the sum. */
static double row_max_of(const at_problem *problem, const at_plan *plan, const at_rows *state, int32_t i) {
    double highest = highest_of(problem, plan, state, i);
    return isnan(state->sum[i]) && highest < INFINITY ? (double)NAN : highest;
}

/* Entropy -sum p log p without cancellation: with l = sum e^(s-m) and t = sum e^(s-m) (m-s), m being the largest s, it is
   log l + t/l, and both terms are >= 0.  l is one key at m, and others. */
static double entropy_of(const at_problem *problem, const at_plan *plan, const at_rows *state, int32_t i, int64_t h) {
    double sink = sink_of(problem, h);
    double top = highest_of(problem, plan, state, i), unit = plan->adjusted ? 1 : fabs(problem->scale);
    bool huge = fabs((double)state->shift[i]) >= (double)AT_REAL_HUGE;
    if (isnan(state->sum[i]) || !(sink < INFINITY))
        return NAN;
    if (state->sum[i] == 0)
        return 0;
    double weight = huge ? 1 : exp2((double)at_real_fma(state->highest[i], plan->factor, -state->shift[i]));
    double others = (double)state->others[i] / weight, spread = -(double)state->distance[i] * unit / weight;
    if (sink > top) {
        double kept = exp(top - sink), l = 1 + others; /* relative to the sink */
        spread = kept == 0 ? 0 : kept * (spread + (sink - top) * l);
        others = kept * l;
    } else if (sink > -INFINITY && exp(sink - top) > 0) {
        spread += exp(sink - top) * (top - sink);
        others += exp(sink - top);
    }
    return log1p(others) + spread / (1 + others);
}

/* With a sink past the highest score, what a huge shift stands for is the sink. */
static at_state state_of(const at_problem *problem, const at_plan *plan, const at_rows *state, int32_t i, int64_t h) {
    at_state result = {state->shift[i], state->highest[i], state->sum[i] == 0 ? 0 : 1 / state->sum[i]};
    double unit = plan->adjusted ? 1 : fabs(problem->scale);
    if (at_given_in(&problem->sinks) && unit > 0)
        result.highest = at_real_max(result.highest, (at_real)(at_get(&problem->sinks, h, 0, 0, 0) / unit));
    return result;
}

static void write_taps(const at_fused *call, const at_plan *plan, const at_block *block) {
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        if (at_given_out(&call->taps->lse))
            at_set(&call->taps->lse, at->b, at->h, at->i, 0, lse_of(call->problem, plan, &block->state, i, at->h));
        if (call->states != NULL)
            *at_state_place(call, at) = state_of(call->problem, plan, &block->state, i, at->h);
    }
}

/* ---- output ---- */

/* Only asked of a row that is NaN: the sink may have made it so, and without a key it is 0 all the same. */
static bool sees_none(const at_problem *problem, const at_query *query) {
    for (int64_t j = query->first; j < query->end; j++)
        if (at_sees(problem, query, j))
            return false;
    return true;
}

static bool weighs_nothing(const at_problem *problem, const at_block *block, int32_t i) {
    at_real sum = block->state.sum[i];
    return sum == 0 || (isnan(sum) && sees_none(problem, &block->query[i]));
}

/* The sum of what is not finite in element e of the values that a query sees: 0 where everything is. */
static double beyond_numbers(const at_fused *call, const at_query *query, int64_t e) {
    double sum = 0;
    for (int64_t j = query->first; j < query->end; j++) {
        double value = at_get(call->v, query->b, query->g, j, e);
        if (!isfinite(value) && at_sees(call->problem, query, j))
            sum += value;
    }
    return sum;
}

static bool holds_infinity(const at_fused *call, const at_block *block, int64_t e) {
    for (int64_t j = block->span.first; j < block->span.end; j++)
        if (isinf(at_get(call->v, block->query[0].b, block->query[0].g, j, e)))
            return true;
    return false;
}

/* Whether element e of a row is NaN that the sum of the row does not explain. */
static bool is_broken(const at_block *block, at_real *const *o, int32_t i, int64_t e) {
    return isnan(o[i][e]) && !isnan(block->state.sum[i]);
}

static bool some_broken(const at_block *block, at_real *const *o, int64_t e) {
    for (int32_t i = 0; i < block->rows; i++)
        if (is_broken(block, o, i, e))
            return true;
    return false;
}

/* An infinite value that is seen reaches its rows whatever its weight, which may be too small for the numbers here and
   then made NaN of it.  o: rows pointers to E numbers each. */
static void restore_infinities(const at_fused *call, const at_block *block, at_real *const *o) {
    for (int64_t e = 0; e < call->problem->value_width; e++) {
        if (!some_broken(block, o, e) || !holds_infinity(call, block, e))
            continue;
        for (int32_t i = 0; i < block->rows; i++)
            if (is_broken(block, o, i, e))
                o[i][e] = (at_real)beyond_numbers(call, &block->query[i], e);
    }
}

static void write_output(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block) {
    int64_t width = call->problem->value_width;
    attend_in there = attend_read(*call->o);
    bool in_place = at_panel_in_place(&there);
    _Alignas(AT_ALIGNMENT) at_real sum[AT_LANES];
    at_real *o[AT_LANES];
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        fetch_row(&there, at->b, at->h, at->i);
        o[i] = in_place ? (at_real *)call->o->data + at_row_place(call->o->stride, at->b, at->h, at->i)
                        : bench->rows + i * width;
    }
    /* Where nothing has weight, output is 0, or NaN by a value that is seen. */
    for (int32_t i = 0; i < block->rows; i++)
        sum[i] = weighs_nothing(call->problem, block, i) ? 1 : block->state.sum[i];
    for (int32_t i = block->rows; i < AT_LANES; i++)
        sum[i] = 1;
    if (plan->kernels->finish(block->output, block->rows, width, sum, o))
        restore_infinities(call, block, o);
    for (int32_t i = 0; !in_place && i < block->rows; i++)
        at_panel_write(plan->kernels, call->o, block->query[i].b, block->query[i].h, block->query[i].i, o[i]);
}

/* What is said of the keys before the sinks are among them. */
static void write_taps_of_keys(const at_fused *call, const at_plan *plan, const at_block *block) {
    const at_taps *taps = call->taps;
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        if (at_given_out(&taps->entropy))
            at_set(&taps->entropy, at->b, at->h, at->i, 0, entropy_of(call->problem, plan, &block->state, i, at->h));
        if (at_given_out(&taps->row_max))
            at_set(&taps->row_max, at->b, at->h, at->i, 0, row_max_of(call->problem, plan, &block->state, i));
    }
}

/* What the weights of the keys are made of. */
static void settle(const at_fused *call, const at_plan *plan, at_block *block) {
    for (int32_t i = 0; i < block->rows; i++) {
        const at_query *at = &block->query[i];
        at_state state = call->lse != NULL
                             ? at_state_given(call->problem, plan, at_get(call->lse, at->b, at->h, at->i, 0))
                             : state_of(call->problem, plan, &block->state, i, at->h);
        block->final.shift[i] = state.shift;
        block->final.highest[i] = state.highest;
        block->final.inverse[i] = state.inverse;
    }
}

/* A sum of weights relative to these shifts and highest scores (AT_LANES), which the sinks have not moved, becomes one
   of weights by a factor: 2^(shift - M) / l, or, where M is that of a huge log-sum-exp that was given, by the distance
   of the highest scores. */
static void write_tally(const at_fused *call, const at_plan *plan, at_bench *bench, const at_block *block,
                        const at_real *shift) {
    const at_final *known = &block->final;
    double factor[AT_LANES], unit = plan->adjusted ? 1 : fabs(call->problem->scale);
    for (int32_t i = 0; i < block->rows; i++) {
        bool far = call->lse != NULL && fabs((double)known->shift[i]) >= (double)AT_REAL_HUGE;
        double power = far ? ((double)block->state.highest[i] - (double)known->highest[i]) * unit * AT_LOG2_E
                           : (double)shift[i] - (double)known->shift[i];
        factor[i] = known->inverse[i] == 0 ? 0 : exp2(power) * (double)known->inverse[i];
    }
    at_heaviest_write(call->problem, call->taps, plan, bench, block, factor);
}

void at_block_end(const at_fused *call, const at_plan *plan, at_bench *bench, at_block *block) {
    at_real shift[AT_LANES];
    memcpy(shift, block->state.shift, sizeof shift); /* of what was summed */
    write_taps_of_keys(call, plan, block);
    if (at_given_in(&call->problem->sinks))
        fold_sinks(call->problem, plan, bench, block);
    if (call->o != NULL)
        write_output(call, plan, bench, block);
    write_taps(call, plan, block);
    if (block->tally != NULL || block->kept != NULL)
        settle(call, plan, block);
    if (block->tally != NULL)
        write_tally(call, plan, bench, block, shift);
}
