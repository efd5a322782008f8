/* whole_file.h - a file that is there completely or not at all. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stddef.h>

/* Written beside path under another name, flushed, and renamed.  Returns 0, or what errno said. */
int whole_file_write(const char *path, const char *data, size_t length);

#endif
