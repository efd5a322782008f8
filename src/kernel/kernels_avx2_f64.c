#define AT_DOUBLE
#include "kernel/kernel.h"

#ifdef AT_HAVE_X86

#include <math.h>
#include <stddef.h>

#include "kernel/vec/vec_avx2_f64.h"

#include "kernel/body/all.inc"

const at_kernels at_kernels_avx2_f64 = AT_KERNELS_TABLE;

#endif
