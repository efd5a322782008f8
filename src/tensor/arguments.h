/* arguments.h - the tensors of one call: each is checked as it is taken, and at the end every output is
   compared with everything else.  Whatever passes here can be read and written without further checks. */
#ifndef AT_ARGUMENTS_H
#define AT_ARGUMENTS_H

#include <stdbool.h>

#include "attend/attend.h"
#include "tensor/overlap.h"

enum { AT_ARGUMENTS_MAX = 48 };

/* Types an argument may have, as bits. */
enum { AT_NUMBERS = 1, AT_BYTES = 2, AT_INDICES = 4, AT_CACHED = 8 /* no argument may */ };

/* Size that an axis must have, and what to call it in a message; AT_ANY: any size. */
typedef struct at_axis {
    int64_t size;
    const char *name;
} at_axis;
enum { AT_ANY = -1 };

typedef struct at_argument {
    const char *name;
    attend_in view;
    at_extent extent; /* of view: found once, since in a small call it counts */
    bool written;
} at_argument;

typedef struct at_arguments {
    attend_ctx *ctx;
    int count;
    at_argument list[AT_ARGUMENTS_MAX];
} at_arguments;

void at_arguments_begin(at_arguments *arguments, attend_ctx *ctx);

/* The type alone, of the tensor that the caller calls name. */
attend_status at_argument_type(attend_ctx *ctx, const char *name, int32_t dtype, unsigned kinds);

/* Each takes the tensor that the caller calls name, checks its type, rank, sizes, extent and alignment, and
   stores it with the axes past its rank set to size 1 and stride 0. */
attend_status at_argument_in(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                             int32_t rank, const at_axis *axes, attend_in *view);
attend_status at_argument_out(at_arguments *arguments, const char *name, const attend_out *tensor, unsigned kinds,
                              int32_t rank, const at_axis *axes, attend_out *view);

/* The same for tensors that may be missing (data NULL, or the pointer itself): then the view has data NULL. */
attend_status at_argument_in_if(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                                int32_t rank, const at_axis *axes, attend_in *view);
attend_status at_argument_out_if(at_arguments *arguments, const char *name, const attend_out *tensor, unsigned kinds,
                                 int32_t rank, const at_axis *axes, attend_out *view);

/* An optional input (data NULL: missing) of any rank up to 4, aligned on the right with the four axes; size 1
   repeats. */
attend_status at_argument_broadcast(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                                    const at_axis *axes, attend_in *view);

/* Whether every output is without elements (or there is none): then the call has nothing to do, however large the
   inputs say they are. */
bool at_arguments_write_nothing(const at_arguments *arguments);

/* No output shares memory with any other argument, else ATTEND_ALIAS. */
attend_status at_arguments_apart(const at_arguments *arguments);

#endif
