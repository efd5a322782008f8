/* The fast path against the readable one: random calls with every option, type and layout, on every instruction set;
   the same bits on all of them, for any number of threads, queries and neighbours. */
#include "random_call.h"

#include "base/context.h"
#include "base/memory.h"
#include "fused/fast.h"
#include "kernel/select.h"
#include "problem/taps.h"

#ifndef ATTEND_TEST_ROUNDS /* fewer where the processor is emulated */
#define ATTEND_TEST_ROUNDS 90
#endif
enum { ROUNDS = ATTEND_TEST_ROUNDS };

/* Every third call is of any types, and most of those have sums in f64. */
static unsigned sums(int n) { return n % 3 == 2 ? MAY_BE_FAST : MUST_BE_SHORT_FLOATS; }

/* attend_forward on the fast path alone; false when it does not take the call. */
static bool forward_fast(attend_ctx *ctx, const random_call *call, int32_t isa, const attend_taps *taps) {
    at_arguments arguments;
    at_problem problem;
    at_taps resolved;
    attend_in q, k, v;
    attend_out o;
    at_arguments_begin(&arguments, ctx);
    assert_works(ctx, at_problem_import(&arguments, &call->problem, &call->extra, &problem));
    assert_works(ctx, at_problem_query(&arguments, &problem, &call->q, &q));
    assert_works(ctx, at_problem_key(&arguments, &problem, &call->k, &k));
    assert_works(ctx, at_problem_value(&arguments, &problem, &call->v, &v));
    assert_works(ctx, at_problem_output(&arguments, &problem, "o", &call->o, &o));
    assert_works(ctx, at_taps_import(&arguments, &problem, taps, &resolved));
    at_fused fused = {&problem, &q, &k, &v, &o, &resolved, NULL, NULL};
    if (at_fast_of(&fused)->refusal(&fused) != NULL)
        return false;
    ctx->isa = (attend_isa)isa;
    if (!at_arguments_write_nothing(&arguments))
        assert_works(ctx, at_fast_of(&fused)->forward(ctx, &fused));
    return true;
}

static attend_in fast_output(attend_ctx *ctx, const random_call *call, int32_t isa) {
    random_call fresh = *call;
    fresh.o = test_tensor((attend_dtype)call->o.dtype, call->o.shape[0], call->o.shape[1], call->o.shape[2],
                          call->o.shape[3]);
    assert_true(forward_fast(ctx, &fresh, isa, NULL));
    return attend_read(fresh.o);
}

/* Values are up to 2, and there is one rounding to the type of o. */
static double tolerance(const random_call *call) {
    double type = call->o.dtype == ATTEND_F16 ? 0x1p-10 : call->o.dtype == ATTEND_BF16 ? 0x1p-7 : 0;
    if (call->o.dtype == ATTEND_F32)
        type = 0x1p-23;
    return 2 * random_call_score_error(call) + type;
}

static void test_against_the_readable_path(void **state) {
    test_random rng = test_seed(71);
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_in_turn(&rng, n, sums(n));
        attend_in fast = fast_output(*state, &call, (int32_t)at_kernels_best());
        attend_in want = random_call_output(*state, &call);
        assert_tensors_close(&fast, &want, tolerance(&call));
    }
}

/* Keys at -infinity that are seen weigh nothing, but NaN in their values is seen too, whatever else the row sees. */
static void test_nan_in_values_that_weigh_nothing(void **state) {
    static const double keys[] = {-INFINITY, -INFINITY, 1}, values[] = {1, 2, 3, NAN, 5, 6};
    for (int64_t seen = 1; seen <= 3; seen++) {
        random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
        call.q = test_tensor_of(ATTEND_F32, 1, 1, 1, 1, (double[]){1});
        call.k = test_tensor_of(ATTEND_F32, 1, 1, seen, 1, keys);
        call.v = test_tensor_of(ATTEND_F32, 1, 1, seen, 2, values);
        call.o = test_tensor(ATTEND_F32, 1, 1, 1, 2);
        assert_works(*state, attend_problem_from(*state, &call.q, &call.k, &call.v, &call.problem));
        for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            attend_in fast = fast_output(*state, &call, isa), want = random_call_output(*state, &call);
            assert_tensors_close(&fast, &want, 0x1p-23);
            assert_close(test_get(&fast, 0, 0, 0, 0), seen == 3 ? 5 : 0, 0x1p-23);
            assert_true(isnan(test_get(&fast, 0, 0, 0, 1)) == (seen > 1));
        }
    }
}

/* One query 1 of width 1 at scale 1 over keys of a type that decides what the sums are in. */
static random_call plain_call(attend_dtype dtype, int64_t keys, const double *k, int64_t width, const double *v) {
    random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
    attend_problem *p = &call.problem;
    p->batch = p->heads = p->kv_heads = p->queries = p->head_width = 1;
    p->keys = keys, p->value_width = width, p->scale = 1;
    call.q = test_tensor_of(dtype, 1, 1, 1, 1, (double[]){1});
    call.k = test_tensor_of(dtype, 1, 1, keys, 1, k);
    call.v = test_tensor_of(dtype, 1, 1, keys, width, v);
    call.o = test_tensor(dtype, 1, 1, 1, width);
    return call;
}

/* The output of each path and instruction set is want, and so is, if there is one, the log-sum-exp. */
static void assert_on_every_path(attend_ctx *ctx, const random_call *call, const double *want, const double *lse) {
    for (int32_t isa = ATTEND_ISA_BEST; isa < AT_ISA_COUNT; isa++) { /* 0: the readable path */
        random_call fresh = *call;
        attend_taps taps = attend_taps_init();
        taps.lse = test_tensor(ATTEND_F64, 1, 1, 1, -1);
        if (isa == ATTEND_ISA_BEST) {
            fresh.problem.flags |= ATTEND_READABLE;
            assert_works(ctx, random_call_forward(ctx, &fresh, &taps));
        } else if (at_kernels_of((attend_isa)isa) != NULL)
            assert_true(forward_fast(ctx, &fresh, isa, &taps));
        else
            continue;
        attend_in output = attend_read(fresh.o), given = attend_read(taps.lse);
        for (int64_t e = 0; e < call->problem.value_width; e++)
            assert_close(test_get(&output, 0, 0, 0, e), want[e], 0x1p-20);
        if (lse != NULL)
            assert_close(test_get(&given, 0, 0, 0, 0), *lse, 0x1p-20);
    }
}

/* e^-200 is 0 in floats, e^-3000 in doubles too: infinite values are infinite all the same, and two of them with different
   signs NaN.  In the first chunk of keys, in a later one, and where no key weighs anything. */
static void test_infinite_values_that_weigh_nothing(void **state) {
    enum { KEYS = 600, WIDTH = 3 };
    static const double low[] = {-200, -3000, -INFINITY}, want[WIDTH] = {INFINITY, NAN, 1};
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F64};
    for (int n = 0; n < 3 * 3 * 2; n++) {
        double k[KEYS] = {0}, v[KEYS * WIDTH];
        int64_t at = n / 3 % 3 == 0 ? 3 : 555;
        for (int64_t j = 0; j < KEYS * WIDTH; j++)
            v[j] = 1;
        for (int64_t j = 0; n / 3 % 3 == 2 && j < KEYS; j++)
            k[j] = low[n % 3];
        k[at] = k[at + 1] = low[n % 3];
        v[at * WIDTH] = v[at * WIDTH + 1] = v[(at + 1) * WIDTH] = INFINITY;
        v[(at + 1) * WIDTH + 1] = -INFINITY;
        random_call call = plain_call(types[n / 9], KEYS, k, WIDTH, v);
        const double nothing[WIDTH] = {INFINITY, NAN, 0};
        assert_on_every_path(*state, &call, n / 3 % 3 == 2 && n % 3 == 2 ? nothing : want, NULL);
    }
}

/* A sink that is NaN or infinite makes a row NaN, but what sees no key stays 0. */
static void test_sinks_that_are_no_numbers(void **state) {
    static const double sinks[] = {NAN, INFINITY}, k[] = {0, 1}, v[] = {1, 2}, none = 0, broken = NAN;
    static const attend_dtype types[] = {ATTEND_F32, ATTEND_F64};
    for (int n = 0; n < 2 * 2 * 2; n++) {
        random_call call = plain_call(types[n / 4], 2, k, 1, v);
        call.extra.sinks = test_list(types[n / 4], 1, &sinks[n % 2]);
        call.extra.key_count = test_list(ATTEND_I32, 1, (double[]){n / 2 % 2 ? 2 : 0});
        assert_on_every_path(*state, &call, n / 2 % 2 ? &broken : &none, &broken);
    }
}

/* Of f64, beside floats: a bias and a sink of any finite size are ordinary numbers. */
static void test_what_is_added_past_the_floats(void **state) {
    static const double k[] = {0, 0}, v[] = {1, 3}, none = 0, sinks[] = {1e38, 3e38, 1e40, 1e300};
    static const struct {
        double bias[2], sink, output;
    } cases[] = {{{1e300, 0}, -1e300, 1}, {{-1e300, -1e300}, -INFINITY, 2}, {{-1e300, 0}, -INFINITY, 3}};
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        random_call call = plain_call(ATTEND_F32, 2, k, 1, v);
        call.extra.bias = test_tensor_of(ATTEND_F64, 1, 1, 1, 2, cases[n].bias);
        call.extra.sinks = test_list(ATTEND_F64, 1, &cases[n].sink);
        assert_on_every_path(*state, &call, &cases[n].output, NULL);
    }
    for (size_t n = 0; n < COUNT_OF(sinks); n++) {
        random_call call = plain_call(ATTEND_F32, 2, k, 1, v);
        call.extra.sinks = test_list(ATTEND_F64, 1, &sinks[n]);
        assert_on_every_path(*state, &call, &none, &sinks[n]);
    }
}

/* Every instruction set, 1 and 3 threads. */
static void test_sets_and_threads(void **state) {
    attend_ctx *three = test_context(3), *one = test_context(1);
    test_random rng = test_seed(72);
    (void)state;
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = random_call_make(&rng, MAY_ALL | sums(n) | (n % 2 ? MAY_BE_LONG : 0));
        attend_in want = fast_output(one, &call, ATTEND_ISA_PORTABLE);
        for (int32_t isa = ATTEND_ISA_PORTABLE + 1; isa < AT_ISA_COUNT; isa++) {
            if (at_kernels_of((attend_isa)isa) == NULL)
                continue;
            attend_in got = fast_output(three, &call, isa), again = fast_output(one, &call, isa);
            assert_same_bits(&got, &want);
            assert_same_bits(&again, &want);
        }
    }
}

/* Some of the queries alone, as a cache gives them: the offset says where they stand. */
static void test_number_of_queries(void **state) {
    test_random rng = test_seed(73);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_STRIDE |
                                                      MAY_TYPE | sums(n) | MAY_BE_LONG);
        attend_in whole = fast_output(*state, &call, isa);
        for (int part = 0; part < 6; part++) {
            int64_t i = random_pick(&rng, 0, call.problem.queries - 1);
            int64_t most = call.problem.queries - i, count = part < 3 ? 1 : random_pick(&rng, 1, most);
            random_call some = call;
            some.problem.queries = count;
            some.problem.query_offset += i;
            some.q = test_slice(call.q, 2, i, count);
            some.o.shape[2] = count;
            attend_in got = fast_output(*state, &some, isa), want = test_slice(whole, 2, i, count);
            assert_same_bits(&got, &want);
        }
    }
}

/* One head alone, one batch row alone. */
static void test_company(void **state) {
    test_random rng = test_seed(74);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_CAP | MAY_STRIDE | MAY_TYPE | sums(n) | MAY_BE_LONG);
        attend_in whole = fast_output(*state, &call, isa);
        int64_t h = random_pick(&rng, 0, call.problem.heads - 1), b = random_pick(&rng, 0, call.problem.batch - 1);
        int64_t g = h / (call.problem.heads / call.problem.kv_heads);
        random_call one = call;
        one.problem.batch = one.problem.heads = one.problem.kv_heads = 1;
        one.q = test_slice(test_slice(call.q, 0, b, 1), 1, h, 1);
        one.k = test_slice(test_slice(call.k, 0, b, 1), 1, g, 1);
        one.v = test_slice(test_slice(call.v, 0, b, 1), 1, g, 1);
        one.o.shape[0] = one.o.shape[1] = 1;
        attend_in got = fast_output(*state, &one, isa), want = test_slice(test_slice(whole, 0, b, 1), 1, h, 1);
        assert_same_bits(&got, &want);
    }
}

/* Keys behind the count, NaN in them: longer tensors, same bits. */
static void test_padding(void **state) {
    test_random rng = test_seed(75);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call padded =
            random_call_make(&rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_TYPE | sums(n) | MAY_BE_LONG);
        random_call trimmed = padded;
        int64_t kept = random_pick(&rng, 0, padded.problem.keys);
        double *counts = test_block((size_t)padded.problem.batch * sizeof *counts);
        attend_out k = test_tensor(ATTEND_F32, padded.problem.batch, padded.problem.kv_heads, padded.problem.keys,
                                   padded.problem.head_width);
        for (int64_t b = 0; b < padded.problem.batch; b++) {
            counts[b] = (double)kept;
            for (int64_t g = 0; g < padded.problem.kv_heads; g++)
                for (int64_t j = 0; j < padded.problem.keys; j++)
                    for (int64_t d = 0; d < padded.problem.head_width; d++)
                        test_set(&k, b, g, j, d, j < kept ? test_get(&padded.k, b, g, j, d) : (double)NAN);
        }
        padded.k = attend_read(k);
        padded.extra.key_count = test_list(ATTEND_I32, padded.problem.batch, counts);
        trimmed.problem.keys = kept;
        trimmed.k = test_slice(padded.k, 2, 0, kept);
        trimmed.v = test_slice(padded.v, 2, 0, kept);
        attend_in got = fast_output(*state, &padded, isa), want = fast_output(*state, &trimmed, isa);
        assert_same_bits(&got, &want);
    }
}

/* A packed batch is its sequences one by one. */
static void test_packing(void **state) {
    test_random rng = test_seed(76);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS; n++) {
        random_call call =
            random_call_make(&rng, MAY_WINDOW | MAY_SLOPES | MAY_SINKS | MAY_CAP | MAY_PACK | sums(n) | MAY_BE_LONG);
        if (call.extra.query_starts.data == NULL)
            continue;
        attend_in whole = fast_output(*state, &call, isa);
        const int32_t *q_starts = call.extra.query_starts.data, *k_starts = call.extra.key_starts.data;
        for (int64_t s = 0; s + 1 < call.extra.query_starts.shape[0]; s++) {
            random_call one = call;
            one.problem.queries = q_starts[s + 1] - q_starts[s];
            one.problem.keys = k_starts[s + 1] - k_starts[s];
            one.q = test_slice(call.q, 2, q_starts[s], one.problem.queries);
            one.k = test_slice(call.k, 2, k_starts[s], one.problem.keys);
            one.v = test_slice(call.v, 2, k_starts[s], one.problem.keys);
            one.o.shape[2] = one.problem.queries;
            one.extra.query_starts.data = one.extra.key_starts.data = NULL;
            attend_in got = fast_output(*state, &one, isa),
                      want = test_slice(whole, 2, q_starts[s], one.problem.queries);
            assert_same_bits(&got, &want);
        }
    }
}

/* Log-sum-exp and row maximum against the readable path; the output keeps its bits. */
static void test_taps(void **state) {
    test_random rng = test_seed(77);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS / 3; n++) {
        random_call call = random_call_make(&rng, MAY_ALL | sums(n) | (n % 2 ? MAY_BE_LONG : 0));
        const attend_problem *p = &call.problem;
        attend_in plain = fast_output(*state, &call, isa);
        attend_taps fast = attend_taps_init(), slow = attend_taps_init();
        fast.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        fast.row_max = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        slow.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        slow.row_max = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        assert_true(forward_fast(*state, &call, isa, &fast));
        attend_in looked = attend_read(call.o);
        assert_same_bits(&looked, &plain);
        assert_works(*state, random_call_forward(*state, &call, &slow));
        attend_in got = attend_read(fast.lse), want = attend_read(slow.lse);
        assert_tensors_close(&got, &want, 4 * tolerance(&call));
        got = attend_read(fast.row_max), want = attend_read(slow.row_max);
        assert_tensors_close(&got, &want, 4 * tolerance(&call));
    }
}

/* Whatever the call, what was reserved is enough: nothing is allocated after it. */
static void test_scratch(void **state) {
    (void)state;
    test_random rng = test_seed(78);
    int32_t isa = (int32_t)at_kernels_best();
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL | sums(n) | (n % 2 ? MAY_BE_LONG : 0));
        attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 1 + n % 4, test_context_memory());
        at_arguments arguments;
        at_problem problem;
        size_t bytes;
        void *scratch;
        at_arguments_begin(&arguments, ctx);
        assert_works(ctx, at_problem_import(&arguments, &call.problem, NULL, &problem));
        assert_works(ctx, at_fast_f64.scratch(ctx, &problem, &(at_taps){.top = 0}, &bytes));
        assert_works(ctx, at_memory_scratch(ctx, bytes, &scratch));
        int64_t calls = test_context_memory()->calls;
        assert_true(forward_fast(ctx, &call, isa, NULL));
        assert_int_equal(test_context_memory()->calls, calls);
        attend_ctx_destroy(ctx);
    }
}

/* The plain formula in float: scores, softmax with the maximum taken out, mixture, each sum in order. */
static void plain_row(const float *q, const float *k, const float *v, int64_t keys, int64_t width, float *o) {
    float *score = test_block((size_t)keys * sizeof *score), highest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; j++) {
        for (int64_t d = 0; d < width; d++)
            score[j] += q[d] * k[j * width + d];
        score[j] *= 1 / sqrtf((float)width);
        highest = fmaxf(highest, score[j]);
    }
    for (int64_t j = 0; j < keys; j++) {
        score[j] = expf(score[j] - highest);
        sum += score[j];
    }
    for (int64_t e = 0; e < width; e++) {
        float mixed = 0;
        for (int64_t j = 0; j < keys; j++)
            mixed += score[j] * v[j * width + e];
        o[e] = mixed / sum;
    }
}

/* Never further from the exact result than the plain formula in the same type; sharp and flat rows. */
static void test_error_against_the_plain_formula(void **state) {
    static const struct {
        int64_t keys, width;
        double size;
    } cases[] = {{512, 64, 1},   {512, 64, 4},  {2048, 64, 1}, {777, 128, 2},
                 {300, 32, 0.1}, {1024, 40, 8}, {256, 64, 16}};
    test_random rng = {79};
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        int64_t keys = cases[n].keys, width = cases[n].width, queries = 40;
        random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
        call.q = test_random_tensor(&rng, ATTEND_F32, 1, 1, queries, width);
        call.k = test_random_tensor(&rng, ATTEND_F32, 1, 1, keys, width);
        call.v = test_random_tensor(&rng, ATTEND_F32, 1, 1, keys, width);
        call.o = test_tensor(ATTEND_F32, 1, 1, queries, width);
        for (int64_t i = 0; i < queries * width; i++)
            ((float *)call.q.data)[i] *= (float)cases[n].size;
        assert_works(*state, attend_problem_from(*state, &call.q, &call.k, &call.v, &call.problem));
        attend_in exact = random_call_output(*state, &call),
                  fast = fast_output(*state, &call, (int32_t)at_kernels_best());
        float *plain = test_block((size_t)width * sizeof *plain);
        double fast_error = 0, plain_error = 0;
        for (int64_t i = 0; i < queries; i++) {
            plain_row((const float *)call.q.data + i * width, call.k.data, call.v.data, keys, width, plain);
            for (int64_t e = 0; e < width; e++) {
                plain_error = fmax(plain_error, fabs((double)plain[e] - test_get(&exact, 0, 0, i, e)));
                fast_error = fmax(fast_error, fabs(test_get(&fast, 0, 0, i, e) - test_get(&exact, 0, 0, i, e)));
            }
        }
        print_message("%4d keys x %3d, queries of size %4.1f: error %.2g, plain formula %.2g\n", (int)keys, (int)width,
                      cases[n].size, fast_error, plain_error);
        assert_true(fast_error <= plain_error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_against_the_readable_path),
        TEST(test_nan_in_values_that_weigh_nothing),
        TEST(test_infinite_values_that_weigh_nothing),
        TEST(test_sinks_that_are_no_numbers),
        TEST(test_what_is_added_past_the_floats),
        TEST(test_sets_and_threads),
        TEST(test_number_of_queries),
        TEST(test_company),
        TEST(test_padding),
        TEST(test_packing),
        TEST(test_taps),
        TEST(test_scratch),
        TEST(test_error_against_the_plain_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
