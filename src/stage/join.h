/* join.h - two results over disjoint keys, joined by their log-sum-exp. */
#ifndef AT_JOIN_H
#define AT_JOIN_H

#include "attend/attend.h"

/* o_a, o_b, o (B,H,Tq,E), lse_a, lse_b, lse (B,H,Tq); lse may have data NULL */
void at_join(const attend_in *o_a, const attend_in *lse_a, const attend_in *o_b, const attend_in *lse_b,
             const attend_out *o, const attend_out *lse);

#endif
