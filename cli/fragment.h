/* fragment.h - the page's address as an example: "#tokens=it,was&q=2,0;0,1&...", the grammar of docs/fragment.md. */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include "attend/files.h"

/* Whether an argument is a fragment and not a file: it begins with "#". */
int fragment_is(const char *argument);

/* Opens what a fragment says; *query is the row that it selects, -1 when it does not.  Returns the exit status: 0, or 1
   or 2 after saying on stderr what is wrong; then *example is NULL. */
int fragment_open(attend_ctx *ctx, const char *text, attend_example **example, int64_t *query);

#endif
