/* align.h - where the queries stand among the keys.  With as many queries as keys query 0 stands at key 0.  Otherwise
   there are two habits, first on first and last on last, and their results differ: so the caller has to choose. */
#ifndef ALIGN_H
#define ALIGN_H

#include "inputs.h"

/* Sets query_offset, or query_offsets where batch rows or packed sequences differ.  CLI_DONE, or another status after
   a message. */
int align_queries(const request *wish, inputs *given);

#endif
