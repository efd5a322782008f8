#include "kernel/kernel.h"

#ifdef AT_HAVE_NEON

#include <math.h>
#include <stddef.h>

#include "kernel/vec/vec_neon.h"

#include "kernel/body/all.inc"

const at_kernels at_kernels_neon = AT_KERNELS_TABLE;

#endif
