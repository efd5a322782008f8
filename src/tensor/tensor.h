/* tensor.h - reading and writing strided tensors one element or one row at a time, as doubles.
   A tensor in here has been through arguments.h: its axes past rank have size 1 and stride 0, so that
   four indices always do. */
#ifndef AT_TENSOR_H
#define AT_TENSOR_H

#include <stdbool.h>

#include "attend/attend.h"

/* One more type, for inputs alone: data is a struct at_pages (pages.h), which says where the rows lie; strides are 0. */
enum { AT_PAGED = 64 };

/* Element [a,b,c,d] as a double (exact for every type), and writing it (rounded once). */
double at_get(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t d);
void at_set(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t d, double value);

/* The last axis of a rank-4 tensor at [a,b,c,:], to and from shape[3] doubles. */
void at_get_row(const attend_in *tensor, int64_t a, int64_t b, int64_t c, double *row);
void at_set_row(const attend_out *tensor, int64_t a, int64_t b, int64_t c, const double *row);

/* Elements [a,b,c,first] and the count-1 after it. */
void at_set_part(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t first, int64_t count,
                 const double *part);

/* Elements [a,b,c,first] and the count-1 after it: flags[n] becomes 0 where element n equals value.  The tensor
   holds bytes or floats; in a 16-bit float, value has one pattern of bits: it is not 0. */
void at_clear_where(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t first, int64_t count,
                    double value, uint8_t *flags);

/* Whether an optional tensor was given. */
static inline bool at_given_in(const attend_in *tensor) { return tensor->data != NULL; }
static inline bool at_given_out(const attend_out *tensor) { return tensor->data != NULL; }

#endif
