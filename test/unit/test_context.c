/* Contexts: making, asking, destroying; memory and scratch. */
#include "test_support.h"

#include "base/check.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernel/select.h"

static void test_defaults(void **state) {
    (void)state;
    attend_ctx *ctx = NULL;
    assert_int_equal(attend_ctx_create(NULL, &ctx), ATTEND_OK);
    assert_int_equal(attend_ctx_threads(ctx), at_parallel_threads());
    assert_int_equal(attend_ctx_isa(ctx), at_kernels_best());
    assert_string_equal(attend_message(ctx), "");
    attend_ctx_destroy(ctx);
    attend_config config = attend_config_init();
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    assert_int_equal(attend_ctx_threads(ctx), at_parallel_threads());
    attend_ctx_destroy(ctx);
}

static void test_without_a_context(void **state) {
    (void)state;
    attend_config config = attend_config_init();
    assert_int_equal(attend_ctx_create(&config, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_ctx_create(NULL, NULL), ATTEND_ARGUMENT);
    attend_ctx_destroy(NULL);
    assert_string_equal(attend_message(NULL), "");
    assert_int_equal(attend_ctx_threads(NULL), 0);
    assert_int_equal(attend_ctx_isa(NULL), ATTEND_ISA_PORTABLE);
}

static void test_isa(void **state) {
    (void)state;
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    assert_string_equal(attend_isa_name(ATTEND_ISA_BEST), "best");
    assert_string_equal(attend_isa_name(ATTEND_ISA_PORTABLE), "portable");
    assert_string_equal(attend_isa_name(ATTEND_ISA_AVX2), "avx2");
    assert_string_equal(attend_isa_name(ATTEND_ISA_AVX512), "avx512");
    assert_string_equal(attend_isa_name(ATTEND_ISA_NEON), "neon");
    assert_string_equal(attend_isa_name((attend_isa)999), "unknown");
    assert_null(attend_isa_refusal(ATTEND_ISA_PORTABLE));
    assert_string_equal(attend_isa_refusal((attend_isa)999), "it is not compiled into this build");
    for (int32_t isa = ATTEND_ISA_PORTABLE; isa < AT_ISA_COUNT; isa++)
        assert_int_equal(attend_isa_refusal((attend_isa)isa) == NULL, at_kernels_of((attend_isa)isa) != NULL);
    config.isa = ATTEND_ISA_PORTABLE;
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    assert_int_equal(attend_ctx_isa(ctx), ATTEND_ISA_PORTABLE);
    attend_ctx_destroy(ctx);
}

static void refuse(attend_config config, attend_status want) {
    attend_ctx *ctx = (attend_ctx *)&config; /* anything but NULL */
    assert_int_equal(attend_ctx_create(&config, &ctx), want);
    assert_null(ctx);
}

static void test_wrong_configurations(void **state) {
    (void)state;
    test_memory memory = {0};
    attend_config config = attend_config_init();
    config.threads = -1;
    refuse(config, ATTEND_ARGUMENT);
    config.threads = AT_THREADS_MAX + 1;
    refuse(config, ATTEND_ARGUMENT);
    config = attend_config_init();
    config.isa = 999;
    refuse(config, ATTEND_UNSUPPORTED);
    config.isa = -1;
    refuse(config, ATTEND_UNSUPPORTED);
    config = attend_config_init();
    config.reserved = 1;
    refuse(config, ATTEND_NEWER);
    config = attend_config_init();
    config.allocator.allocate = test_allocator(&memory).allocate;
    refuse(config, ATTEND_ARGUMENT);
    config = attend_config_init();
    config.allocator.release = test_allocator(&memory).release;
    refuse(config, ATTEND_ARGUMENT);
    config.allocator = test_allocator(&memory);
    memory.fail_at = 1;
    refuse(config, ATTEND_MEMORY);
}

static void test_most_threads(void **state) {
    (void)state;
    attend_ctx *ctx = test_context(AT_THREADS_MAX);
    assert_int_equal(attend_ctx_threads(ctx), AT_THREADS_MAX);
}

static void test_message_is_cut(void **state) {
    char text[2 * AT_MESSAGE_MAX];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(at_fail(*state, ATTEND_FORMAT, "%s", text), ATTEND_FORMAT);
    assert_int_equal(strlen(attend_message(*state)), AT_MESSAGE_MAX - 1);
    assert_int_equal(at_begin(*state), ATTEND_OK);
    assert_string_equal(attend_message(*state), "");
    assert_int_equal(at_begin(NULL), ATTEND_ARGUMENT);
}

static void test_default_memory(void **state) {
    (void)state;
    attend_allocator allocator = at_memory_default();
    static const size_t sizes[] = {1, 63, 64, 65, 100000};
    for (size_t n = 0; n < COUNT_OF(sizes); n++) {
        unsigned char *block = allocator.allocate(allocator.user, sizes[n], AT_ALIGNMENT);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % AT_ALIGNMENT, 0);
        memset(block, 1, sizes[n]);
        allocator.release(allocator.user, block, sizes[n]);
    }
    assert_null(allocator.allocate(allocator.user, SIZE_MAX, AT_ALIGNMENT));
    assert_null(allocator.allocate(allocator.user, SIZE_MAX - AT_ALIGNMENT + 2, AT_ALIGNMENT));
}

static void test_allocation_failure_says_what_for(void **state) {
    attend_ctx *ctx = *state;
    void *block = NULL;
    test_context_memory()->fail_at = 2;
    assert_fails(ctx, at_memory_allocate(ctx, 1234, "a test", &block), ATTEND_MEMORY,
                 "no memory for a test: 1234 bytes");
    at_memory_release(ctx, NULL, 99); /* does nothing */
}

static void test_scratch_grows_and_is_kept(void **state) {
    attend_ctx *ctx = *state;
    void *first, *again, *larger;
    assert_works(ctx, at_memory_scratch(ctx, 100, &first));
    assert_works(ctx, at_memory_scratch(ctx, 40, &again));
    assert_ptr_equal(first, again);
    assert_int_equal(test_context_memory()->calls, 2); /* the context, and one block */
    assert_works(ctx, at_memory_scratch(ctx, 200, &larger));
    assert_int_equal(test_context_memory()->calls, 3);
    assert_int_equal(test_context_memory()->bytes, sizeof(struct attend_ctx) + 200);
}

/* A call that asks too much does not take away what attend_reserve promised to an earlier one. */
static void test_scratch_survives_a_failure(void **state) {
    attend_ctx *ctx = *state;
    void *first, *second;
    assert_works(ctx, at_memory_scratch(ctx, 100, &first));
    test_context_memory()->fail_at = 3;
    assert_fails(ctx, at_memory_scratch(ctx, 200, &second), ATTEND_MEMORY, "no memory for scratch: 200 bytes");
    assert_int_equal(at_memory_scratch(ctx, 100, &second), ATTEND_OK);
    assert_ptr_equal(first, second);
    assert_int_equal(test_context_memory()->calls, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_defaults),
        TEST(test_without_a_context),
        TEST(test_isa),
        TEST(test_wrong_configurations),
        TEST(test_most_threads),
        TEST(test_message_is_cut),
        TEST(test_default_memory),
        TEST(test_allocation_failure_says_what_for),
        TEST(test_scratch_grows_and_is_kept),
        TEST(test_scratch_survives_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
