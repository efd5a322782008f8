/* What the fast path says of the grid: against the readable path, on random calls with every option, type and layout;
   with the same bits whatever the threads, the instruction set and the company; without touching the output. */
#include "random_call.h"

#include "kernel/select.h"

enum { ROUNDS = 16, TOP = 5, KINDS = 3 };

static const unsigned kinds[] = {MAY_ALL, MAY_ALL | MAY_BE_LONG, MAY_WINDOW | MAY_BE_LONG,
                                 MAY_WINDOW | MAY_SINKS | MAY_COUNT | MAY_PACK | MAY_STRIDE | MAY_BE_LONG};

static random_call any_call(test_random *rng, int round) {
    return random_call_make(rng, kinds[round % 4] | (round % 3 == 2 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS));
}

/* ---- all taps of a call ---- */

enum { OUTPUTS = 15 };

static attend_out *output_of(attend_taps *taps, int n) {
    attend_out *const list[OUTPUTS] = {&taps->lse,        &taps->row_max,     &taps->entropy,     &taps->top_rest,
                                       &taps->top_index,  &taps->top_weight,  &taps->row_raw,     &taps->row_capped,
                                       &taps->row_biased, &taps->row_weights, &taps->column_sum,  &taps->grid_sum,
                                       &taps->grid_count, &taps->grid_max,    &taps->segment_mass};
    return list[n];
}

/* What they are looked at with: the same for every run of a call. */
typedef struct view {
    attend_in rows, segments;
    int64_t grid_rows, grid_columns, column_first, column_count;
} view;

static view any_view(test_random *rng, const attend_problem *p) {
    view seen = {.grid_rows = random_pick(rng, 1, 9), .grid_columns = random_pick(rng, 1, 12)};
    attend_out rows =
        test_tensor(ATTEND_I32, p->queries > 0 ? random_pick(rng, 0, random_chance(rng, 20) ? 60 : 5) : 0, -1, -1, -1);
    attend_out segments = test_tensor(ATTEND_I32, p->keys, -1, -1, -1);
    int64_t run = random_pick(rng, 1, 40);
    if (random_chance(rng, 20))
        seen.grid_rows = random_pick(rng, 1, 150), seen.grid_columns = random_pick(rng, 1, 400);
    for (int64_t n = 0; n < rows.shape[0]; n++)
        test_set(&rows, n, 0, 0, 0, (double)random_pick(rng, 0, p->queries - 1));
    for (int64_t j = 0; j < p->keys; j++)
        test_set(&segments, j, 0, 0, 0, (double)(j / run % KINDS));
    seen.rows = attend_read(rows);
    seen.segments = attend_read(segments);
    seen.column_first = random_chance(rng, 50) ? 0 : random_pick(rng, 0, p->queries);
    seen.column_count = random_chance(rng, 50) ? 0 : random_pick(rng, 0, p->queries - seen.column_first);
    return seen;
}

static attend_taps taps_of(const attend_problem *p, const view *seen) {
    attend_taps taps = attend_taps_init();
    attend_out *queries[] = {&taps.lse, &taps.row_max, &taps.entropy, &taps.top_rest};
    attend_out *rows[] = {&taps.row_raw, &taps.row_capped, &taps.row_biased, &taps.row_weights};
    attend_out *grids[] = {&taps.grid_sum, &taps.grid_count, &taps.grid_max};
    for (size_t n = 0; n < COUNT_OF(queries); n++)
        *queries[n] = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    for (size_t n = 0; n < COUNT_OF(rows); n++)
        *rows[n] = test_tensor(ATTEND_F64, p->batch, p->heads, seen->rows.shape[0], p->keys);
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        *grids[n] = test_tensor(ATTEND_F64, p->batch, p->heads, seen->grid_rows, seen->grid_columns);
    taps.rows = seen->rows;
    taps.top_index = test_tensor(ATTEND_I32, p->batch, p->heads, p->queries, TOP);
    taps.top_weight = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, TOP);
    taps.column_sum = test_tensor(ATTEND_F64, p->batch, p->heads, p->keys, -1);
    taps.column_first = seen->column_first;
    taps.column_count = seen->column_count;
    taps.segments = seen->segments;
    taps.segment_mass = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, KINDS);
    return taps;
}

static attend_ctx *context_of(int32_t isa, int32_t threads) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.isa = isa;
    config.threads = threads;
    config.allocator = test_allocator(test_context_memory());
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    return ctx;
}

static attend_taps look(const random_call *call, const view *seen, int32_t isa, int32_t threads) {
    attend_ctx *ctx = context_of(isa, threads);
    attend_taps taps = taps_of(&call->problem, seen);
    assert_works(ctx, random_call_forward(ctx, call, &taps));
    assert_true(attend_ctx_path(ctx)[0] == 0 || strcmp(attend_ctx_path(ctx), "fast") == 0);
    attend_ctx_destroy(ctx);
    return taps;
}

static void assert_same_taps(attend_taps *got, attend_taps *want) {
    for (int n = 0; n < OUTPUTS; n++) {
        attend_in a = attend_read(*output_of(got, n)), b = attend_read(*output_of(want, n));
        assert_same_bits(&a, &b);
    }
}

/* ---- against the readable path ---- */

static void assert_near_at(int line, attend_out got_out, attend_out want_out, double absolute, double relative) {
    attend_in got = attend_read(got_out), want = attend_read(want_out);
    int64_t count = test_count(&want);
    for (int64_t n = 0; n < count; n++) {
        double a = ((const double *)got.data)[n], b = ((const double *)want.data)[n];
        if (!(a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= absolute + relative * fabs(b)))
            fail_msg("line %d: element %lld is %.17g, should be %.17g", line, (long long)n, a, b);
    }
}

#define assert_near(...) assert_near_at(__LINE__, __VA_ARGS__)

/* Keys may change places only where their weights are closer than the error. */
static void assert_top(const attend_taps *got, const attend_taps *want, const double *weights, int64_t rows,
                       int64_t keys, double error) {
    const int32_t *a = got->top_index.data, *b = want->top_index.data;
    for (int64_t n = 0; n < rows * TOP; n++)
        if (a[n] != b[n]) {
            assert_true(a[n] >= 0 && b[n] >= 0);
            double here = weights[n / TOP * keys + a[n]], there = weights[n / TOP * keys + b[n]];
            assert_true(fabs(here - there) <= 2 * error * there);
        }
}

static void test_against_the_readable_path(void **state) {
    test_random rng = test_seed(111);
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = any_call(&rng, n), slow = call;
        const attend_problem *p = &call.problem;
        view seen = any_view(&rng, p);
        double unit = random_call_unit(&call), error = random_call_score_error(&call), queries = (double)p->queries;
        slow.problem.flags |= ATTEND_READABLE;
        attend_taps got = look(&call, &seen, ATTEND_ISA_BEST, 2), want = taps_of(p, &seen);
        assert_works(*state, random_call_forward(*state, &slow, &want));
        attend_in weights = random_call_weights(*state, &slow);
        assert_near(got.lse, want.lse, 4 * error, 0);
        assert_near(got.row_max, want.row_max, 4 * error, 0);
        assert_near(got.entropy, want.entropy, 4 * error, error);
        assert_top(&got, &want, weights.data, p->batch * p->heads * p->queries, p->keys, error);
        assert_near(got.top_weight, want.top_weight, 0x1p-140, 2 * error);
        assert_near(got.top_rest, want.top_rest, 2 * error, 0);
        assert_near(got.row_raw, want.row_raw, 16 * unit * (double)p->head_width, 0);
        assert_near(got.row_capped, want.row_capped, error, error);
        assert_near(got.row_biased, want.row_biased, error, 2 * error);
        assert_near(got.row_weights, want.row_weights, 0x1p-140, 2 * error);
        assert_near(got.column_sum, want.column_sum, 0x1p-140 * queries, 2 * error + 6 * unit);
        assert_near(got.grid_sum, want.grid_sum, 0x1p-130 * queries, 2 * error + 304 * unit);
        assert_near(got.grid_count, want.grid_count, 0, 0);
        assert_near(got.grid_max, want.grid_max, 0x1p-140, 2 * error);
        assert_near(got.segment_mass, want.segment_mass, 0x1p-130, 2 * error + 256 * unit);
    }
}

/* ---- the same bits ---- */

static void test_sets_and_threads(void **state) {
    test_random rng = test_seed(112);
    (void)state;
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = any_call(&rng, n);
        view seen = any_view(&rng, &call.problem);
        attend_taps want = look(&call, &seen, ATTEND_ISA_PORTABLE, 1);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++)
            for (int32_t threads = 1; threads <= 5 && at_kernels_of((attend_isa)isa) != NULL; threads += 2) {
                attend_taps got = look(&call, &seen, isa, threads);
                assert_same_taps(&got, &want);
            }
    }
}

static void test_output_keeps_its_bits(void **state) {
    test_random rng = test_seed(113);
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = any_call(&rng, n), plain = call;
        view seen = any_view(&rng, &call.problem);
        plain.o =
            test_tensor((attend_dtype)call.o.dtype, call.o.shape[0], call.o.shape[1], call.o.shape[2], call.o.shape[3]);
        assert_works(*state, random_call_forward(*state, &plain, NULL));
        (void)look(&call, &seen, ATTEND_ISA_BEST, 2);
        attend_in got = attend_read(call.o), want = attend_read(plain.o);
        assert_same_bits(&got, &want);
    }
}

/* One head of one batch row alone. */
static void test_company(void **state) {
    test_random rng = test_seed(114);
    (void)state;
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_CAP | MAY_STRIDE | MAY_TYPE | MAY_BE_LONG |
                                                      (n % 2 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS));
        view seen = any_view(&rng, &call.problem);
        int64_t h = random_pick(&rng, 0, call.problem.heads - 1), b = random_pick(&rng, 0, call.problem.batch - 1);
        int64_t g = h / (call.problem.heads / call.problem.kv_heads);
        random_call one = call;
        one.problem.batch = one.problem.heads = one.problem.kv_heads = 1;
        one.q = test_slice(test_slice(call.q, 0, b, 1), 1, h, 1);
        one.k = test_slice(test_slice(call.k, 0, b, 1), 1, g, 1);
        one.v = test_slice(test_slice(call.v, 0, b, 1), 1, g, 1);
        one.o.shape[0] = one.o.shape[1] = 1;
        attend_taps whole = look(&call, &seen, ATTEND_ISA_BEST, 2), alone = look(&one, &seen, ATTEND_ISA_BEST, 3);
        for (int t = 0; t < OUTPUTS; t++) {
            attend_in want = attend_read(*output_of(&whole, t)), got = attend_read(*output_of(&alone, t));
            want = test_slice(test_slice(want, 0, b, 1), 1, h, 1);
            assert_same_bits(&got, &want);
        }
    }
}

/* Some of the queries alone: what is said of each query does not change. */
static void test_number_of_queries(void **state) {
    enum { PER_QUERY = 6 }; /* the first of output_of */
    test_random rng = test_seed(115);
    (void)state;
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call =
            random_call_make(&rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_STRIDE | MAY_TYPE | MAY_BE_LONG |
                                       (n % 2 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS));
        int64_t i = random_pick(&rng, 0, call.problem.queries - 1);
        int64_t count = n % 2 ? 1 : random_pick(&rng, 1, call.problem.queries - i);
        random_call some = call;
        some.problem.queries = count;
        some.problem.query_offset += i;
        some.q = test_slice(call.q, 2, i, count);
        some.o.shape[2] = count;
        view seen = any_view(&rng, &some.problem);
        seen.rows.shape[0] = seen.column_first = seen.column_count = 0;
        attend_taps whole = look(&call, &seen, ATTEND_ISA_BEST, 2), part = look(&some, &seen, ATTEND_ISA_BEST, 2);
        for (int t = 0; t <= PER_QUERY; t++) {
            attend_out *all = output_of(&whole, t == PER_QUERY ? OUTPUTS - 1 : t);
            attend_in got = attend_read(*output_of(&part, t == PER_QUERY ? OUTPUTS - 1 : t));
            attend_in want = test_slice(attend_read(*all), 2, i, count);
            assert_same_bits(&got, &want);
        }
    }
}

/* Looking alone: the same bits as beside the output; with a log-sum-exp, the same weights but for its rounding. */
static void test_looking_alone(void **state) {
    test_random rng = test_seed(116);
    for (int n = 0; n < ROUNDS; n++) {
        static const unsigned floats[] = {0, MAY_BE_FAST, MUST_BE_SHORT_FLOATS}; /* the readable path; all f64; f32 */
        random_call call =
            random_call_make(&rng, (kinds[n % 4] & ~(unsigned)(n % 3 == 1 ? MAY_TYPE : 0)) | floats[n % 3]);
        const attend_problem *p = &call.problem;
        view seen = any_view(&rng, p);
        attend_taps beside = taps_of(p, &seen), alone = taps_of(p, &seen), given = taps_of(p, &seen);
        double error = p->flags & ATTEND_READABLE ? 1e-12 : 2 * random_call_score_error(&call);
        assert_works(*state, random_call_forward(*state, &call, &beside));
        assert_works(*state, attend_look(*state, p, &call.q, &call.k, &call.extra, NULL, &alone));
        assert_same_taps(&alone, &beside);
        attend_in lse = attend_read(beside.lse);
        given.lse.data = given.row_max.data = given.entropy.data = NULL;
        assert_works(*state, attend_look(*state, p, &call.q, &call.k, &call.extra, &lse, &given));
        assert_near(given.top_weight, beside.top_weight, 0x1p-140, error);
        assert_near(given.row_weights, beside.row_weights, 0x1p-140, error);
        assert_near(given.column_sum, beside.column_sum, 0x1p-120, error);
        assert_near(given.grid_sum, beside.grid_sum, 0x1p-120, error);
        assert_near(given.grid_count, beside.grid_count, 0, 0);
        assert_near(given.grid_max, beside.grid_max, 0x1p-140, error);
        assert_near(given.segment_mass, beside.segment_mass, 0x1p-120, error);
        attend_taps heaviest = attend_taps_init(); /* alone: no weight but theirs is made */
        heaviest.top_index = test_tensor(ATTEND_I32, p->batch, p->heads, p->queries, TOP);
        heaviest.top_weight = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, TOP);
        assert_works(*state, attend_look(*state, p, &call.q, &call.k, &call.extra, &lse, &heaviest));
        attend_in got = attend_read(heaviest.top_index), want = attend_read(given.top_index);
        assert_same_bits(&got, &want);
        got = attend_read(heaviest.top_weight), want = attend_read(given.top_weight);
        assert_same_bits(&got, &want);
    }
}

/* A number of a query, a key or a value may be NaN or infinite: one in twenty. */
static void spoil(test_random *rng, const attend_in *tensor) {
    attend_out whole = {.dtype = tensor->dtype, .rank = tensor->rank, .data = (void *)(uintptr_t)tensor->data};
    memcpy(whole.shape, tensor->shape, sizeof whole.shape);
    memcpy(whole.stride, tensor->stride, sizeof whole.stride);
    const double odd[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (int64_t b = 0; b < whole.shape[0]; b++)
        for (int64_t h = 0; h < whole.shape[1]; h++)
            for (int64_t i = 0; i < whole.shape[2]; i++)
                if (random_chance(rng, 5))
                    test_set(&whole, b, h, i, random_pick(rng, 0, whole.shape[3] - 1), odd[random_pick(rng, 0, 3)]);
}

/* What column sums add to the scratch of a call. */
static size_t scratch_for_columns(const attend_problem *p, int32_t threads) {
    attend_ctx *ctx = context_of(ATTEND_ISA_BEST, threads);
    attend_taps taps = attend_taps_init();
    size_t with, without;
    taps.column_sum = test_tensor(ATTEND_F64, p->batch, p->heads, p->keys, -1);
    assert_works(ctx, attend_scratch_size(ctx, p, &taps, &with));
    assert_works(ctx, attend_scratch_size(ctx, p, NULL, &without));
    attend_ctx_destroy(ctx);
    return with - without;
}

/* Where scores are kept, columns and the grid are made on the way to the output, else in a pass of their own, for which two
   heads are too few for eight threads: the same bits. */
static void test_beside_and_in_a_pass_of_its_own(void **state) {
    enum { HEADS = 2, QUERIES = 450, KEYS = 700, WIDTH = 5, BLOCK = 48 };
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F16, ATTEND_F64};
    test_random rng = test_seed(119);
    (void)state;
    for (int n = 0; n < 12; n++) {
        random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
        attend_problem *p = &call.problem;
        p->batch = 1, p->heads = p->kv_heads = HEADS, p->queries = QUERIES, p->keys = KEYS;
        p->head_width = p->value_width = WIDTH;
        p->flags = n % 2 ? ATTEND_LIMIT_AHEAD : 0;
        p->query_offset = random_pick(&rng, -300, 600);
        call.q = test_random_tensor(&rng, types[n % 3], 1, HEADS, QUERIES, WIDTH);
        call.k = test_random_tensor(&rng, types[n % 3], 1, HEADS, KEYS, WIDTH);
        call.v = test_random_tensor(&rng, types[n % 3], 1, HEADS, KEYS, WIDTH);
        call.o = test_tensor(types[n % 3], 1, HEADS, QUERIES, WIDTH);
        if (n % 4 > 1) {
            attend_out mask = test_tensor(ATTEND_U8, 1, HEADS, QUERIES, KEYS);
            for (int64_t m = 0; m < HEADS * QUERIES * KEYS; m++)
                ((uint8_t *)mask.data)[m] = m % KEYS < 270 || random_chance(&rng, 90) ? 1 : 0;
            call.extra.mask = attend_read(mask);
            call.extra.sinks = test_list(ATTEND_F32, HEADS, (double[]){1, -2});
        }
        if (n > 8)
            spoil(&rng, &call.k);
        view seen = any_view(&rng, p);
        attend_taps beside = look(&call, &seen, ATTEND_ISA_BEST, 1), apart = look(&call, &seen, ATTEND_ISA_BEST, 8);
        assert_same_taps(&beside, &apart);
        const size_t kept = (size_t)KEYS * BLOCK * sizeof(float); /* at least, for each thread that keeps scores */
        assert_true(scratch_for_columns(p, 1) >= kept);
        assert_true(scratch_for_columns(p, 8) < 8 * kept / 2);
    }
}

enum { MANY_ROWS = 60, MANY_KEYS = 700, MANY_WIDTH = 8 };

/* Each key of a kind of its own, more kinds than a chunk has keys; and all rows are chosen. */
static attend_taps many_kinds(void) {
    attend_taps taps = attend_taps_init();
    attend_out rows = test_tensor(ATTEND_I32, MANY_ROWS, -1, -1, -1);
    attend_out list = test_tensor(ATTEND_I32, MANY_KEYS, -1, -1, -1);
    for (int64_t i = 0; i < MANY_ROWS; i++)
        test_set(&rows, i, 0, 0, 0, (double)i);
    for (int64_t j = 0; j < MANY_KEYS; j++)
        test_set(&list, j, 0, 0, 0, (double)(j * 3 % MANY_KEYS));
    taps.rows = attend_read(rows);
    taps.row_weights = test_tensor(ATTEND_F64, 1, 1, MANY_ROWS, MANY_KEYS);
    taps.segments = attend_read(list);
    taps.segment_mass = test_tensor(ATTEND_F64, 1, 1, MANY_ROWS, MANY_KEYS);
    return taps;
}

/* What a kind of one key receives is the weight of that key; with scores that rise along the keys, so that the shift does,
   and with a log-sum-exp that is given and is that of no row. */
static void test_a_kind_for_each_key(void **state) {
    test_random rng = test_seed(118);
    for (int n = 0; n < 4; n++) {
        attend_problem p = attend_problem_init();
        attend_in q = test_random_tensor(&rng, ATTEND_F32, 1, 1, MANY_ROWS, MANY_WIDTH);
        attend_in k = test_random_tensor(&rng, ATTEND_F32, 1, 1, MANY_KEYS, MANY_WIDTH);
        attend_out o = test_tensor(ATTEND_F32, 1, 1, MANY_ROWS, MANY_WIDTH);
        attend_out lse = test_tensor(ATTEND_F64, 1, 1, MANY_ROWS, -1);
        attend_taps taps = many_kinds();
        p.batch = p.heads = p.kv_heads = 1;
        p.queries = MANY_ROWS, p.keys = MANY_KEYS, p.head_width = p.value_width = MANY_WIDTH;
        for (int64_t j = 0; n % 2 == 0 && j < MANY_KEYS * MANY_WIDTH; j++)
            ((float *)(uintptr_t)k.data)[j] += 0.01f * (float)(j / MANY_WIDTH);
        for (int64_t i = 0; i < MANY_ROWS; i++)
            test_set(&lse, 0, 0, i, 0, (double)i - 20);
        attend_in given = attend_read(lse);
        if (n < 2)
            assert_works(*state, attend_forward(*state, &p, &q, &k, &k, NULL, &o, &taps));
        else
            assert_works(*state, attend_look(*state, &p, &q, &k, NULL, &given, &taps));
        for (int64_t m = 0; m < MANY_ROWS * MANY_KEYS; m++) {
            double weight = ((const double *)taps.row_weights.data)[m];
            int64_t kind = m % MANY_KEYS * 3 % MANY_KEYS;
            double mass = ((const double *)taps.segment_mass.data)[m - m % MANY_KEYS + kind];
            assert_true(fabs(mass - weight) <= 0x1p-140 + 0x1p-16 * weight);
        }
    }
}

/* ---- NaN and infinity ---- */

/* All paths and instruction sets agree where there is NaN, and on its bits. */
static void test_nan_and_infinity(void **state) {
    test_random rng = test_seed(117);
    const double one = NAN;
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_SINKS | MAY_COUNT |
                                                      (n % 4 == 3 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS));
        view seen = any_view(&rng, &call.problem);
        spoil(&rng, &call.q);
        spoil(&rng, &call.k);
        if (n % 2) { /* enough for every head */
            const double sinks[] = {NAN, INFINITY, -INFINITY, 1, 2, -NAN, INFINITY, 0, NAN};
            call.extra.sinks = test_list(ATTEND_F32, call.problem.heads, sinks);
        }
        random_call slow = call;
        slow.problem.flags |= ATTEND_READABLE;
        attend_taps want = taps_of(&call.problem, &seen);
        assert_works(*state, random_call_forward(*state, &slow, &want));
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            attend_taps got = look(&call, &seen, isa, 2);
            for (int t = 0; t < OUTPUTS; t++) {
                attend_in a = attend_read(*output_of(&got, t)), b = attend_read(*output_of(&want, t));
                for (int64_t m = 0; a.dtype == ATTEND_F64 && m < test_count(&a); m++) {
                    const double *x = (const double *)a.data + m, *y = (const double *)b.data + m;
                    if (isnan(*x) != isnan(*y))
                        fail_msg("round %d, isa %d, output %d, element %lld: %g, should be %g", n, isa, t, (long long)m,
                                 *x, *y);
                    assert_true(!isnan(*x) || (memcmp(x, &one, sizeof one) == 0 && memcmp(y, &one, sizeof one) == 0));
                }
            }
        }
    }
}

/* Keys whose scores are all -infinity are named, lowest first, and weigh nothing. */
static void test_heaviest_of_keys_that_weigh_nothing(void **state) {
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F64};
    (void)state;
    for (int n = 0; n < 4; n++) {
        random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
        attend_problem *p = &call.problem;
        p->batch = p->heads = p->kv_heads = p->queries = p->head_width = p->value_width = 1;
        p->keys = 2, p->scale = n / 2 ? 0.25 : 2;
        call.q = test_tensor_of(types[n % 2], 1, 1, 1, 1, (double[]){INFINITY});
        call.k = call.v = test_tensor_of(types[n % 2], 1, 1, 2, 1, (double[]){-1, -2});
        call.o = test_tensor(types[n % 2], 1, 1, 1, 1);
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            view seen = {.grid_rows = 1, .grid_columns = 1};
            seen.rows = test_tensor_of(ATTEND_I32, 1, -1, -1, -1, (double[]){0});
            seen.segments = test_tensor_of(ATTEND_I32, 2, -1, -1, -1, (double[]){0, 1});
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            attend_taps got = look(&call, &seen, isa, 1);
            const double *weight = got.top_weight.data, *rest = got.top_rest.data;
            const int32_t *index = got.top_index.data;
            assert_true(weight[0] == 0 && weight[1] == 0 && rest[0] == 0);
            assert_true(index[0] == 0 && index[1] == 1 && index[2] == -1);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_against_the_readable_path),
        TEST(test_sets_and_threads),
        TEST(test_output_keeps_its_bits),
        TEST(test_company),
        TEST(test_number_of_queries),
        TEST(test_looking_alone),
        TEST(test_beside_and_in_a_pass_of_its_own),
        TEST(test_a_kind_for_each_key),
        TEST(test_nan_and_infinity),
        TEST(test_heaviest_of_keys_that_weigh_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
