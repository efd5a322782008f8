#define AT_DOUBLE
#include "kernel/kernel.h"

#ifdef AT_HAVE_NEON

#include <math.h>
#include <stddef.h>

#include "kernel/vec/vec_neon_f64.h"

#include "kernel/body/all.inc"

const at_kernels at_kernels_neon_f64 = AT_KERNELS_TABLE;

#endif
