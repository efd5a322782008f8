/* parallel.h - run independent tasks on the context's threads. */
#ifndef AT_PARALLEL_H
#define AT_PARALLEL_H

#include "attend/attend.h"

/* Threads this process may use, 1..AT_THREADS_MAX. */
int32_t at_parallel_threads(void);

/* Lanes that at_parallel will use for count tasks: scratch is allocated once for each. */
int32_t at_parallel_lanes(const attend_ctx *ctx, int64_t count);

/* task(work, index, lane) once for each index in 0..count-1, in any order and on any lane; so a task may
   write only what is its index's own, or its lane's scratch. */
attend_status at_parallel(attend_ctx *ctx, attend_task task, void *work, int64_t count);

#endif
