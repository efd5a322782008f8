/* A cache that got its tokens in any pieces, and lost some on the way, decodes to the bits of attend_forward on tensors
   that hold what it stores: whatever the storage, pages, threads and instruction set. */
#include "random_call.h"

enum { ROUNDS = 40, PAGE = 256 };

/* One call of random_call.h on a cache: every batch row sees the first keys of k and v, as many as its length. */
typedef struct decode_call {
    random_call call; /* its o is the one of forward */
    int64_t *length;  /* (B) */
    attend_in k, v;   /* what the cache stores, in double for i8 */
    attend_cache_config config;
} decode_call;

static attend_dtype random_storage(test_random *rng) {
    static const attend_dtype all[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_I8};
    return all[random_pick(rng, 0, COUNT_OF(all) - 1)];
}

/* Each row as whole numbers times max|x| / 127. */
static attend_in as_bytes(const attend_in *from) {
    attend_out to = test_tensor(ATTEND_F64, from->shape[0], from->shape[1], from->shape[2], from->shape[3]);
    for (int64_t b = 0; b < to.shape[0]; b++)
        for (int64_t h = 0; h < to.shape[1]; h++)
            for (int64_t j = 0; j < to.shape[2]; j++) {
                double largest = 0;
                for (int64_t d = 0; d < to.shape[3]; d++)
                    largest = fmax(largest, fabs(test_get(from, b, h, j, d)));
                double scale = (double)(float)(largest / 127);
                for (int64_t d = 0; d < to.shape[3]; d++)
                    test_set(&to, b, h, j, d, scale > 0 ? rint(test_get(from, b, h, j, d) / scale) * scale : 0);
            }
    return attend_read(to);
}

static attend_in as_stored(const attend_in *from, int32_t dtype) {
    return dtype == ATTEND_I8 ? as_bytes(from) : test_copy(from, (attend_dtype)dtype);
}

static decode_call decode_call_make(test_random *rng, unsigned may) {
    unsigned never = MAY_PACK | MAY_COUNT | MAY_BE_EMPTY;
    decode_call made = {.call = random_call_make(rng, may & ~never), .config = attend_cache_config_init()};
    attend_problem *p = &made.call.problem;
    attend_cache_config *config = &made.config;
    config->batch = p->batch, config->kv_heads = p->kv_heads ? p->kv_heads : p->heads;
    config->head_width = p->head_width, config->value_width = p->value_width;
    config->capacity = p->keys + random_pick(rng, 0, 300);
    config->page = random_pick(rng, 0, 2) * PAGE;
    config->key_dtype = (int32_t)random_storage(rng), config->value_dtype = (int32_t)random_storage(rng);
    made.k = as_stored(&made.call.k, config->key_dtype);
    made.v = as_stored(&made.call.v, config->value_dtype);
    made.length = test_block((size_t)p->batch * sizeof *made.length);
    double *counts = test_block((size_t)p->batch * sizeof *counts),
           *offsets = test_block((size_t)p->batch * sizeof *offsets);
    int64_t longest = random_pick(rng, 0, p->batch - 1);
    for (int64_t b = 0; b < p->batch; b++) {
        made.length[b] = b == longest ? p->keys : random_pick(rng, 0, p->keys);
        counts[b] = (double)made.length[b];
        offsets[b] = (double)(made.length[b] - p->queries);
    }
    p->query_offset = 0;
    made.call.extra.key_count = test_list(ATTEND_I32, p->batch, counts);
    made.call.extra.query_offsets = test_list(ATTEND_I32, p->batch, offsets);
    return made;
}

/* The next count[b] rows of each batch row, and NaN behind them. */
static attend_in piece_of(test_random *rng, const attend_in *whole, const int64_t *first, const double *count,
                          int64_t most) {
    int64_t shape[] = {whole->shape[0], whole->shape[1], most, whole->shape[3]};
    attend_out piece = random_chance(rng, 30)
                           ? test_strided(rng, (attend_dtype)whole->dtype, 4, shape, false)
                           : test_tensor((attend_dtype)whole->dtype, shape[0], shape[1], most, shape[3]);
    for (int64_t b = 0; b < shape[0]; b++)
        for (int64_t g = 0; g < shape[1]; g++)
            for (int64_t t = 0; t < most; t++)
                for (int64_t d = 0; d < shape[3]; d++)
                    test_set(&piece, b, g, t, d, t < (int64_t)count[b] ? test_get(whole, b, g, first[b] + t, d) : NAN);
    return attend_read(piece);
}

/* Rows that are taken back again. */
static void append_and_forget(attend_ctx *ctx, test_random *rng, const decode_call *with, attend_cache *cache,
                              const int64_t *filled) {
    int64_t batch = with->config.batch, rows = random_pick(rng, 1, 20);
    double *none = test_block((size_t)batch * sizeof *none);
    for (int64_t b = 0; b < batch; b++)
        if (filled[b] + rows > with->config.capacity)
            return;
    attend_in k = piece_of(rng, &with->call.k, filled, none, rows),
              v = piece_of(rng, &with->call.v, filled, none, rows);
    assert_works(ctx, attend_cache_append(ctx, cache, &k, &v, NULL));
    for (int64_t b = 0; b < batch; b++)
        assert_works(ctx, attend_cache_truncate(ctx, cache, b, filled[b]));
}

static attend_cache *filled_cache(attend_ctx *ctx, test_random *rng, const decode_call *with) {
    attend_cache *cache;
    int64_t batch = with->config.batch, left = 1;
    int64_t *filled = test_block((size_t)batch * sizeof *filled);
    double *count = test_block((size_t)batch * sizeof *count);
    assert_works(ctx, attend_cache_create(ctx, &with->config, &cache));
    while (left > 0) {
        int64_t most = random_pick(rng, 1, random_chance(rng, 50) ? 3 : 300), longest = 0;
        left = 0;
        for (int64_t b = 0; b < batch; b++) {
            int64_t more = random_pick(rng, 0, most), missing = with->length[b] - filled[b];
            count[b] = (double)(more < missing ? more : missing);
            longest = (int64_t)count[b] > longest ? (int64_t)count[b] : longest;
        }
        if (random_chance(rng, 20))
            append_and_forget(ctx, rng, with, cache, filled);
        attend_in k = piece_of(rng, &with->call.k, filled, count, longest);
        attend_in v = piece_of(rng, &with->call.v, filled, count, longest);
        attend_in counts = test_list(ATTEND_I32, batch, count);
        assert_works(ctx, attend_cache_append(ctx, cache, &k, &v, &counts));
        for (int64_t b = 0; b < batch; b++) {
            filled[b] += (int64_t)count[b];
            left += with->length[b] - filled[b];
            assert_int_equal(attend_cache_length(cache, b), filled[b]);
        }
    }
    return cache;
}

static attend_in decoded(attend_ctx *ctx, const decode_call *with, const attend_cache *cache, uint32_t flags) {
    attend_out o = test_tensor((attend_dtype)with->call.o.dtype, with->call.o.shape[0], with->call.o.shape[1],
                               with->call.o.shape[2], with->call.o.shape[3]);
    attend_problem problem = with->call.problem;
    attend_extra extra = with->call.extra;
    problem.keys = 0;
    problem.flags |= flags;
    extra.key_count.data = extra.query_offsets.data = NULL;
    assert_works(ctx, attend_decode(ctx, &problem, &with->call.q, cache, &extra, &o, NULL));
    return attend_read(o);
}

static attend_in forward(attend_ctx *ctx, const decode_call *with, uint32_t flags) {
    attend_out o = test_tensor((attend_dtype)with->call.o.dtype, with->call.o.shape[0], with->call.o.shape[1],
                               with->call.o.shape[2], with->call.o.shape[3]);
    attend_problem problem = with->call.problem;
    problem.flags |= flags;
    assert_works(ctx, attend_forward(ctx, &problem, &with->call.q, &with->k, &with->v, &with->call.extra, &o, NULL));
    return attend_read(o);
}

static bool holds_bytes(const decode_call *with) {
    return with->config.key_dtype == ATTEND_I8 || with->config.value_dtype == ATTEND_I8;
}

/* The bound of docs/numerics.md, with one unit of the output's type. */
static double tolerance(const decode_call *with) {
    const attend_problem *p = &with->call.problem;
    double scale = p->scale == 0 ? 1 / sqrt((double)p->head_width) : fabs(p->scale);
    double type = with->call.o.dtype == ATTEND_F16 ? 0x1p-10 : with->call.o.dtype == ATTEND_BF16 ? 0x1p-7 : 0;
    return 16 * 0x1p-24 * (8 + 4 * scale * (double)p->head_width) + type;
}

static void test_decode_is_forward(void **state) {
    test_random rng = {71};
    for (int n = 0; n < ROUNDS; n++) {
        decode_call with = decode_call_make(&rng, n % 3 ? MAY_ALL | MUST_BE_SHORT_FLOATS | MAY_BE_FAST | MAY_BE_LONG
                                                        : MAY_ALL | MAY_BE_FAST);
        attend_cache *cache = filled_cache(*state, &rng, &with);
        attend_in plain = forward(*state, &with, ATTEND_READABLE),
                  slow = decoded(*state, &with, cache, ATTEND_READABLE);
        assert_same_bits(&slow, &plain);
        attend_in got = decoded(*state, &with, cache, 0);
        if (holds_bytes(&with)) {
            assert_tensors_close(&got, &slow, tolerance(&with));
        } else {
            attend_in want = forward(*state, &with, 0);
            assert_same_bits(&got, &want);
        }
        attend_cache_destroy(cache);
    }
}

static attend_ctx *context_of(int32_t threads, attend_isa isa) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.threads = threads;
    config.isa = (int32_t)isa;
    return attend_ctx_create(&config, &ctx) == ATTEND_OK ? ctx : NULL;
}

/* Contiguous or in pages, on any threads and instruction set, stored by any of them. */
static void test_same_bits(void **state) {
    (void)state;
    test_random rng = {72};
    for (int n = 0; n < ROUNDS / 2; n++) {
        decode_call with = decode_call_make(&rng, MAY_ALL | MUST_BE_SHORT_FLOATS | MAY_BE_FAST | MAY_BE_LONG);
        attend_ctx *plain = context_of(1, ATTEND_ISA_PORTABLE);
        with.config.page = 0;
        attend_cache *whole = filled_cache(plain, &rng, &with);
        attend_in want = decoded(plain, &with, whole, 0);
        for (attend_isa isa = ATTEND_ISA_BEST; isa <= ATTEND_ISA_AVX512; isa++) {
            attend_ctx *ctx = context_of((int32_t)random_pick(&rng, 1, 8), isa);
            if (ctx == NULL)
                continue;
            with.config.page = random_pick(&rng, 0, 2) * PAGE;
            attend_cache *cache = filled_cache(ctx, &rng, &with);
            attend_in here = decoded(ctx, &with, cache, 0), there = decoded(ctx, &with, whole, 0);
            assert_same_bits(&here, &want);
            assert_same_bits(&there, &want);
            attend_cache_destroy(cache);
            attend_ctx_destroy(ctx);
        }
        attend_cache_destroy(whole);
        attend_ctx_destroy(plain);
    }
}

/* Everything one may look at, on a cache as on tensors. */
static attend_taps taps_of(const attend_problem *p, int64_t keys) {
    attend_taps taps = attend_taps_init();
    taps.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    taps.entropy = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    taps.top_weight = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, 3);
    taps.rows = test_range(p->queries);
    taps.row_weights = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, keys);
    taps.column_sum = test_tensor(ATTEND_F64, p->batch, p->heads, keys, -1);
    taps.grid_sum = test_tensor(ATTEND_F64, p->batch, p->heads, 2, 3);
    return taps;
}

static attend_taps decoded_taps(attend_ctx *ctx, const decode_call *with, const attend_cache *cache, uint32_t flags) {
    attend_problem problem = with->call.problem;
    attend_extra extra = with->call.extra;
    attend_taps taps = taps_of(&problem, problem.keys);
    problem.keys = 0;
    problem.flags |= flags;
    extra.key_count.data = extra.query_offsets.data = NULL;
    assert_works(ctx, attend_decode(ctx, &problem, &with->call.q, cache, &extra, &with->call.o, &taps));
    return taps;
}

static void test_taps(void **state) {
    test_random rng = {75};
    for (int n = 0; n < ROUNDS / 2; n++) {
        decode_call with =
            decode_call_make(&rng, MAY_ALL | MUST_BE_SHORT_FLOATS | MAY_BE_FAST | (n % 2 ? MAY_BE_LONG : 0));
        attend_cache *cache = filled_cache(*state, &rng, &with);
        attend_taps got = decoded_taps(*state, &with, cache, 0),
                    want = taps_of(&with.call.problem, with.call.problem.keys);
        if (holds_bytes(&with))
            want = decoded_taps(*state, &with, cache, ATTEND_READABLE);
        else
            assert_works(*state, attend_forward(*state, &with.call.problem, &with.call.q, &with.k, &with.v,
                                                &with.call.extra, &with.call.o, &want));
        const attend_out *left[] = {&got.lse,         &got.entropy,    &got.top_weight,
                                    &got.row_weights, &got.column_sum, &got.grid_sum};
        for (size_t t = 0; t < COUNT_OF(left); t++) {
            size_t place = (size_t)((const char *)left[t] - (const char *)&got);
            attend_in here = attend_read(*left[t]), there = attend_read(*(attend_out *)((char *)&want + place));
            if (holds_bytes(&with))
                assert_tensors_close(&here, &there, 1e-3);
            else
                assert_same_bits(&here, &there);
        }
        attend_cache_destroy(cache);
    }
}

/* Token by token gives the rows of one call on the whole cache. */
static void test_token_by_token(void **state) {
    test_random rng = {73};
    for (int n = 0; n < 12; n++) {
        decode_call with =
            decode_call_make(&rng, MAY_SLOPES | MAY_SINKS | MAY_CAP | MUST_BE_SHORT_FLOATS | MAY_BE_FAST);
        attend_problem *p = &with.call.problem;
        for (int64_t b = 0; b < p->batch; b++)
            with.length[b] = p->keys;
        p->flags |= ATTEND_CAUSAL;
        p->ahead = 0;
        attend_cache *cache = filled_cache(*state, &rng, &with);
        attend_in want = decoded(*state, &with, cache, 0);
        for (int64_t i = p->queries - 1; i >= 0 && p->keys - p->queries + i >= 0; i--) {
            decode_call one = with;
            one.call.problem.queries = 1;
            one.call.q = test_slice(with.call.q, 2, i, 1);
            one.call.o.shape[2] = 1;
            assert_works(*state, attend_cache_truncate(*state, cache, -1, p->keys - p->queries + i + 1));
            attend_in got = decoded(*state, &one, cache, 0), row = test_slice(want, 2, i, 1);
            assert_same_bits(&got, &row);
        }
        attend_cache_destroy(cache);
    }
}

/* Each element of an i8 cache is off by at most max|x| / 253 of its row: seen through one key at a time. */
static void test_bytes_are_near(void **state) {
    test_random rng = {74};
    attend_cache_config config = attend_cache_config_init();
    attend_problem p = attend_problem_init();
    config.batch = p.batch = config.kv_heads = p.heads = 1, config.head_width = p.head_width = 33, config.capacity = 40;
    config.key_dtype = config.value_dtype = ATTEND_I8;
    p.queries = 1, p.flags = ATTEND_READABLE;
    for (int n = 0; n < ROUNDS; n++) {
        attend_in x = test_random_tensor(&rng, ATTEND_F64, 1, 1, 1, 33);
        attend_out o = test_tensor(ATTEND_F64, 1, 1, 1, 33);
        attend_cache *cache;
        double largest = 0;
        assert_works(*state, attend_cache_create(*state, &config, &cache));
        assert_works(*state, attend_cache_append(*state, cache, &x, &x, NULL));
        assert_works(*state, attend_decode(*state, &p, &x, cache, NULL, &o, NULL));
        for (int64_t d = 0; d < 33; d++)
            largest = fmax(largest, fabs(test_get(&x, 0, 0, 0, d)));
        attend_in got = attend_read(o);
        for (int64_t d = 0; d < 33; d++)
            assert_true(fabs(test_get(&got, 0, 0, 0, d) - test_get(&x, 0, 0, 0, d)) <= largest / 253);
        attend_cache_destroy(cache);
    }
}

/* NaN in a row of an i8 cache reaches whoever sees it, and nobody else. */
static void test_bytes_of_nan(void **state) {
    double k[] = {1, 2, INFINITY, 1}, v[] = {1, 2, NAN, 4}, q[] = {1, 1};
    attend_cache_config config = attend_cache_config_init();
    attend_problem p = attend_problem_init();
    attend_cache *cache;
    config.batch = p.batch = config.kv_heads = p.heads = 1, config.head_width = p.head_width = 2, config.capacity = 2;
    config.key_dtype = config.value_dtype = ATTEND_I8;
    p.queries = 1;
    attend_in key = test_tensor_of(ATTEND_F32, 1, 1, 2, 2, k), value = test_tensor_of(ATTEND_F32, 1, 1, 2, 2, v);
    attend_in query = test_tensor_of(ATTEND_F32, 1, 1, 1, 2, q);
    attend_out o = test_tensor(ATTEND_F32, 1, 1, 1, 2);
    attend_in got = attend_read(o);
    assert_works(*state, attend_cache_create(*state, &config, &cache));
    assert_works(*state, attend_cache_append(*state, cache, &key, &value, NULL));
    assert_works(*state, attend_decode(*state, &p, &query, cache, NULL, &o, NULL));
    assert_true(isnan(test_get(&got, 0, 0, 0, 0)) && isnan(test_get(&got, 0, 0, 0, 1)));
    p.flags = ATTEND_CAUSAL, p.ahead = -1;
    assert_works(*state, attend_decode(*state, &p, &query, cache, NULL, &o, NULL));
    assert_close(test_get(&got, 0, 0, 0, 0), 1, 1.0 / 100);
    assert_close(test_get(&got, 0, 0, 0, 1), 2, 1.0 / 100);
    attend_cache_destroy(cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_decode_is_forward), TEST(test_same_bits),    TEST(test_token_by_token), TEST(test_taps),
        TEST(test_bytes_are_near),    TEST(test_bytes_of_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
