/* Promise 2 as a grid: every problem of a list in every circumstance of another gives the same bits. */
#include "test_support.h"

enum { BATCH = 2, QUERIES = 50, KEYS = 270, COMBINATIONS_LEAST = 500, ISA_MOST = 16 };

typedef enum visibility { EVERYTHING, CAUSAL, WINDOW, MASKED, VISIBILITIES } visibility;

typedef struct problem {
    attend_problem sizes;
    attend_extra extra;
    attend_in q, k, v; /* (B, H, Tq, D) (B, G, Tk, D) (B, G, Tk, D) */
    attend_dtype dtype;
} problem;

static problem make_problem(test_random *rng, attend_dtype dtype, visibility who, int64_t width, int64_t kv_heads) {
    problem made = {attend_problem_init(), attend_extra_init(), .dtype = dtype};
    made.sizes.batch = BATCH, made.sizes.heads = 2, made.sizes.kv_heads = kv_heads;
    made.sizes.queries = QUERIES, made.sizes.keys = KEYS, made.sizes.head_width = width;
    made.sizes.query_offset = KEYS - QUERIES;
    made.q = test_random_tensor(rng, dtype, BATCH, 2, QUERIES, width);
    made.k = test_random_tensor(rng, dtype, BATCH, kv_heads, KEYS, width);
    made.v = test_random_tensor(rng, dtype, BATCH, kv_heads, KEYS, width);
    if (who == CAUSAL || who == WINDOW)
        made.sizes.flags = ATTEND_CAUSAL;
    if (who == WINDOW)
        made.sizes.flags |= ATTEND_LIMIT_BACK, made.sizes.back = 60;
    if (who == MASKED) {
        attend_out mask = test_tensor(ATTEND_U8, QUERIES, KEYS, -1, -1);
        for (int64_t n = 0; n < QUERIES * KEYS; n++)
            test_set(&mask, n / KEYS, n % KEYS, 0, 0, (double)random_pick(rng, 0, 1));
        made.extra.mask = attend_read(mask);
        made.extra.slopes = test_random_tensor(rng, ATTEND_F32, 2, -1, -1, -1);
    }
    return made;
}

static attend_in compute(attend_ctx *ctx, const problem *p, const attend_taps *taps) {
    attend_out o = test_tensor(p->dtype, p->q.shape[0], p->q.shape[1], p->q.shape[2], p->v.shape[3]);
    assert_works(ctx, attend_forward(ctx, &p->sizes, &p->q, &p->k, &p->v, &p->extra, &o, taps));
    return attend_read(o);
}

static void assert_pieces(attend_ctx *ctx, const problem *whole, const attend_in *want, int64_t length) {
    for (int64_t i = 0; i < QUERIES; i += length) {
        problem piece = *whole;
        int64_t count = QUERIES - i < length ? QUERIES - i : length;
        piece.sizes.queries = count;
        piece.sizes.query_offset += i;
        piece.q = test_slice(whole->q, 2, i, count);
        if (whole->extra.mask.data != NULL)
            piece.extra.mask = test_slice(whole->extra.mask, 0, i, count);
        attend_in got = compute(ctx, &piece, NULL), part = test_slice(*want, 2, i, count);
        assert_same_bits(&got, &part);
    }
}

static void assert_alone(attend_ctx *ctx, const problem *whole, const attend_in *want) {
    for (int64_t b = 0; b < BATCH; b++) {
        problem row = *whole;
        row.sizes.batch = 1;
        row.q = test_slice(whole->q, 0, b, 1);
        row.k = test_slice(whole->k, 0, b, 1);
        row.v = test_slice(whole->v, 0, b, 1);
        attend_in got = compute(ctx, &row, NULL), part = test_slice(*want, 0, b, 1);
        assert_same_bits(&got, &part);
    }
}

static void assert_looked_at(attend_ctx *ctx, const problem *p, const attend_in *want) {
    attend_taps taps = attend_taps_init();
    taps.lse = test_tensor(ATTEND_F32, BATCH, 2, QUERIES, -1);
    taps.row_max = test_tensor(ATTEND_F32, BATCH, 2, QUERIES, -1);
    attend_in got = compute(ctx, p, &taps);
    assert_same_bits(&got, want);
}

static void assert_whole(attend_ctx *ctx, const problem *p, const attend_in *want) {
    attend_in got = compute(ctx, p, NULL);
    assert_same_bits(&got, want);
}

/* The circumstances of one instruction set; returns how many. */
static int assert_circumstances(attend_ctx *const ctx[2], const problem *p, const attend_in *want) {
    static const int64_t lengths[] = {1, 7, 48};
    assert_whole(ctx[0], p, want);
    assert_whole(ctx[1], p, want);
    for (size_t n = 0; n < COUNT_OF(lengths); n++)
        assert_pieces(ctx[0], p, want, lengths[n]);
    assert_alone(ctx[0], p, want);
    assert_looked_at(ctx[0], p, want);
    return 7;
}

/* A context of one thread and one of two for each instruction set that runs here; returns how many sets. */
static int make_contexts(attend_ctx *ctx[ISA_MOST][2]) {
    int count = 0;
    for (int isa = 1; count < ISA_MOST && strcmp(attend_isa_name((attend_isa)isa), "unknown") != 0; isa++) {
        attend_config config = attend_config_init();
        config.isa = isa;
        if (attend_isa_refusal((attend_isa)isa) != NULL)
            continue;
        for (config.threads = 1; config.threads <= 2; config.threads++)
            assert_int_equal(attend_ctx_create(&config, &ctx[count][config.threads - 1]), ATTEND_OK);
        count++;
    }
    return count;
}

static void test_grid(void **state) {
    static const attend_dtype dtypes[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64};
    static const int64_t widths[] = {3, 8, 17};
    attend_ctx *ctx[ISA_MOST][2];
    test_random rng = {81};
    int isas = make_contexts(ctx), combinations = 0;
    for (size_t t = 0; t < COUNT_OF(dtypes); t++)
        for (int who = 0; who < VISIBILITIES; who++)
            for (size_t w = 0; w < COUNT_OF(widths); w++)
                for (int64_t kv_heads = 1; kv_heads <= 2; kv_heads++) {
                    problem p = make_problem(&rng, dtypes[t], (visibility)who, widths[w], kv_heads);
                    attend_in want = compute(*state, &p, NULL);
                    for (int isa = 0; isa < isas; isa++)
                        combinations += assert_circumstances(ctx[isa], &p, &want);
                }
    for (int isa = 0; isa < isas; isa++) {
        attend_ctx_destroy(ctx[isa][0]);
        attend_ctx_destroy(ctx[isa][1]);
    }
    assert_true(combinations >= COMBINATIONS_LEAST);
    print_message("%d combinations\n", combinations);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
