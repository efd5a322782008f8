/* layout.h - the order of a tensor's axes, as letters: B batch, H heads, T tokens, D width.
   Views only: nothing is copied. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "attend/attend.h"

/* "BHTD", "BTHD", "HTD", "THD", "TD"; D is the last of each. */
enum { LAYOUTS = 5 };
extern const char *const layout_names[LAYOUTS];

/* The layout of a tensor of this rank when none is named; NULL when there is none. */
const char *layout_of_rank(int32_t rank);
/* The tensor as [B,H,T,D]: an axis that the layout does not have has size 1.  Ranks must agree. */
attend_in layout_view(const char *layout, const attend_in *stored);
/* An output of the sizes B, H, T and, for rank 4, D: *stored as the file has it, dense and in layout's order, and
   *view of the same data in the order [B,H,T] or [B,H,T,D].  The data is still NULL. */
void layout_output(const char *layout, attend_dtype dtype, int32_t rank, const int64_t *sizes, attend_out *stored,
                   attend_out *view);

#endif
