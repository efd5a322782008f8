#include "kernel/kernel.h"

#include <math.h>
#include <stddef.h>

#include "kernel/vec/vec_portable.h"
#include "kernel/body/all.inc"

const at_kernels at_kernels_portable = AT_KERNELS_TABLE;
