#include "progress_threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "cli.h"

typedef struct crew {
    const progress_threads *threads;
    attend_task task;
    void *work;
    int64_t count;
    atomic_int_least64_t next;
} crew;

typedef struct member {
    crew *crew;
    int32_t lane;
    thrd_t thread;
    int runs;
} member;

/* The caller's own lane shows the bar. */
static void show(const crew *c, int64_t index) {
    double part = (c->threads->run + (double)index / (double)c->count) / c->threads->runs;
    cli_progress(c->threads->what, fmin(part, 0.99));
}

static int run_member(void *opaque) {
    const member *m = opaque;
    for (int64_t index; (index = atomic_fetch_add(&m->crew->next, 1)) < m->crew->count;) {
        if (m->lane == 0)
            show(m->crew, index);
        m->crew->task(m->crew->work, index, m->lane);
    }
    return 0;
}

/* Where a thread cannot be had, the others do its share. */
static int run(void *user, attend_task task, void *work, int64_t count, int32_t lanes) {
    progress_threads *threads = user;
    crew c = {threads, task, work, count, 0};
    member *members = calloc((size_t)lanes, sizeof *members);
    if (members == NULL)
        return 1;
    for (int32_t lane = lanes - 1; lane >= 0; lane--) {
        members[lane] = (member){.crew = &c, .lane = lane};
        members[lane].runs = lane > 0 && thrd_create(&members[lane].thread, run_member, &members[lane]) == thrd_success;
    }
    run_member(&members[0]);
    for (int32_t lane = 1; lane < lanes; lane++)
        if (members[lane].runs)
            thrd_join(members[lane].thread, NULL);
    free(members);
    threads->run++;
    return 0;
}

attend_executor progress_executor(progress_threads *threads) {
    attend_executor executor = {run, threads};
    return executor;
}
