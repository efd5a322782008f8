/* float_mode.h - the processor's floating-point mode at the border of the library.

   Another library of the process may have set another rounding or denormals that become 0.  Results must not depend on
   it, so every public function that calculates, and every thread that works for it, begins with AT_STANDARD_FLOATS;
   the caller's mode and exception flags come back when the block that holds the line is left. */
#ifndef AT_FLOAT_MODE_H
#define AT_FLOAT_MODE_H

#include <fenv.h>

/* Round to nearest, keep denormals; returns what was set before. */
static inline fenv_t at_float_enter(void) {
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void at_float_leave(const fenv_t *before) { fesetenv(before); }

#define AT_STANDARD_FLOATS fenv_t caller_floats __attribute__((cleanup(at_float_leave))) = at_float_enter()

#endif
