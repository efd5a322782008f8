#include "base/parallel.h"

#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/check.h"
#include "base/context.h"
#include "base/float_mode.h"

int32_t at_parallel_threads(void) {
#ifdef _OPENMP
    int threads = omp_get_max_threads(); /* below 1 where LLVM's library could not read OMP_NUM_THREADS */
    return threads > AT_THREADS_MAX ? AT_THREADS_MAX : threads < 1 ? 1 : threads;
#else
    return 1;
#endif
}

int32_t at_parallel_lanes(const attend_ctx *ctx, int64_t count) {
    if (count < 1)
        return 1;
    return count < ctx->threads ? (int32_t)count : ctx->threads;
}

/* The executor is the caller's code, and its 0 only says that it believes all tasks ran.  So they are counted, and
   one outside the agreed indices or lanes, which would write where nobody may, does not run. */
typedef struct counted_work {
    attend_task task;
    void *work;
    int64_t count;
    int32_t lanes;
    atomic_int_least64_t done;
} counted_work;

static void run_counted(void *opaque, int64_t index, int32_t lane) {
    counted_work *counted = opaque;
    if (index < 0 || index >= counted->count || lane < 0 || lane >= counted->lanes)
        return;
    AT_STANDARD_FLOATS;
    counted->task(counted->work, index, lane);
    atomic_fetch_add(&counted->done, 1);
}

static attend_status run_on_executor(attend_ctx *ctx, attend_task task, void *work, int64_t count, int32_t lanes) {
    counted_work counted = {task, work, count, lanes, 0};
    int failed = ctx->executor.run(ctx->executor.user, run_counted, &counted, count, lanes);
    int64_t done = atomic_load(&counted.done);
    if (failed || done != count)
        return at_fail(ctx, ATTEND_THREAD, "the executor returned %d and ran %lld of %lld tasks on %d lanes", failed,
                       (long long)done, (long long)count, (int)lanes);
    return ATTEND_OK;
}

#ifdef _OPENMP
static void run_on_openmp(attend_task task, void *work, int64_t count, int32_t lanes) {
#pragma omp parallel num_threads(lanes)
    {
        AT_STANDARD_FLOATS;
#pragma omp for schedule(dynamic, 1)
        for (int64_t index = 0; index < count; index++)
            task(work, index, omp_get_thread_num());
    }
}
#endif

attend_status at_parallel(attend_ctx *ctx, attend_task task, void *work, int64_t count) {
    int32_t lanes = at_parallel_lanes(ctx, count);
    if (lanes > 1 && ctx->executor.run != NULL)
        return run_on_executor(ctx, task, work, count, lanes);
#ifdef _OPENMP
    if (lanes > 1) {
        run_on_openmp(task, work, count, lanes);
        return ATTEND_OK;
    }
#endif
    for (int64_t index = 0; index < count; index++)
        task(work, index, 0);
    return ATTEND_OK;
}
