#define AT_DOUBLE
#include "kernel/kernel.h"

#include <math.h>
#include <stddef.h>

#include "kernel/vec/vec_portable_f64.h"

#include "kernel/body/all.inc"

const at_kernels at_kernels_portable_f64 = AT_KERNELS_TABLE;
