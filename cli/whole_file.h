/* whole_file.h - a file that is there completely or not at all. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stddef.h>

/* Written beside path under another name, flushed, and renamed.  An existing file is replaced and its mode kept; a pipe
   or a device is written to.  Returns 0, or what errno said. */
int whole_file_write(const char *path, const char *data, size_t length);

#endif
