#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "peak.h"

/* About a tenth of a millisecond of one thread at 4 GHz. */
enum { STEPS = 40000 };

static volatile double sink; /* what keeps the compiler from leaving the work out */

const peak_loops *peak_best(void) {
#ifdef PEAK_HAVE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16"))
        return &peak_loops_avx512_bf16;
    if (__builtin_cpu_supports("avx512f"))
        return &peak_loops_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &peak_loops_avx2;
#endif
    return &peak_loops_portable;
}

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double peak_now(int32_t threads) { return seconds_of(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC); }

double peak_flops(attend_dtype dtype, int32_t threads) {
    const peak_loops *loops = peak_best();
    double (*run)(int64_t) = loops->multiply_add, flops = loops->flops, total = 0, speed = 0;
    if (dtype == ATTEND_F64)
        run = loops->multiply_add_double, flops = loops->flops_double;
    if (dtype == ATTEND_BF16 && loops->flops_bf16 > 0)
        run = loops->multiply_add_bf16, flops = loops->flops_bf16;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(+ : total, speed)
    for (int32_t lane = 0; lane < threads; lane++) {
        double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        total += run(STEPS);
        speed += flops * (double)STEPS / (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start);
    }
    sink = total;
    return speed;
}

static double bytes_by(double (*read)(const char *from, size_t size), int32_t threads, const char *memory,
                       size_t size) {
    size_t part = size / (size_t)threads;
    double total = 0, speed = 0;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(+ : total, speed)
    for (int32_t lane = 0; lane < threads; lane++) {
        double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        total += read(memory + part * (size_t)lane, part);
        speed += (double)part / (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start);
    }
    sink = total;
    return speed;
}

double peak_bytes(int32_t threads, const void *memory, size_t size) {
    const peak_loops *loops = peak_best();
    double in_order = bytes_by(loops->read[0], threads, memory, size);
    double in_streams = bytes_by(loops->read[1], threads, memory, size);
    return in_order > in_streams ? in_order : in_streams;
}
