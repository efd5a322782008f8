/* two_threads.c - shows that the build with the thread sanitizer sees what it is there for.
   usage: two_threads ordered|racy
   ordered: a thread reads what another wrote, behind OpenMP's barrier: nothing must be reported, and would be if nobody
   told the sanitizer of the barrier.  racy: the same with nothing between them: a data race, which must be reported. */
#include <stdio.h>
#include <string.h>

#include <omp.h>

static int written[2]; /* by thread */

static int neighbour(int thread) { return written[1 - thread]; }

static int ordered(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        written[omp_get_thread_num()] = 1;
#pragma omp barrier
        sum += neighbour(omp_get_thread_num());
    }
    return sum;
}

static int racy(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        written[omp_get_thread_num()] = 1;
        sum += neighbour(omp_get_thread_num());
    }
    return sum;
}

int main(int argc, char **argv) {
    int sum = argc == 2 && strcmp(argv[1], "racy") == 0 ? racy() : ordered();
    printf("%d\n", sum);
    return 0;
}
