/* Any bytes as a call of attend_forward with all taps, and of attend_chain: sizes, strides, types and options, most of
   them right and some of them wrong.  What must hold:
   - a status of the list, with a message when it is not ATTEND_OK, and then no byte of the caller's changed;
   - rows of weights sum to 1, less the sink's share, or to 0;
   - two threads give the bits of one;
   - the chain gives the numbers of the readable path. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attend/attend.h"
#include "must.h"

enum { MEMORY = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Reading choices from the input; 0 when it has ended ---- */

typedef struct source {
    const uint8_t *data;
    size_t size;
} source;

static int take(source *from) {
    if (from->size == 0)
        return 0;
    from->size--;
    return *from->data++;
}

static int64_t take_in(source *from, int64_t low, int64_t high) {
    int choice = take(from);
    return high > low ? low + choice % (high - low + 1) : low;
}

/* True for about one in 32 choices, and never when the input has ended. */
static bool rarely(source *from) { return take(from) > 247; }

/* ---- One call ---- */

typedef struct fuzz_call {
    attend_problem problem;
    attend_extra extra;
    attend_taps taps;
    attend_steps steps;
    attend_in q, k, v;
    attend_out o;
    unsigned char *memory; /* (MEMORY) holds every tensor */
    size_t used;
} fuzz_call;

static int64_t round_up(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Whether all elements lie within the memory. */
static bool fits(const attend_out *tensor, const unsigned char *memory) {
    int64_t element = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    int64_t low = (const unsigned char *)tensor->data - memory, high = low + element;
    for (int32_t axis = 0; axis < tensor->rank && axis < ATTEND_RANK_MAX; axis++) {
        int64_t span = (tensor->shape[axis] > 0 ? tensor->shape[axis] - 1 : 0) * tensor->stride[axis] * element;
        low += span < 0 ? span : 0;
        high += span > 0 ? span : 0;
    }
    return element > 0 && low >= 0 && high <= MEMORY;
}

/* A dense tensor in memory of its own; now and then with one field changed, as long as it stays in the memory. */
static attend_out make_tensor(source *from, fuzz_call *call, attend_dtype dtype, int32_t rank, const int64_t *shape) {
    int64_t bytes = (int64_t)attend_dtype_size(dtype);
    for (int32_t axis = 0; axis < rank; axis++)
        bytes *= shape[axis];
    if ((int64_t)call->used + round_up(bytes) > MEMORY)
        return (attend_out){.data = NULL};
    attend_out tensor = attend_out_dense(call->memory + call->used, dtype, rank, shape), changed = tensor;
    call->used += (size_t)round_up(bytes);
    if (!rarely(from))
        return tensor;
    int32_t axis = (int32_t)take_in(from, 0, 3);
    switch (take_in(from, 0, 4)) {
    case 0: changed.shape[axis] = take_in(from, -1, 6); break;
    case 1: changed.stride[axis] = take_in(from, -100, 100); break;
    case 2: changed.rank = (int32_t)take_in(from, -1, 5); break;
    case 3: changed.dtype = (int32_t)take_in(from, 0, 20); break;
    default: changed.data = call->memory + take_in(from, 0, 255) * 17;
    }
    return fits(&changed, call->memory) ? changed : tensor;
}

static attend_dtype take_type(source *from) {
    static const attend_dtype types[] = {ATTEND_F64, ATTEND_F32, ATTEND_F16, ATTEND_BF16};
    return types[take_in(from, 0, 3)];
}

static attend_in make_input(source *from, fuzz_call *call, attend_dtype dtype, int32_t rank, const int64_t *shape) {
    return attend_read(make_tensor(from, call, dtype, rank, shape));
}

/* Element n of a list of i32 that may lie anywhere, misaligned too. */
static unsigned char *element_of(const attend_in *list, int64_t n) {
    return (unsigned char *)(uintptr_t)list->data + n * (int64_t)sizeof(int32_t);
}

/* A list of i32 from low to high, or a bit outside. */
static attend_in make_list(source *from, fuzz_call *call, int64_t count, int64_t low, int64_t high, bool rising) {
    attend_in list = make_input(from, call, ATTEND_I32, 1, &count);
    int64_t previous = low;
    for (int64_t n = 0; list.data != NULL && n < count; n++) {
        int64_t value = rarely(from) ? take_in(from, low - 1, high + 1) : take_in(from, rising ? previous : low, high);
        int32_t narrow = (int32_t)(rising && n + 1 == count ? high : rising && n == 0 ? low : value);
        memcpy(element_of(&list, n), &narrow, sizeof narrow);
        previous = narrow < low ? low : narrow > high ? high : narrow;
    }
    return list;
}

static void take_problem(source *from, attend_problem *p) {
    *p = attend_problem_init();
    p->batch = take_in(from, 0, 2);
    p->kv_heads = take_in(from, 0, 2);
    p->heads = p->kv_heads * take_in(from, 1, 3) + rarely(from);
    p->queries = take_in(from, 0, 5);
    p->keys = take_in(from, 0, 6);
    p->head_width = take_in(from, 0, 4);
    p->value_width = take_in(from, 0, 3);
    p->flags = (uint32_t)take_in(from, 0, 15) | (rarely(from) ? 1u << take_in(from, 0, 31) : 0);
    p->query_offset = take_in(from, -4, 8);
    p->ahead = take_in(from, -3, 4);
    p->back = take_in(from, -3, 4);
    p->scale = (double)take_in(from, -8, 8) / 4;
    p->softcap = (double)take_in(from, -1, 12) / 4;
    if (rarely(from))
        p->query_offset = (int64_t)((uint64_t)take(from) << 56);
}

static void take_extra(source *from, fuzz_call *call) {
    const attend_problem *p = &call->problem;
    const int64_t grid[] = {p->batch, p->heads, p->queries, p->keys};
    int64_t shape[4], rows = p->batch;
    int given = take(from);
    int32_t rank = (int32_t)take_in(from, 0, 4);
    call->extra = attend_extra_init();
    for (int32_t axis = 0; axis < rank; axis++)
        shape[axis] = take(from) & 1 ? 1 : grid[4 - rank + axis];
    if (given & 1)
        call->extra.mask = make_input(from, call, ATTEND_U8, rank, shape);
    if (given & 2)
        call->extra.bias = make_input(from, call, take_type(from), rank, shape);
    if (given & 4)
        call->extra.slopes = make_input(from, call, take_type(from), 1, &p->heads);
    if (given & 8)
        call->extra.sinks = make_input(from, call, take_type(from), 1, &p->heads);
    if (given & 16 && (p->batch == 1 || rarely(from))) {
        rows = take_in(from, 1, 3);
        call->extra.query_starts = make_list(from, call, rows + 1, 0, p->queries, true);
        call->extra.key_starts = make_list(from, call, rows + 1, 0, p->keys, true);
    }
    if (given & 32)
        call->extra.key_count = make_list(from, call, rows, 0, p->keys, false);
    if (given & 64)
        call->extra.query_offsets = make_list(from, call, rows, -3, 8, false);
}

static void take_taps(source *from, fuzz_call *call) {
    const attend_problem *p = &call->problem;
    int64_t listed[] = {p->batch, p->heads, p->queries}, columns[] = {p->batch, p->heads, p->keys};
    int64_t full[] = {p->batch, p->heads, p->queries, p->keys};
    int64_t top[] = {p->batch, p->heads, p->queries, take_in(from, 0, 3)};
    int64_t pooled[] = {p->batch, p->heads, take_in(from, 0, 4), take_in(from, 0, 4)}, kinds = take_in(from, 0, 3);
    int64_t mass[] = {p->batch, p->heads, p->queries, kinds};
    attend_taps *t = &call->taps;
    *t = attend_taps_init();
    t->lse = make_tensor(from, call, ATTEND_F64, 3, listed);
    t->row_max = make_tensor(from, call, take_type(from), 3, listed);
    t->entropy = make_tensor(from, call, take_type(from), 3, listed);
    t->top_index = make_tensor(from, call, ATTEND_I32, 4, top);
    t->top_weight = make_tensor(from, call, take_type(from), 4, top);
    t->top_rest = make_tensor(from, call, take_type(from), 3, listed);
    t->rows = make_list(from, call, p->queries, 0, p->queries - 1, false);
    for (int64_t i = 0; t->rows.data != NULL && i < p->queries && !rarely(from); i++)
        memcpy(element_of(&t->rows, i), &(int32_t){(int32_t)i}, sizeof(int32_t));
    t->row_raw = make_tensor(from, call, take_type(from), 4, full);
    t->row_capped = make_tensor(from, call, take_type(from), 4, full);
    t->row_biased = make_tensor(from, call, take_type(from), 4, full);
    t->row_weights = make_tensor(from, call, ATTEND_F64, 4, full);
    t->column_sum = make_tensor(from, call, take_type(from), 3, columns);
    t->column_first = take_in(from, 0, p->queries);
    t->column_count = rarely(from) ? take(from) - 4 : 0;
    t->grid_sum = make_tensor(from, call, take_type(from), 4, pooled);
    t->grid_count = make_tensor(from, call, take_type(from), 4, pooled);
    t->grid_max = make_tensor(from, call, take_type(from), 4, pooled);
    t->segments = make_list(from, call, p->keys, 0, kinds - 1, false);
    t->segment_mass = make_tensor(from, call, take_type(from), 4, mass);
}

/* Numbers from the rest of the input, one byte each: most are small, a few are NaN or infinite. */
static void fill(source *from, attend_in *tensor, fuzz_call *call) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 1e30, -0.0};
    int64_t count = 1;
    attend_out out =
        attend_out_dense((void *)(uintptr_t)tensor->data, (attend_dtype)tensor->dtype, tensor->rank, tensor->shape);
    for (int32_t axis = 0; axis < tensor->rank && axis < ATTEND_RANK_MAX; axis++)
        count *= tensor->shape[axis];
    if (tensor->data == NULL || tensor->rank < 0 || tensor->rank > ATTEND_RANK_MAX || !fits(&out, call->memory))
        return;
    for (int64_t n = 0; n < count; n++) {
        int byte = take(from);
        double value = byte > 250 ? special[byte - 251] : (byte - 125) / 16.0;
        float narrow = (float)value;
        uint16_t half = (uint16_t)((byte % 8 + 56) << 8 | (byte & 0x80) << 8); /* f16 and bf16 numbers alike */
        unsigned char *place = (unsigned char *)out.data + (size_t)n * attend_dtype_size((attend_dtype)out.dtype);
        if (out.dtype == ATTEND_F64)
            memcpy(place, &value, sizeof value);
        else if (out.dtype == ATTEND_F32)
            memcpy(place, &narrow, sizeof narrow);
        else if (out.dtype == ATTEND_F16 || out.dtype == ATTEND_BF16)
            memcpy(place, &half, sizeof half);
        else if (out.dtype == ATTEND_U8)
            *place = (unsigned char)(byte % 3);
    }
}

static void take_call(source *from, fuzz_call *call) {
    attend_problem *p = &call->problem;
    take_problem(from, p);
    int64_t value_width = p->value_width ? p->value_width : p->head_width;
    int64_t kv_heads = p->kv_heads ? p->kv_heads : p->heads;
    const int64_t query[] = {p->batch, p->heads, p->queries, p->head_width};
    const int64_t key[] = {p->batch, kv_heads, p->keys, p->head_width};
    const int64_t value[] = {p->batch, kv_heads, p->keys, value_width};
    const int64_t output[] = {p->batch, p->heads, p->queries, value_width};
    call->q = make_input(from, call, take_type(from), 4, query);
    call->k = make_input(from, call, take_type(from), 4, key);
    call->v = make_input(from, call, take_type(from), 4, value);
    call->o = make_tensor(from, call, take_type(from), 4, output);
    take_extra(from, call);
    take_taps(from, call);
    attend_in *inputs[] = {&call->q,          &call->k,          &call->v,
                           &call->extra.mask, &call->extra.bias, &call->extra.slopes,
                           &call->extra.sinks};
    for (size_t n = 0; n < sizeof inputs / sizeof inputs[0]; n++)
        fill(from, inputs[n], call);
    call->steps = attend_steps_init();
    call->steps.combine = call->o;
    call->steps.lse = call->taps.lse;
}

/* ---- What must hold ---- */

static void check_status(const attend_ctx *ctx, attend_status status) {
    must(strcmp(attend_status_name(status), "unknown") != 0);
    must((status == ATTEND_OK) == (attend_message(ctx)[0] == '\0'));
    must(status != ATTEND_MEMORY && status != ATTEND_THREAD && status != ATTEND_FILE && status != ATTEND_FORMAT);
}

static double at(const attend_out *tensor, const int64_t *index) {
    int64_t place = 0;
    double value;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        place += index[axis] * tensor->stride[axis];
    memcpy(&value, (const double *)tensor->data + place, sizeof value);
    return value;
}

/* Weights are f64 [B,H,Tq,Tk] of the queries 0, 1, ... unless the input changed them.  Their sum is 1 but for what each
   addition of a float, or of a double on the readable path, may lose. */
static void check_rows(const attend_ctx *ctx, const fuzz_call *call) {
    const attend_out *weights = &call->taps.row_weights, *lse = &call->taps.lse;
    const attend_problem *p = &call->problem;
    double unit = strcmp(attend_ctx_path(ctx), "fast") == 0 ? 0x1p-24 : 0x1p-53, error = (double)(p->keys + 8) * unit;
    if (weights->data == NULL || lse->data == NULL || call->taps.rows.data == NULL || weights->dtype != ATTEND_F64 ||
        lse->dtype != ATTEND_F64)
        return;
    for (int64_t n = 0; n < p->batch * p->heads * p->queries; n++) {
        int64_t index[] = {n / (p->heads * p->queries), n / p->queries % p->heads, n % p->queries, 0};
        double sum = 0, total = at(lse, index);
        int32_t row;
        memcpy(&row, element_of(&call->taps.rows, call->taps.rows.stride[0] * index[2]), sizeof row);
        for (int64_t j = 0; j < p->keys; j++) {
            index[3] = j;
            sum += at(weights, index);
        }
        if (row != index[2] || !(total < INFINITY) || isnan(sum))
            continue; /* another row, or one that holds NaN or infinity */
        bool sinks = call->extra.sinks.data != NULL;
        must(sum >= 0 && sum < 1 + error);
        must(sinks || (total == -INFINITY ? sum == 0 : fabs(sum - 1) < error));
    }
}

static attend_status forward(attend_ctx *ctx, const fuzz_call *call) {
    attend_status status =
        attend_forward(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &call->o, &call->taps);
    check_status(ctx, status);
    return status;
}

/* The chain on the same memory: o and lse come out with the same bits, and no other byte changes. */
static void check_chain(attend_ctx *ctx, const fuzz_call *call) {
    static unsigned char kept[MEMORY];
    attend_taps sums = attend_taps_init();
    sums.lse = call->taps.lse;
    must(attend_forward(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &call->o, &sums) == ATTEND_OK);
    memcpy(kept, call->memory, MEMORY);
    attend_status status = attend_chain(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &call->steps);
    check_status(ctx, status);
    must(status == ATTEND_OK);
    must(memcmp(kept, call->memory, MEMORY) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static attend_ctx *one, *two;
    static unsigned char memory[MEMORY] __attribute__((aligned(64))), before[MEMORY], after[MEMORY];
    source from = {data, size};
    fuzz_call call = {.memory = memory};
    if (one == NULL) {
        one = new_context(1);
        two = new_context(2);
    }
    memset(memory, 0, sizeof memory);
    take_call(&from, &call);
    memcpy(before, memory, sizeof memory);
    attend_status status = forward(one, &call);
    memcpy(after, memory, sizeof memory);
    if (status != ATTEND_OK) {
        must(memcmp(memory, before, sizeof memory) == 0);
        return 0;
    }
    check_rows(one, &call);
    memcpy(memory, before, sizeof memory);
    must(forward(two, &call) == ATTEND_OK);
    must(memcmp(memory, after, sizeof memory) == 0);
    if (strcmp(attend_ctx_path(one), "readable") == 0)
        check_chain(one, &call);
    return 0;
}
