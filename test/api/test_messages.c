/* Each message about a problem, its tensors and its optional inputs: one call that triggers it, and its exact text.
   Messages of taps, of the other functions and of files have tests of their own beside this one. */
#include "fixture.h"

#include "attend/files.h"

static void test_right_call_says_nothing(void **state) {
    fixture f = fixture_make(*state);
    assert_works(*state, fixture_forward(&f));
    f.problem.batch = -1;
    assert_int_equal(fixture_forward(&f), ATTEND_ARGUMENT);
    assert_true(strlen(attend_message(*state)) > 0);
    f.problem.batch = FIXTURE_B;
    assert_works(*state, fixture_forward(&f)); /* and the old message is gone */
}

static void test_missing_arguments(void **state) {
    REFUSE(f.has_problem = false, ATTEND_ARGUMENT, "problem is NULL");
    REFUSE(f.has_q = false, ATTEND_ARGUMENT, "q is NULL");
    REFUSE(f.has_k = false, ATTEND_ARGUMENT, "k is NULL");
    REFUSE(f.has_v = false, ATTEND_ARGUMENT, "v is NULL");
    REFUSE(f.has_o = false, ATTEND_ARGUMENT, "o is NULL");
    REFUSE(f.q.data = NULL, ATTEND_ARGUMENT, "q.data is NULL");
    REFUSE(f.k.data = NULL, ATTEND_ARGUMENT, "k.data is NULL");
    REFUSE(f.v.data = NULL, ATTEND_ARGUMENT, "v.data is NULL");
    REFUSE(f.o.data = NULL, ATTEND_ARGUMENT, "o.data is NULL");
}

static void test_sizes_of_the_problem(void **state) {
    REFUSE(f.problem.batch = -1, ATTEND_ARGUMENT, "problem.batch is -1 (allowed 0 or more)");
    REFUSE(f.problem.heads = -2, ATTEND_ARGUMENT, "problem.heads is -2 (allowed 0 or more)");
    REFUSE(f.problem.kv_heads = -3, ATTEND_ARGUMENT, "problem.kv_heads is -3 (allowed 0 or more)");
    REFUSE(f.problem.queries = -4, ATTEND_ARGUMENT, "problem.queries is -4 (allowed 0 or more)");
    REFUSE(f.problem.keys = -5, ATTEND_ARGUMENT, "problem.keys is -5 (allowed 0 or more)");
    REFUSE(f.problem.head_width = -6, ATTEND_ARGUMENT, "problem.head_width is -6 (allowed 0 or more)");
    REFUSE(f.problem.value_width = INT64_MIN, ATTEND_ARGUMENT,
           "problem.value_width is -9223372036854775808 (allowed 0 or more)");
    REFUSE(f.problem.keys = ((int64_t)1 << 60) + 1, ATTEND_TOO_LARGE,
           "problem.keys is 1152921504606846977 (allowed up to 2^60)");
    REFUSE(f.problem.kv_heads = 4, ATTEND_SHAPE, "problem.heads is 6, not a multiple of kv_heads 4");
    REFUSE(f.problem.kv_heads = 12, ATTEND_SHAPE, "problem.heads is 6, not a multiple of kv_heads 12");
    REFUSE(f.problem.batch = (int64_t)1 << 60; f.problem.heads = f.problem.kv_heads = 8, ATTEND_TOO_LARGE,
                                               "problem.batch 1152921504606846976 times heads 8 does not fit");
}

static void test_options_of_the_problem(void **state) {
    REFUSE(f.problem.flags = 16, ATTEND_NEWER, "problem.flags is 0x10, this library knows 0xf");
    REFUSE(f.problem.flags = 0x80000001u, ATTEND_NEWER, "problem.flags is 0x80000001, this library knows 0xf");
    REFUSE(f.problem.query_offset = ((int64_t)1 << 60) + 1, ATTEND_TOO_LARGE,
           "problem.query_offset is 1152921504606846977 (allowed -2^60 to 2^60)");
    REFUSE(f.problem.ahead = -((int64_t)1 << 60) - 1, ATTEND_TOO_LARGE,
           "problem.ahead is -1152921504606846977 (allowed -2^60 to 2^60)");
    REFUSE(f.problem.back = INT64_MAX, ATTEND_TOO_LARGE, "problem.back is 9223372036854775807 (allowed -2^60 to 2^60)");
    REFUSE(f.problem.scale = INFINITY, ATTEND_ARGUMENT, "problem.scale is inf, not finite");
    REFUSE(f.problem.scale = fabs((double)NAN), ATTEND_ARGUMENT, "problem.scale is nan, not finite");
    REFUSE(f.problem.softcap = -0.5, ATTEND_ARGUMENT,
           "problem.softcap is -0.5 (allowed 0 for off, or a positive number)");
    REFUSE(f.problem.softcap = INFINITY, ATTEND_ARGUMENT,
           "problem.softcap is inf (allowed 0 for off, or a positive number)");
    REFUSE(f.problem.head_width = 0; f.q.shape[3] = f.k.shape[3] = 0, ATTEND_ARGUMENT,
                                     "problem.head_width is 0, so scale 1/sqrt(0) has no value: set scale");
}

static void test_types(void **state) {
    REFUSE(f.q.dtype = 0, ATTEND_DTYPE, "q.dtype is 0, not an attend_dtype");
    REFUSE(f.k.dtype = -7, ATTEND_DTYPE, "k.dtype is -7, not an attend_dtype");
    REFUSE(f.v.dtype = ATTEND_I32, ATTEND_DTYPE, "v.dtype is i32 but must be f32, f16, bf16 or f64");
    REFUSE(f.o.dtype = ATTEND_U8, ATTEND_DTYPE, "o.dtype is u8 but must be f32, f16, bf16 or f64");
    REFUSE(f.extra.mask = f.q, ATTEND_DTYPE, "extra.mask.dtype is f32 but must be u8");
    REFUSE(f.extra.key_count = f.q, ATTEND_DTYPE, "extra.key_count.dtype is f32 but must be i32");
    REFUSE(f.extra.bias = f.q; f.extra.bias.dtype = 99, ATTEND_DTYPE, "extra.bias.dtype is 99, not an attend_dtype");
}

static void test_ranks_and_shapes(void **state) {
    REFUSE(f.q.rank = 5, ATTEND_SHAPE, "q.rank is 5 (allowed 0 to 4)");
    REFUSE(f.q.rank = -1, ATTEND_SHAPE, "q.rank is -1 (allowed 0 to 4)");
    REFUSE(f.q.rank = 3, ATTEND_SHAPE, "q.rank is 3 but must be 4");
    REFUSE(f.k.shape[2] = -1, ATTEND_SHAPE, "k.shape[2] is -1 (allowed 0 or more)");
    REFUSE(f.q.shape[0] = 3, ATTEND_SHAPE, "q.shape[0] is 3 but batch is 2");
    REFUSE(f.q.shape[1] = 3, ATTEND_SHAPE, "q.shape[1] is 3 but heads is 6");
    REFUSE(f.q.shape[2] = 5, ATTEND_SHAPE, "q.shape[2] is 5 but queries is 4");
    REFUSE(f.q.shape[3] = 8, ATTEND_SHAPE, "q.shape[3] is 8 but head_width is 7");
    REFUSE(f.k.shape[0] = 1, ATTEND_SHAPE, "k.shape[0] is 1 but batch is 2");
    REFUSE(f.k.shape[1] = 6, ATTEND_SHAPE, "k.shape[1] is 6 but kv_heads is 3");
    REFUSE(f.k.shape[2] = 4, ATTEND_SHAPE, "k.shape[2] is 4 but keys is 5");
    REFUSE(f.k.shape[3] = 1, ATTEND_SHAPE, "k.shape[3] is 1 but head_width is 7");
    REFUSE(f.v.shape[1] = 6, ATTEND_SHAPE, "v.shape[1] is 6 but kv_heads is 3");
    REFUSE(f.v.shape[2] = 4, ATTEND_SHAPE, "v.shape[2] is 4 but keys is 5");
    REFUSE(f.v.shape[3] = 7, ATTEND_SHAPE, "v.shape[3] is 7 but value_width is 8");
    REFUSE(f.o.shape[1] = 3, ATTEND_SHAPE, "o.shape[1] is 3 but heads is 6");
    REFUSE(f.o.shape[2] = 0, ATTEND_SHAPE, "o.shape[2] is 0 but queries is 4");
    REFUSE(f.o.shape[3] = 7, ATTEND_SHAPE, "o.shape[3] is 7 but value_width is 8");
    REFUSE(f.problem.value_width = 0, ATTEND_SHAPE, "v.shape[3] is 8 but value_width is 7");
    REFUSE(f.problem.kv_heads = 0, ATTEND_SHAPE, "k.shape[1] is 3 but kv_heads is 6");
}

static void test_strides_and_alignment(void **state) {
    REFUSE(f.o.stride[2] = 7, ATTEND_STRIDE, "o.stride[2] is 7: its elements could share memory (see attend_out)");
    REFUSE(f.o.stride[3] = 0, ATTEND_STRIDE, "o.stride[3] is 0: its elements could share memory (see attend_out)");
    REFUSE(f.o.stride[0] = f.o.stride[1], ATTEND_STRIDE,
           "o.stride[0] is 32: its elements could share memory (see attend_out)");
    REFUSE(f.q.data = (const char *)f.q.data + 1, ATTEND_STRIDE, "q.data is not aligned to its elements of 4 bytes");
    REFUSE(f.o.data = (char *)f.o.data + 2, ATTEND_STRIDE, "o.data is not aligned to its elements of 4 bytes");
    REFUSE(f.v.dtype = ATTEND_F16;
           f.v.data = (const char *)f.v.data + 1, ATTEND_STRIDE, "v.data is not aligned to its elements of 2 bytes");
    REFUSE(f.v.dtype = ATTEND_F64;
           f.v.data = (const char *)f.v.data + 4, ATTEND_STRIDE, "v.data is not aligned to its elements of 8 bytes");
    REFUSE(f.k.stride[0] = INT64_MAX, ATTEND_TOO_LARGE, "k: shape times stride spans 2^62 bytes or more");
    REFUSE(f.k.stride[0] = INT64_MIN, ATTEND_TOO_LARGE, "k: shape times stride spans 2^62 bytes or more");
    REFUSE(f.k.stride[0] = (int64_t)1 << 59;
           f.k.stride[1] = -((int64_t)1 << 59), ATTEND_TOO_LARGE, "k: shape times stride spans 2^62 bytes or more");
}

static void test_overlaps(void **state) {
    REFUSE(f.o.data = (void *)(uintptr_t)f.q.data, ATTEND_ALIAS, "o overlaps q in memory");
    REFUSE(f.o.data = (char *)(uintptr_t)f.k.data + 4, ATTEND_ALIAS, "o overlaps k in memory");
    REFUSE(f.o.data = (char *)(uintptr_t)f.v.data - 4, ATTEND_ALIAS, "o overlaps v in memory");
    REFUSE(f.extra.bias = fixture_in(&f, ATTEND_F32, FIXTURE_TQ, FIXTURE_TK, -1, -1);
           f.o.data = (void *)(uintptr_t)f.extra.bias.data, ATTEND_ALIAS, "o overlaps extra.bias in memory");
    REFUSE(f.taps.lse = fixture_out(&f, ATTEND_F32, FIXTURE_B, FIXTURE_H, FIXTURE_TQ, -1);
           f.taps.lse.data = f.o.data, ATTEND_ALIAS, "o overlaps taps.lse in memory");
    REFUSE(f.taps.row_max = f.taps.lse = fixture_out(&f, ATTEND_F32, FIXTURE_B, FIXTURE_H, FIXTURE_TQ, -1),
           ATTEND_ALIAS, "taps.lse overlaps taps.row_max in memory");
}

static void test_masks_and_biases(void **state) {
    REFUSE(f.extra.mask = fixture_in(&f, ATTEND_U8, 4, 6, -1, -1), ATTEND_SHAPE,
           "extra.mask.shape[1] is 6 but keys is 5 (1 would repeat)");
    REFUSE(f.extra.mask = fixture_in(&f, ATTEND_U8, 3, 4, 5, -1), ATTEND_SHAPE,
           "extra.mask.shape[0] is 3 but heads is 6 (1 would repeat)");
    REFUSE(f.extra.bias = fixture_in(&f, ATTEND_F32, 2, 6, 2, 5), ATTEND_SHAPE,
           "extra.bias.shape[2] is 2 but queries is 4 (1 would repeat)");
    REFUSE(f.extra.bias = fixture_in(&f, ATTEND_F32, 3, 1, 1, 5), ATTEND_SHAPE,
           "extra.bias.shape[0] is 3 but batch is 2 (1 would repeat)");
    REFUSE(f.extra.bias = f.q; f.extra.bias.rank = 5, ATTEND_SHAPE, "extra.bias.rank is 5 (allowed 0 to 4)");
    REFUSE(f.extra.bias = f.q;
           f.extra.bias.shape[3] = -2, ATTEND_SHAPE, "extra.bias.shape[3] is -2 (allowed 0 or more)");
    REFUSE(f.extra.bias = f.q; f.extra.bias.data = (const char *)f.q.data + 2, ATTEND_STRIDE,
                               "extra.bias.data is not aligned to its elements of 4 bytes");
    REFUSE(f.extra.slopes = fixture_in(&f, ATTEND_F32, 5, -1, -1, -1), ATTEND_SHAPE,
           "extra.slopes.shape[0] is 5 but heads is 6");
    REFUSE(f.extra.sinks = fixture_in(&f, ATTEND_F32, 1, 6, -1, -1), ATTEND_SHAPE,
           "extra.sinks.rank is 2 but must be 1");
}

static void test_counts_and_offsets(void **state) {
    static const int32_t high[] = {5, 6}, low[] = {-1, 5};
    REFUSE(f.extra.key_count = fixture_list(&f, 2, high), ATTEND_ARGUMENT, "extra.key_count[1] is 6 (allowed 0 to 5)");
    REFUSE(f.extra.key_count = fixture_list(&f, 2, low), ATTEND_ARGUMENT, "extra.key_count[0] is -1 (allowed 0 to 5)");
    REFUSE(f.extra.key_count = fixture_list(&f, 1, high), ATTEND_SHAPE, "extra.key_count.shape[0] is 1 but batch is 2");
    REFUSE(f.extra.query_offsets = fixture_in(&f, ATTEND_I32, 3, -1, -1, -1), ATTEND_SHAPE,
           "extra.query_offsets.shape[0] is 3 but batch is 2");
}

/* A packed fixture: batch 1, sequences of these starts. */
static fixture packed(attend_ctx *ctx, int64_t count, const int32_t *query_starts, const int32_t *key_starts) {
    fixture f = fixture_make(ctx);
    f.problem.batch = f.q.shape[0] = f.k.shape[0] = f.v.shape[0] = f.o.shape[0] = 1;
    f.extra.query_starts = fixture_list(&f, count, query_starts);
    f.extra.key_starts = fixture_list(&f, count, key_starts);
    return f;
}

static void test_packed_batches(void **state) {
    static const int32_t q[] = {0, 2, 4}, k[] = {0, 3, 5};
    fixture f = packed(*state, 3, q, k);
    assert_works(*state, fixture_forward(&f));
    f.extra.key_starts.data = NULL;
    fixture_refuses(&f, ATTEND_ARGUMENT, "extra.query_starts and extra.key_starts go together, one is missing");
    f = packed(*state, 3, q, k);
    f.extra.query_starts.data = NULL;
    fixture_refuses(&f, ATTEND_ARGUMENT, "extra.query_starts and extra.key_starts go together, one is missing");
    f = packed(*state, 3, q, k);
    f.problem.batch = 2;
    fixture_refuses(&f, ATTEND_SHAPE, "problem.batch is 2 but must be 1 with query_starts");
    f = packed(*state, 3, q, k);
    f.extra.key_starts.shape[0] = 2;
    fixture_refuses(&f, ATTEND_SHAPE,
                    "extra.query_starts.shape[0] is 3, extra.key_starts.shape[0] is 2 (both must be "
                    "sequences + 1, at least 2)");
    f = packed(*state, 1, q, k);
    fixture_refuses(&f, ATTEND_SHAPE,
                    "extra.query_starts.shape[0] is 1, extra.key_starts.shape[0] is 1 (both must be "
                    "sequences + 1, at least 2)");
    f = packed(*state, 0, q, k);
    fixture_refuses(&f, ATTEND_SHAPE,
                    "extra.query_starts.shape[0] is 0, extra.key_starts.shape[0] is 0 (both must be "
                    "sequences + 1, at least 2)");
    f = packed(*state, 3, q, k);
    f.extra.key_count = fixture_list(&f, 3, k);
    fixture_refuses(&f, ATTEND_SHAPE, "extra.key_count.shape[0] is 3 but sequences is 2");
}

static void test_starts(void **state) {
    static const int32_t good_q[] = {0, 2, 4}, good_k[] = {0, 3, 5};
    static const struct {
        int32_t q[3], k[3];
        const char *text;
    } rows[] = {
        {{1, 2, 4}, {0, 3, 5}, "extra.query_starts[0] is 1 (must be 0)"},
        {{0, 2, 3}, {0, 3, 5}, "extra.query_starts[2] is 3 but there are 4 in all"},
        {{0, 5, 4}, {0, 3, 5}, "extra.query_starts[1] is 5 (allowed 0 to 4)"},
        {{0, -2, 4}, {0, 3, 5}, "extra.query_starts[1] is -2 (allowed 0 to 4)"},
        {{0, 2, 4}, {0, 4, 3}, "extra.key_starts[2] is 3 but extra.key_starts[1] is 4: starts never fall"},
        {{0, 2, 4}, {2, 3, 5}, "extra.key_starts[0] is 2 (must be 0)"},
        {{0, 2, 4}, {0, 3, 4}, "extra.key_starts[2] is 4 but there are 5 in all"},
    };
    fixture right = packed(*state, 3, good_q, good_k);
    assert_works(*state, fixture_forward(&right));
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        fixture f = packed(*state, 3, rows[n].q, rows[n].k);
        fixture_refuses(&f, ATTEND_ARGUMENT, rows[n].text);
    }
}

/* Keys that all lie at one place in memory: the tensors are small, the scratch is not. */
static void test_scratch_that_does_not_fit(void **state) {
    fixture f = fixture_make(*state);
    f.problem.flags = ATTEND_READABLE; /* the fast path would go over them all */
    f.problem.keys = f.k.shape[2] = f.v.shape[2] = (int64_t)1 << 60;
    f.k.stride[2] = f.v.stride[2] = 0;
    fixture_refuses(&f, ATTEND_TOO_LARGE,
                    "scratch for 1152921504606846976 keys, head_width 7 and value_width 8 does not fit");
    f = fixture_make(*state);
    f.problem.flags = ATTEND_READABLE;
    f.problem.head_width = f.q.shape[3] = f.k.shape[3] = (int64_t)1 << 60;
    f.q.stride[3] = f.k.stride[3] = 0;
    f.problem.value_width = f.v.shape[3] = (int64_t)1 << 60;
    f.v.stride[3] = 0;
    f.problem.queries = f.q.shape[2] = f.o.shape[2] = 0; /* so that o holds nothing, however wide */
    f.o.shape[3] = (int64_t)1 << 60;
    f.taps.column_sum = fixture_out(&f, ATTEND_F32, FIXTURE_B, FIXTURE_H, FIXTURE_TK, -1);
    fixture_refuses(&f, ATTEND_TOO_LARGE,
                    "scratch for 5 keys, head_width 1152921504606846976 and value_width "
                    "1152921504606846976 does not fit");
    f = fixture_make(*state);
    f.problem.flags = ATTEND_READABLE;
    f.problem.keys = f.k.shape[2] = f.v.shape[2] = (int64_t)1 << 58;
    f.k.stride[2] = f.v.stride[2] = 0;
    fixture_refuses(&f, ATTEND_TOO_LARGE, "scratch of 14123288431433875584 bytes for each of 2 threads does not fit");
}

/* The allocator says no; the message says how much was asked for. */
static void test_no_memory(void **state) {
    fixture f = fixture_make(*state);
    size_t bytes;
    char text[100];
    f.problem.flags = ATTEND_READABLE;
    assert_works(*state, attend_scratch_size(*state, &f.problem, NULL, &bytes));
    snprintf(text, sizeof text, "no memory for scratch: %zu bytes", bytes);
    test_context_memory()->fail_at = test_context_memory()->calls + 1;
    fixture_refuses(&f, ATTEND_MEMORY, text);
}

/* No status is there for nothing. */
static void test_every_status_is_reached(void **state) {
    attend_config config = attend_config_init();
    attend_ctx *none;
    attend_file *file;
    fixture f = fixture_make(*state);
    config.isa = 999;
    assert_int_equal(attend_ctx_create(&config, &none), ATTEND_UNSUPPORTED);
    assert_int_equal(attend_file_open(*state, "/nonexistent/file", &file), ATTEND_FILE);
    assert_int_equal(attend_file_open(*state, "/proc/self/exe", &file), ATTEND_FORMAT);
    assert_int_equal(fixture_forward(&f), ATTEND_OK);
    f.problem.flags = 1u << 31;
    assert_int_equal(fixture_forward(&f), ATTEND_NEWER);
    /* ARGUMENT, SHAPE, STRIDE, DTYPE, ALIAS, MEMORY, TOO_LARGE: above.  THREAD: test/unit/test_parallel.c */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_right_call_says_nothing),
        TEST(test_missing_arguments),
        TEST(test_sizes_of_the_problem),
        TEST(test_options_of_the_problem),
        TEST(test_types),
        TEST(test_ranks_and_shapes),
        TEST(test_strides_and_alignment),
        TEST(test_overlaps),
        TEST(test_masks_and_biases),
        TEST(test_counts_and_offsets),
        TEST(test_packed_batches),
        TEST(test_starts),
        TEST(test_scratch_that_does_not_fit),
        TEST(test_no_memory),
        TEST(test_every_status_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
