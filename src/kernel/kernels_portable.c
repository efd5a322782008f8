#include "kernel/kernel.h"

#include <math.h>
#include <stddef.h>

#ifdef __wasm_relaxed_simd__ /* a module is compiled for one instruction set; another one is another module */
#include "kernel/vec/vec_wasm.h"
#else
#include "kernel/vec/vec_portable.h"
#endif

#include "kernel/body/all.inc"

const at_kernels at_kernels_portable = AT_KERNELS_TABLE;
