#include "base/context.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernel/select.h"

const char *attend_isa_name(attend_isa isa) {
    switch (isa) {
    case ATTEND_ISA_BEST: return "best";
    case ATTEND_ISA_PORTABLE: return "portable";
    case ATTEND_ISA_AVX2: return "avx2";
    case ATTEND_ISA_AVX512: return "avx512";
    case ATTEND_ISA_NEON: return "neon";
    }
    return "unknown";
}

const char *attend_isa_refusal(attend_isa isa) { return isa == ATTEND_ISA_BEST ? NULL : at_kernels_refusal(isa); }

/* Without a context there is nowhere to leave a message: only the status speaks. */
static attend_status check_config(const attend_config *config) {
    const attend_allocator *allocator = &config->allocator;
    if (config->threads < 0 || config->threads > AT_THREADS_MAX)
        return ATTEND_ARGUMENT;
    if ((allocator->allocate == NULL) != (allocator->release == NULL))
        return ATTEND_ARGUMENT;
    if (config->isa != ATTEND_ISA_BEST && at_kernels_of((attend_isa)config->isa) == NULL)
        return ATTEND_UNSUPPORTED;
    return ATTEND_OK;
}

attend_status attend_ctx_create(const attend_config *config, attend_ctx **ctx) {
    struct attend_ctx draft;
    attend_config given;
    if (ctx == NULL)
        return ATTEND_ARGUMENT;
    *ctx = NULL;
    memset(&draft, 0, sizeof draft);
    AT_TRY(at_import(&draft, "config", config, &given, sizeof given));
    AT_TRY(at_import_reserved(&draft, "config", (uint32_t)given.reserved));
    AT_TRY(check_config(&given));
    draft.threads = given.threads ? given.threads : at_parallel_threads();
    draft.isa = given.isa == ATTEND_ISA_BEST ? at_kernels_best() : (attend_isa)given.isa;
    draft.allocator = given.allocator.allocate ? given.allocator : at_memory_default();
    draft.executor = given.executor;
    draft.path = "";
    void *block;
    AT_TRY(at_memory_allocate(&draft, sizeof draft, "a context", &block));
    memcpy(block, &draft, sizeof draft);
    *ctx = block;
    return ATTEND_OK;
}

void attend_ctx_destroy(attend_ctx *ctx) {
    if (ctx == NULL)
        return;
    attend_allocator allocator = ctx->allocator;
    at_memory_release(ctx, ctx->scratch, ctx->scratch_size);
    allocator.release(allocator.user, ctx, sizeof *ctx);
}

const char *attend_message(const attend_ctx *ctx) { return ctx == NULL ? "" : ctx->message; }
int32_t attend_ctx_threads(const attend_ctx *ctx) { return ctx == NULL ? 0 : ctx->threads; }
const char *attend_ctx_path(const attend_ctx *ctx) { return ctx == NULL ? "" : ctx->path; }
attend_isa attend_ctx_isa(const attend_ctx *ctx) { return ctx == NULL ? ATTEND_ISA_PORTABLE : ctx->isa; }
