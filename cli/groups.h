/* groups.h - the batch rows of a call, or the sequences of a packed batch: in each of them queries see only the keys
   of the same group, and positions are counted from its start. */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>

#include "inputs.h"

/* A run of positions on the axis of queries or keys. */
typedef struct span {
    int64_t first;
    int64_t count;
} span;

/* Can the lists of starts and counts be read?  If not, the library says what is wrong with them.  The functions below
   ask for it. */
bool groups_are_readable(const forward_call *call);
int64_t groups_count(const forward_call *call);
span groups_queries(const forward_call *call, int64_t group);
/* The keys that are really there. */
span groups_keys(const forward_call *call, int64_t group);
/* Where the group's first query stands, counted from its first key. */
int64_t groups_offset(const forward_call *call, int64_t group);

#endif
