/* progress_threads.h - threads for the library that say how far they are. */
#ifndef PROGRESS_THREADS_H
#define PROGRESS_THREADS_H

#include "attend/attend.h"

typedef struct progress_threads {
    const char *what; // in front of the bar
    int runs;         // calls of the executor that are expected
    int run;          // that are done
} progress_threads;

/* Runs tasks on threads of its own and shows a bar on standard error, if that is a terminal. */
attend_executor progress_executor(progress_threads *threads);

#endif
