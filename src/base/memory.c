#include "base/memory.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/context.h"
#include "base/os.h"

static void *default_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    size_t rounded = (size + alignment - 1) / alignment * alignment; /* aligned_alloc asks for a multiple */
    void *block = rounded < size ? NULL : aligned_alloc(alignment, rounded);
    if (block != NULL && alignment == AT_LARGE_PAGE)
        at_os_prefer_large_pages(block, rounded);
    return block;
}

static void default_release(void *user, void *block, size_t size) {
    (void)user;
    (void)size;
    free(block);
}

attend_allocator at_memory_default(void) {
    attend_allocator allocator = {default_allocate, default_release, NULL};
    return allocator;
}

attend_status at_memory_allocate(attend_ctx *ctx, size_t size, const char *what, void **block) {
    size_t alignment = size >= 2 * (size_t)AT_LARGE_PAGE ? AT_LARGE_PAGE : AT_ALIGNMENT;
    *block = ctx->allocator.allocate(ctx->allocator.user, size, alignment);
    if (*block == NULL)
        return at_fail(ctx, ATTEND_MEMORY, "no memory for %s: %zu bytes", what, size);
    return ATTEND_OK;
}

void at_memory_release(attend_ctx *ctx, void *block, size_t size) {
    if (block != NULL)
        ctx->allocator.release(ctx->allocator.user, block, size);
}

attend_status at_memory_scratch(attend_ctx *ctx, size_t size, void **block) {
    if (size > ctx->scratch_size) {
        void *larger; /* before the old one goes: what attend_reserve promised outlives a call that asks too much */
        AT_TRY(at_memory_allocate(ctx, size, "scratch", &larger));
        at_memory_release(ctx, ctx->scratch, ctx->scratch_size);
        ctx->scratch = larger;
        ctx->scratch_size = size;
    }
    *block = ctx->scratch;
    return ATTEND_OK;
}
