/* views.h - the stages around attention: from tokens to queries, keys and values, and from heads back to one
   vector per token.  Plain double sums; every tensor has been checked by the caller. */
#ifndef AT_VIEWS_H
#define AT_VIEWS_H

#include "attend/attend.h"

/* tokens (B,T), table (N,C) -> x (B,T,C) */
void at_embed(const attend_in *tokens, const attend_in *table, const attend_out *x);

/* Angle of pair m at a position (Vaswani et al. 2017, section 3.5): position * base^(-2m/width). */
double at_place_angle(double base, int64_t width, int64_t position, int64_t m);
/* x (B,T,C), positions (T) or (B,T) -> y (B,T,C) */
void at_place_add(double base, int64_t width, const attend_in *x, const attend_in *positions, const attend_out *y);
/* x (B,H,T,D), positions (T) or (B,T) -> y (B,H,T,D) */
void at_place_rotate(attend_place_kind kind, double base, int64_t width, const attend_in *x, const attend_in *positions,
                     const attend_out *y);
/* x (B,H,T,D), cosine and sine (T,width/2) or (B,T,width/2) -> y (B,H,T,D) */
void at_rotate(attend_place_kind kind, int64_t width, const attend_in *x, const attend_in *cosine,
               const attend_in *sine, const attend_out *y);

/* x (B,T,C), weight (H,D,C), bias (H,D) or data NULL -> y (B,H,T,D) */
void at_project(const attend_in *x, const attend_in *weight, const attend_in *bias, const attend_out *y);
/* o (B,H,T,E), weight (C,H,E), bias (C) or data NULL -> y (B,T,C) */
void at_merge(const attend_in *o, const attend_in *weight, const attend_in *bias, const attend_out *y);

#endif
