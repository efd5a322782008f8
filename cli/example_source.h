/* example_source.h - where a worked example comes from: built in by name, a file, or standard input. */
#ifndef EXAMPLE_SOURCE_H
#define EXAMPLE_SOURCE_H

#include "attend/files.h"

/* Opens the built-in example called name or, when name is NULL, the file at path ("-": standard input).
   Returns the exit status: 0, or 1 or 2 after saying on stderr what is wrong; then *example is NULL. */
int example_load(attend_ctx *ctx, const char *name, const char *path, attend_example **example);

/* What worked_make, or a call on what it made, returned, said on stderr: 2 when there are too many numbers, else 1. */
int example_failure(const attend_ctx *ctx, attend_status status);

#endif
