/* select.h - which kernels this processor gets. */
#ifndef AT_SELECT_H
#define AT_SELECT_H

#include "kernel/kernel.h"

#include "attend/attend.h"

enum { AT_ISA_COUNT = ATTEND_ISA_NEON + 1 };

/* The kernels of one instruction set; NULL when this build or this processor does not have it. */
const at_kernels *at_kernels_of(attend_isa isa);

/* Those for doubles, which at_kernels_of means in the files that define AT_DOUBLE. */
const struct at_kernels_f64 *at_kernels_f64_of(attend_isa isa);

/* The instruction set that those for doubles are of: isa itself, or a narrower one. */
attend_isa at_kernels_f64_from(attend_isa isa);

/* Why there are none, in words; NULL when there are. */
const char *at_kernels_refusal(attend_isa isa);

/* The fastest instruction set whose kernels run here. */
attend_isa at_kernels_best(void);

#endif
