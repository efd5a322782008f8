/* float_mode.h - the processor's floating-point mode at the border of the library.

   Another library of the process may have set another rounding or denormals that become 0.  Results must not depend on
   it, so every public function that calculates, and every thread that works for it, begins with AT_STANDARD_FLOATS;
   the caller's mode and exception flags come back when the block that holds the line is left. */
#ifndef AT_FLOAT_MODE_H
#define AT_FLOAT_MODE_H

#ifdef __SSE2_MATH__

/* One register holds all that touches float and double; fenv.h would change the older unit too, for a tenth of the
   time of a small call. */
typedef unsigned int at_float_mode;
static inline at_float_mode at_float_enter(void) {
    enum { STANDARD = 0x1f80 }; /* round to nearest, keep denormals, trap nothing, no flag raised */
    at_float_mode before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(STANDARD);
    return before;
}

static inline void at_float_leave(const at_float_mode *before) { __builtin_ia32_ldmxcsr(*before); }

#else
#include <fenv.h>

typedef fenv_t at_float_mode;
static inline at_float_mode at_float_enter(void) {
    at_float_mode before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void at_float_leave(const at_float_mode *before) { fesetenv(before); }

#endif

#define AT_STANDARD_FLOATS at_float_mode caller_floats __attribute__((cleanup(at_float_leave))) = at_float_enter()

#endif
