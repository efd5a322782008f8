#include "check_random.h"

#include <stdarg.h>
#include <stdio.h>

#include "check_number.h"
#include "groups.h"

typedef struct maker {
    check_memory *memory;
    uint64_t state;
    forward_call *call;
    char *text;
    bool failed; /* no memory: whatever follows is of no use */
} maker;

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t draw(maker *m) {
    uint64_t mixed = m->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* A whole number from least to most. */
static int64_t between(maker *m, int64_t least, int64_t most) {
    return least + (int64_t)(draw(m) % (uint64_t)(most - least + 1));
}

static bool one_in(maker *m, int64_t count) { return between(m, 1, count) == 1; }

__attribute__((format(printf, 2, 3))) static void say(maker *m, const char *format, ...) {
    size_t length = strlen(m->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text + length, RANDOM_TEXT_MAX - length, format, arguments);
    va_end(arguments);
}

static void *take(maker *m, size_t size) {
    void *block = m->failed ? NULL : check_memory_take(m->memory, size);
    m->failed = block == NULL;
    return block;
}

static attend_dtype any_number_type(maker *m) {
    static const attend_dtype types[] = {ATTEND_F16, ATTEND_BF16, ATTEND_F32, ATTEND_F64};
    return types[between(m, 0, 3)];
}

/* Magnitudes from 1/16 to 8: every type holds them as normal numbers. */
static void put_any(maker *m, attend_dtype dtype, void *element) {
    if (dtype == ATTEND_U8) /* any value but 0 lets a key be seen */
        *(unsigned char *)element = one_in(m, 4) ? 0 : (unsigned char)between(m, 1, 255);
    else
        check_number_put(dtype, element, one_in(m, 2), (int)between(m, -4, 2), draw(m));
}

static void shuffle(maker *m, int32_t *axes, int32_t rank) {
    for (int32_t axis = rank - 1; axis > 0; axis--) {
        int32_t other = (int32_t)between(m, 0, axis), kept = axes[axis];
        axes[axis] = axes[other];
        axes[other] = kept;
    }
}

/* Axes in any order, with gaps, read backwards or repeated here and there; *first is where element 0 lies, the result
   how many elements there are in all. */
static int64_t any_strides(maker *m, attend_in *tensor, int64_t *first) {
    int32_t axes[ATTEND_RANK_MAX] = {0, 1, 2, 3};
    int64_t step = between(m, 1, 2);
    bool plain = one_in(m, 3);
    *first = 0;
    if (!plain)
        shuffle(m, axes, tensor->rank);
    for (int32_t place = tensor->rank - 1; place >= 0; place--) {
        int32_t axis = axes[place];
        bool backwards = !plain && one_in(m, 5), repeated = !plain && one_in(m, 10);
        tensor->stride[axis] = repeated ? 0 : backwards ? -step : step;
        if (repeated)
            continue;
        if (backwards && tensor->shape[axis] > 0)
            *first += (tensor->shape[axis] - 1) * step;
        step *= tensor->shape[axis] > 0 ? tensor->shape[axis] : 1;
        step += plain ? 0 : between(m, 0, 2);
    }
    return step;
}

static attend_in any_tensor(maker *m, attend_dtype dtype, int32_t rank, const int64_t *shape) {
    attend_in tensor = attend_in_dense(NULL, dtype, rank, shape);
    size_t size = attend_dtype_size(dtype);
    int64_t first, count = any_strides(m, &tensor, &first);
    char *block = take(m, (size_t)count * size);
    for (int64_t i = 0; block != NULL && i < count; i++)
        put_any(m, dtype, block + (size_t)i * size);
    tensor.data = block == NULL ? NULL : block + (size_t)first * size;
    return tensor;
}

static attend_in any_list(maker *m, int64_t count, int64_t least, int64_t most) {
    int32_t *entries = take(m, sizeof *entries * (size_t)(count + 1));
    for (int64_t i = 0; entries != NULL && i < count; i++)
        entries[i] = (int32_t)between(m, least, most);
    return attend_in_dense(entries, ATTEND_I32, 1, &count);
}

static void make_sizes(maker *m) {
    attend_problem *problem = &m->call->problem;
    bool large = one_in(m, 20);
    problem->batch = between(m, 1, 3);
    problem->kv_heads = between(m, 1, 3);
    problem->heads = problem->kv_heads * between(m, 1, 3);
    problem->queries = between(m, 0, large ? 40 : 10);
    problem->keys = between(m, 0, large ? 300 : 20);
    problem->head_width = between(m, 1, large ? 80 : 12);
    problem->value_width = between(m, 1, large ? 80 : 12);
}

static void make_tensors(maker *m) {
    const attend_problem *problem = &m->call->problem;
    int64_t q[] = {problem->batch, problem->heads, problem->queries, problem->head_width};
    int64_t k[] = {problem->batch, problem->kv_heads, problem->keys, problem->head_width};
    int64_t v[] = {problem->batch, problem->kv_heads, problem->keys, problem->value_width};
    m->call->q = any_tensor(m, any_number_type(m), 4, q);
    m->call->k = any_tensor(m, any_number_type(m), 4, k);
    m->call->v = any_tensor(m, any_number_type(m), 4, v);
    say(m, "q %s (%d, %d, %d, %d), k %s and v %s (%d, %d, %d, %d or %d)",
        attend_dtype_name((attend_dtype)m->call->q.dtype), (int)q[0], (int)q[1], (int)q[2], (int)q[3],
        attend_dtype_name((attend_dtype)m->call->k.dtype), attend_dtype_name((attend_dtype)m->call->v.dtype), (int)k[0],
        (int)k[1], (int)k[2], (int)k[3], (int)v[3]);
}

/* A mask or bias of any rank, its axes full or of size 1. */
static attend_in any_grid(maker *m, attend_dtype dtype) {
    const attend_problem *problem = &m->call->problem;
    int64_t full[] = {problem->batch, problem->heads, problem->queries, problem->keys}, shape[4];
    int32_t rank = (int32_t)between(m, 0, 4);
    for (int32_t axis = 0; axis < rank; axis++)
        shape[axis] = one_in(m, 3) ? 1 : full[axis + 4 - rank];
    say(m, ", rank %d", (int)rank);
    return any_tensor(m, dtype, rank, shape);
}

/* An element of the tensor at any index, or NULL when it has none. */
static void *any_element(maker *m, const attend_in *tensor) {
    int64_t place = 0;
    for (int32_t axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] == 0)
            return NULL;
        place += between(m, 0, tensor->shape[axis] - 1) * tensor->stride[axis];
    }
    return (char *)(uintptr_t)tensor->data + place * (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
}

/* Numbers, and -infinity here and there. */
static void make_bias(maker *m) {
    attend_dtype dtype = any_number_type(m);
    say(m, ", bias %s", attend_dtype_name(dtype));
    m->call->extra.bias = any_grid(m, dtype);
    for (int64_t count = between(m, 0, 10); count > 0 && !m->failed; count--) {
        void *element = any_element(m, &m->call->extra.bias);
        if (element != NULL)
            check_number_put_infinity(dtype, element, 1);
    }
}

static void make_grids(maker *m) {
    if (one_in(m, 3)) {
        say(m, ", mask");
        m->call->extra.mask = any_grid(m, ATTEND_U8);
    }
    if (one_in(m, 3))
        make_bias(m);
}

static void make_head_lists(maker *m) {
    const int64_t *heads = &m->call->problem.heads;
    if (one_in(m, 3)) {
        m->call->extra.slopes = any_tensor(m, any_number_type(m), 1, heads);
        say(m, ", slopes");
    }
    if (one_in(m, 3)) {
        m->call->extra.sinks = any_tensor(m, any_number_type(m), 1, heads);
        say(m, ", sinks");
    }
}

static void make_scale(maker *m) {
    static const double scales[] = {0, 1, 8, -0.7, 0.01};
    attend_problem *problem = &m->call->problem;
    if (one_in(m, 2)) {
        problem->scale = scales[between(m, 0, 4)];
        problem->flags |= ATTEND_EXACT_SCALE;
        say(m, ", scale %g", problem->scale);
    }
    if (one_in(m, 3)) {
        problem->softcap = (double)between(m, 1, 12) / 2;
        say(m, ", softcap %g", problem->softcap);
    }
}

static void make_limits(maker *m) {
    attend_problem *problem = &m->call->problem;
    problem->query_offset = between(m, -4, problem->keys);
    if (one_in(m, 2)) {
        problem->ahead = one_in(m, 2) ? 0 : between(m, -2, 4);
        problem->flags |= ATTEND_LIMIT_AHEAD;
        say(m, ", ahead %d", (int)problem->ahead);
    }
    if (one_in(m, 3)) {
        problem->back = between(m, -1, 6);
        problem->flags |= ATTEND_LIMIT_BACK;
        say(m, ", back %d", (int)problem->back);
    }
    say(m, ", offset %d", (int)problem->query_offset);
}

/* 0 = first <= ... <= last = length, in count + 1 entries */
static attend_in any_starts(maker *m, int64_t count, int64_t length) {
    int64_t entries_count = count + 1;
    int32_t *entries = take(m, sizeof *entries * (size_t)entries_count);
    for (int64_t i = 1; entries != NULL && i < count; i++)
        entries[i] = (int32_t)between(m, entries[i - 1], length);
    if (entries != NULL)
        entries[count] = (int32_t)length;
    return attend_in_dense(entries, ATTEND_I32, 1, &entries_count);
}

static void make_packed(maker *m) {
    const attend_problem *problem = &m->call->problem;
    if (problem->batch > 1 || one_in(m, 2))
        return;
    int64_t sequences = between(m, 1, 4);
    m->call->extra.query_starts = any_starts(m, sequences, problem->queries);
    m->call->extra.key_starts = any_starts(m, sequences, problem->keys);
    say(m, ", packed %d", (int)sequences);
}

/* Is no element two entries of the tensor? */
static bool is_apart(const attend_in *tensor) {
    bool apart = true;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        apart = apart && tensor->stride[axis] != 0;
    return apart;
}

/* Keys that are not really there hold NaN: nothing of it may come out. */
static void spoil_hidden_keys(maker *m, attend_in keys) {
    size_t size = attend_dtype_size((attend_dtype)keys.dtype);
    for (int64_t b = 0; b < keys.shape[0]; b++)
        for (int64_t g = 0; g < keys.shape[1]; g++)
            for (int64_t j = groups_keys(m->call, b).count; j < keys.shape[2]; j++)
                for (int64_t d = 0; d < keys.shape[3]; d++) {
                    int64_t place = b * keys.stride[0] + g * keys.stride[1] + j * keys.stride[2] + d * keys.stride[3];
                    memset((char *)(uintptr_t)keys.data + place * (int64_t)size, 0xff, size);
                }
}

static void make_counts(maker *m) {
    forward_call *call = m->call;
    if (one_in(m, 3)) {
        attend_in counts = any_list(m, groups_count(call), 0, 0);
        for (int64_t group = 0; group < groups_count(call) && !m->failed; group++)
            ((int32_t *)(uintptr_t)counts.data)[group] = (int32_t)between(m, 0, groups_keys(call, group).count);
        call->extra.key_count = counts;
        say(m, ", key_count");
        bool spoilable = is_apart(&call->k) && is_apart(&call->v) && call->extra.query_starts.data == NULL;
        if (spoilable && !m->failed && one_in(m, 2)) {
            spoil_hidden_keys(m, call->k);
            spoil_hidden_keys(m, call->v);
            say(m, " with NaN behind");
        }
    }
    if (one_in(m, 3)) {
        call->extra.query_offsets = any_list(m, groups_count(call), -4, call->problem.keys);
        say(m, ", query_offsets");
    }
}

bool random_call(check_memory *memory, uint64_t seed, uint64_t number, forward_call *call, char text[RANDOM_TEXT_MAX]) {
    maker m = {.memory = memory, .state = seed, .call = call, .text = text};
    m.state = draw(&m) ^ number; /* neighbouring seeds and numbers have nothing in common */
    m.state = draw(&m);
    text[0] = 0;
    call->problem = attend_problem_init();
    call->extra = attend_extra_init();
    make_sizes(&m);
    make_tensors(&m);
    make_packed(&m);
    make_scale(&m);
    make_limits(&m);
    make_grids(&m);
    make_head_lists(&m);
    make_counts(&m);
    return !m.failed;
}
