/* select.h - which kernels this processor gets. */
#ifndef AT_SELECT_H
#define AT_SELECT_H

#include "kernel/kernel.h"

/* Instruction sets that have kernels, slowest first. */
typedef enum at_kernel_isa {
    AT_KERNEL_PORTABLE = 1,
    AT_KERNEL_AVX2 = 2,
    AT_KERNEL_AVX512 = 3,
    AT_KERNEL_COUNT
} at_kernel_isa;

/* The kernels of one instruction set; NULL when this build or this processor does not have it. */
const at_kernels *at_kernels_of(int32_t isa);

/* The fastest instruction set whose kernels run here. */
at_kernel_isa at_kernels_best(void);

#endif
