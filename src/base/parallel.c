#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/check.h"
#include "base/context.h"

int32_t at_parallel_threads(void) {
#ifdef _OPENMP
    int threads = omp_get_max_threads();
    return threads > AT_THREADS_MAX ? AT_THREADS_MAX : threads;
#else
    return 1;
#endif
}

int32_t at_parallel_lanes(const attend_ctx *ctx, int64_t count) {
    if (count < 1)
        return 1;
    return count < ctx->threads ? (int32_t)count : ctx->threads;
}

/* An executor may be faulty: run(...) == 0 only says that it believes all tasks ran. */
static attend_status run_on_executor(attend_ctx *ctx, attend_task task, void *work, int64_t count, int32_t lanes) {
    int failed = ctx->executor.run(ctx->executor.user, task, work, count, lanes);
    if (failed)
        return at_fail(ctx, ATTEND_THREAD, "the executor returned %d for %lld tasks on %d lanes", failed,
                       (long long)count, (int)lanes);
    return ATTEND_OK;
}

attend_status at_parallel(attend_ctx *ctx, attend_task task, void *work, int64_t count) {
    int32_t lanes = at_parallel_lanes(ctx, count);
    if (lanes > 1 && ctx->executor.run != NULL)
        return run_on_executor(ctx, task, work, count, lanes);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(lanes) if (lanes > 1)
    for (int64_t index = 0; index < count; index++)
        task(work, index, omp_get_thread_num());
#else
    for (int64_t index = 0; index < count; index++)
        task(work, index, 0);
#endif
    return ATTEND_OK;
}
