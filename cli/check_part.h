/* check_part.h - part of a call as a call of its own: one group, some of its heads, queries and keys.  Everything is a
   view; a part is never packed, and has neither key counts nor offsets in lists. */
#ifndef CHECK_PART_H
#define CHECK_PART_H

#include "groups.h"

typedef struct part {
    int64_t group;
    span heads;   /* all of them, or one */
    span queries; /* from the group's first */
    span keys;    /* from the group's first */
} part;

/* All of a group but the keys that are not really there. */
part part_of_group(const forward_call *whole, int64_t group);
forward_call part_call(const forward_call *whole, const part *wanted);
/* The part's rows in a result of the whole: (B, H, Tq, any) -> (1, heads, queries, any), or without the last axis. */
attend_in part_result(const forward_call *whole, const part *wanted, attend_in result);

/* Positions first to first + count - 1 of one axis. */
attend_in part_slice(attend_in tensor, int32_t axis, span positions);

#endif
