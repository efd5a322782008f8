#include "test_support.h"

#include "base/half.h"

/* ---- Random numbers ---- */

test_random test_seed(uint64_t seed) {
    const char *other = getenv("ATTEND_TEST_SEED");
    return (test_random){seed + (other ? strtoull(other, NULL, 10) << 32 : 0)};
}

uint64_t random_bits(test_random *rng) {
    uint64_t bits = rng->state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

int64_t random_pick(test_random *rng, int64_t low, int64_t high) {
    return low + (int64_t)(random_bits(rng) % (uint64_t)(high - low + 1));
}

bool random_chance(test_random *rng, int percent) { return random_pick(rng, 1, 100) <= percent; }

double random_real(test_random *rng) { return (double)(random_bits(rng) >> 11) * 0x1p-52 - 1; }

/* ---- Memory ---- */

enum { BLOCKS_MAX = 1 << 20, CONTEXTS_MAX = 64 };

static void *blocks[BLOCKS_MAX];
static size_t block_count;
static attend_ctx *contexts[CONTEXTS_MAX];
static size_t context_count;
static test_memory context_memory;

void *test_block(size_t size) {
    assert_true(block_count < BLOCKS_MAX);
    void *block = calloc(size ? size : 1, 1);
    assert_non_null(block);
    return blocks[block_count++] = block;
}

static void *allocate(void *user, size_t size, size_t alignment) {
    test_memory *memory = user;
    bool fails = ++memory->calls == memory->fail_at || (memory->for_good && memory->calls > memory->fail_at);
    if (memory->fail_at && fails)
        return NULL;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (block == NULL)
        return NULL;
    memset(block, 0xA5, size); /* nobody may count on zeros */
    memory->live++;
    memory->bytes += size;
    return block;
}

static void release(void *user, void *block, size_t size) {
    test_memory *memory = user;
    memory->live--;
    memory->bytes -= size;
    free(block);
}

attend_allocator test_allocator(test_memory *memory) {
    attend_allocator allocator = {allocate, release, memory};
    return allocator;
}

/* ---- Tests ---- */

test_memory *test_context_memory(void) { return &context_memory; }

attend_ctx *test_context_of(int32_t isa, int32_t threads, test_memory *memory) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.isa = isa;
    config.threads = threads;
    config.allocator = test_allocator(memory);
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    return ctx;
}

attend_ctx *test_context(int32_t threads) {
    assert_true(context_count < CONTEXTS_MAX);
    return contexts[context_count++] = test_context_of(ATTEND_ISA_BEST, threads, &context_memory);
}

int test_begin(void **state) {
    memset(&context_memory, 0, sizeof context_memory);
    *state = test_context(2);
    return 0;
}

int test_end(void **state) {
    (void)state;
    while (context_count > 0)
        attend_ctx_destroy(contexts[--context_count]);
    while (block_count > 0)
        free(blocks[--block_count]);
    return context_memory.live == 0 && context_memory.bytes == 0 ? 0 : -1;
}

/* ---- Tensors ---- */

attend_out test_tensor(attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t shape[] = {a, b, c, d};
    int32_t rank = 0;
    size_t count = 1;
    while (rank < ATTEND_RANK_MAX && shape[rank] >= 0)
        count *= (size_t)shape[rank++];
    size_t size = count * attend_dtype_size(dtype);
    return attend_out_dense(memset(test_block(size), 0xA5, size), dtype, rank, shape);
}

/* Calls once for each index of the tensor, in C order. */
#define FOR_EACH_INDEX(tensor, a, b, c, d)                     \
    for (int64_t a = 0; a < axis_size(tensor, 0); a++)         \
        for (int64_t b = 0; b < axis_size(tensor, 1); b++)     \
            for (int64_t c = 0; c < axis_size(tensor, 2); c++) \
                for (int64_t d = 0; d < axis_size(tensor, 3); d++)

static int64_t axis_size(const attend_in *tensor, int32_t axis) {
    return axis < tensor->rank ? tensor->shape[axis] : 1;
}

attend_in test_random_tensor(test_random *rng, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    attend_out tensor = test_tensor(dtype, a, b, c, d);
    attend_in view = attend_read(tensor);
    FOR_EACH_INDEX(&view, i, j, k, l)
    test_set(&tensor, i, j, k, l, random_real(rng));
    return view;
}

attend_in test_tensor_of(attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d, const double *values) {
    attend_out tensor = test_tensor(dtype, a, b, c, d);
    attend_in view = attend_read(tensor);
    FOR_EACH_INDEX(&view, i, j, k, l)
    test_set(&tensor, i, j, k, l, *values++);
    return view;
}

attend_in test_list(attend_dtype dtype, int64_t count, const double *values) {
    return test_tensor_of(dtype, count, -1, -1, -1, values);
}

attend_in test_copy(const attend_in *from, attend_dtype dtype) {
    int64_t shape[ATTEND_RANK_MAX];
    for (int32_t axis = 0; axis < ATTEND_RANK_MAX; axis++)
        shape[axis] = axis < from->rank ? from->shape[axis] : -1;
    attend_out copy = test_tensor(dtype, shape[0], shape[1], shape[2], shape[3]);
    FOR_EACH_INDEX(from, a, b, c, d)
    test_set(&copy, a, b, c, d, test_get(from, a, b, c, d));
    return attend_read(copy);
}

static void shuffle_axes(test_random *rng, int32_t rank, int32_t *order) {
    for (int32_t axis = 0; axis < rank; axis++)
        order[axis] = axis;
    for (int32_t axis = rank - 1; axis > 0; axis--) {
        int32_t other = (int32_t)random_pick(rng, 0, axis), kept = order[axis];
        order[axis] = order[other];
        order[other] = kept;
    }
}

attend_out test_strided(test_random *rng, attend_dtype dtype, int32_t rank, const int64_t *shape, bool may_repeat) {
    attend_out tensor = attend_out_dense(NULL, dtype, rank, shape);
    int32_t order[ATTEND_RANK_MAX];
    int64_t span = random_pick(rng, 1, 2), first = 0;
    shuffle_axes(rng, rank, order);
    for (int32_t n = 0; n < rank; n++) {
        int32_t axis = order[n];
        int64_t size = shape[axis] ? shape[axis] : 1;
        tensor.stride[axis] = may_repeat && random_chance(rng, 10) ? 0 : span;
        span += tensor.stride[axis] * (size - 1) + (tensor.stride[axis] ? random_pick(rng, 0, 2) : 0);
        if (random_chance(rng, 25)) {
            first += tensor.stride[axis] * (size - 1);
            tensor.stride[axis] = -tensor.stride[axis];
        }
    }
    size_t bytes = (size_t)span * attend_dtype_size(dtype);
    unsigned char *block = memset(test_block(bytes), 0xA5, bytes);
    tensor.data = block + (size_t)first * attend_dtype_size(dtype);
    return tensor;
}

int64_t test_count(const attend_in *tensor) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        count *= tensor->shape[axis];
    return count;
}

static int64_t place_of(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t index[] = {a, b, c, d}, place = 0;
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        place += index[axis] * tensor->stride[axis];
    return place;
}

double test_get(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t place = place_of(tensor, a, b, c, d);
    switch (tensor->dtype) {
    case ATTEND_F64: return ((const double *)tensor->data)[place];
    case ATTEND_F32: return ((const float *)tensor->data)[place];
    case ATTEND_F16: return at_half_from_f16(((const uint16_t *)tensor->data)[place]);
    case ATTEND_BF16: return at_half_from_bf16(((const uint16_t *)tensor->data)[place]);
    case ATTEND_I32: return ((const int32_t *)tensor->data)[place];
    default: return ((const uint8_t *)tensor->data)[place];
    }
}

void test_set(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t d, double value) {
    attend_in view = attend_read(*tensor);
    int64_t place = place_of(&view, a, b, c, d);
    switch (tensor->dtype) {
    case ATTEND_F64: ((double *)tensor->data)[place] = value; return;
    case ATTEND_F32: ((float *)tensor->data)[place] = (float)value; return;
    case ATTEND_F16: ((uint16_t *)tensor->data)[place] = at_half_to_f16(value); return;
    case ATTEND_BF16: ((uint16_t *)tensor->data)[place] = at_half_to_bf16(value); return;
    case ATTEND_I32: ((int32_t *)tensor->data)[place] = (int32_t)value; return;
    default: ((uint8_t *)tensor->data)[place] = (uint8_t)value;
    }
}

attend_out test_slice_out(attend_out tensor, int32_t axis, int64_t first, int64_t count) {
    int64_t step = tensor.stride[axis] * (int64_t)attend_dtype_size((attend_dtype)tensor.dtype);
    tensor.data = (char *)tensor.data + first * step;
    tensor.shape[axis] = count;
    return tensor;
}

attend_in test_slice(attend_in tensor, int32_t axis, int64_t first, int64_t count) {
    int64_t step = tensor.stride[axis] * (int64_t)attend_dtype_size((attend_dtype)tensor.dtype);
    tensor.data = (const char *)tensor.data + first * step;
    tensor.shape[axis] = count;
    return tensor;
}

/* ---- Comparisons ---- */

/* Half the distance between neighbours near value, and at least that of the smallest numbers. */
static double half_spacing(double value, attend_dtype dtype) {
    switch (dtype) {
    case ATTEND_F64: return fabs(value) * 0x1p-53;
    case ATTEND_F32: return fabs(value) * 0x1p-24 + 0x1p-150;
    case ATTEND_F16: return fabs(value) * 0x1p-11 + 0x1p-25;
    default: /* ATTEND_BF16, and integers, which are exact */ return fabs(value) * 0x1p-8 + 0x1p-134;
    }
}

bool test_is_rounded(double got, double want, attend_dtype dtype, double error) {
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= half_spacing(want, dtype) + error * (1 + fabs(want));
}

void assert_rounded(const attend_in *got, const double *want, double error) {
    int64_t place = 0;
    FOR_EACH_INDEX(got, a, b, c, d) {
        double value = test_get(got, a, b, c, d);
        if (!test_is_rounded(value, want[place], (attend_dtype)got->dtype, error))
            fail_msg("[%d,%d,%d,%d] is %.17g but %.17g was expected", (int)a, (int)b, (int)c, (int)d, value,
                     want[place]);
        place++;
    }
}

void assert_tensors_close(const attend_in *got, const attend_in *want, double error) {
    assert_int_equal(got->rank, want->rank);
    FOR_EACH_INDEX(got, a, b, c, d) {
        double left = test_get(got, a, b, c, d), right = test_get(want, a, b, c, d);
        if (!test_is_rounded(left, right, ATTEND_F64, error))
            fail_msg("[%d,%d,%d,%d] is %.17g but %.17g was expected", (int)a, (int)b, (int)c, (int)d, left, right);
    }
}

void assert_same_bits(const attend_in *got, const attend_in *want) {
    assert_int_equal(got->rank, want->rank);
    for (int32_t axis = 0; axis < got->rank; axis++)
        assert_int_equal(got->shape[axis], want->shape[axis]);
    FOR_EACH_INDEX(got, a, b, c, d) {
        double left = test_get(got, a, b, c, d), right = test_get(want, a, b, c, d);
        bool same = memcmp(&left, &right, sizeof left) == 0 || (isnan(left) && isnan(right));
        if (!same)
            fail_msg("[%d,%d,%d,%d] is %.17g in one and %.17g in the other", (int)a, (int)b, (int)c, (int)d, left,
                     right);
    }
}

void assert_close(double got, double want, double error) {
    if (!test_is_rounded(got, want, ATTEND_F64, error))
        fail_msg("%.17g but %.17g was expected", got, want);
}

void assert_fails(const attend_ctx *ctx, attend_status got, attend_status want, const char *text) {
    if (got != want)
        fail_msg("status %s instead of %s: \"%s\"", attend_status_name(got), attend_status_name(want),
                 attend_message(ctx));
    assert_string_equal(attend_message(ctx), text);
}

void assert_works(const attend_ctx *ctx, attend_status got) {
    if (got != ATTEND_OK)
        fail_msg("status %s: \"%s\"", attend_status_name(got), attend_message(ctx));
    assert_string_equal(attend_message(ctx), "");
}
