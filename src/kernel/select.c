#include "kernel/select.h"

#include <stddef.h>

#ifdef AT_HAVE_X86
/* These ask the operating system too: registers that it does not save do not count. */
static int has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

const at_kernels *at_kernels_of(int32_t isa) {
    if (isa == AT_KERNEL_PORTABLE)
        return &at_kernels_portable;
#ifdef AT_HAVE_X86
    if (isa == AT_KERNEL_AVX2 && has_avx2())
        return &at_kernels_avx2;
    if (isa == AT_KERNEL_AVX512 && has_avx512())
        return &at_kernels_avx512;
#endif
    return NULL;
}

at_kernel_isa at_kernels_best(void) {
    at_kernel_isa isa = AT_KERNEL_AVX512;
    while (at_kernels_of((int32_t)isa) == NULL)
        isa--;
    return isa;
}
