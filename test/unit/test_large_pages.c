/* Memory of two large pages and more begins on one, from whichever allocator. */
#include "base/context.h"
#include "base/memory.h"
#include "test_support.h"

static void test_alignment(void **state) {
    attend_ctx *ctx = *state;
    static const size_t sizes[] = {1, 4095, 2 * (size_t)AT_LARGE_PAGE - 1, 2 * (size_t)AT_LARGE_PAGE, 9999999};
    attend_allocator own = ctx->allocator;
    for (size_t n = 0; n < 2 * COUNT_OF(sizes); n++) {
        size_t size = sizes[n / 2];
        void *block;
        ctx->allocator = n % 2 ? own : at_memory_default();
        assert_works(ctx, at_memory_allocate(ctx, size, "a test", &block));
        assert_int_equal((uintptr_t)block % (size >= 2 * (size_t)AT_LARGE_PAGE ? AT_LARGE_PAGE : AT_ALIGNMENT), 0);
        memset(block, 1, size);
        at_memory_release(ctx, block, size);
    }
    ctx->allocator = own;
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_alignment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
