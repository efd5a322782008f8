/* context.h - what a context holds.  src/api/context.c makes and destroys it; every layer may leave a
   message in it (check.h), take memory from it (memory.h) and run tasks on it (parallel.h). */
#ifndef AT_CONTEXT_H
#define AT_CONTEXT_H

#include "attend/attend.h"

enum { AT_MESSAGE_MAX = 512, AT_THREADS_MAX = 1024 };

struct attend_ctx {
    char message[AT_MESSAGE_MAX];
    int32_t threads;  /* 1..AT_THREADS_MAX */
    attend_isa isa;   /* never ATTEND_ISA_BEST */
    const char *path; /* of the last attend_forward, "" before the first */
    attend_allocator allocator;
    attend_executor executor; /* run NULL: our own threads */
    void *scratch;            /* grows on demand, kept between calls (memory.h) */
    size_t scratch_size;
};

#endif
