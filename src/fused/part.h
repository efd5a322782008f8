/* part.h - how the parts of the fast path are declared: for floats each is a file of its own, for doubles doubles.c
   includes them all, and there they are static. */
#ifndef AT_PART_H
#define AT_PART_H

#include "kernel/real.h"

#ifdef AT_DOUBLE
#define AT_PART static
#else
#define AT_PART
#endif

#endif
