/* os.h - files as the operating system gives them.  Whatever differs between systems is behind this header;
   label is the path as messages print it (text.h). */
#ifndef AT_OS_H
#define AT_OS_H

#include "attend/attend.h"

/* ---- Memory -------------------------------------------------------------------------------- */

/* Advice: where the system has larger pages than usual, these bytes, which begin and end on one, profit from them. */
void at_os_prefer_large_pages(void *block, size_t size);

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct at_os_file {
    int descriptor;             /* -1: the bytes are memory that somebody else owns */
    const unsigned char *bytes; /* (size), read-only */
    size_t size;
    int64_t modified[2]; /* seconds and nanoseconds, to notice a change */
} at_os_file;

/* Maps a whole file.  Folders, devices and pipes have no size to check against: ATTEND_FILE. */
attend_status at_os_map(attend_ctx *ctx, const char *path, const char *label, at_os_file *file);
/* Memory that reads like a mapped file. */
at_os_file at_os_memory(const void *bytes, size_t size);
void at_os_unmap(at_os_file *file);

/* Copies size bytes from offset on, by reading and not through the map: a file cut short meanwhile is then
   an error and not a signal. */
attend_status at_os_copy(attend_ctx *ctx, const at_os_file *file, const char *label, size_t offset, size_t size,
                         void *buffer);
/* ATTEND_FILE when the file was written to since it was mapped. */
attend_status at_os_unchanged(attend_ctx *ctx, const at_os_file *file, const char *label);

/* All bytes of a file, a pipe, or standard input (path "-"): at most limit, else ATTEND_UNSUPPORTED. *block has
   room for capacity bytes and is the caller's to release, *size of them are filled. */
attend_status at_os_read_all(attend_ctx *ctx, const char *path, const char *label, size_t limit, void **block,
                             size_t *capacity, size_t *size);

/* ---- Writing ------------------------------------------------------------------------------- */

enum { AT_OS_PATH_MAX = 4096 };

/* A file that appears whole or not at all: its bytes go to another name in the same folder, and commit renames
   it.  A device or a pipe cannot be renamed onto and is written directly. */
typedef struct at_os_writer {
    int descriptor;
    const char *label;
    char target[AT_OS_PATH_MAX];
    char temporary[AT_OS_PATH_MAX]; /* "" when the target is written directly */
} at_os_writer;

attend_status at_os_create(attend_ctx *ctx, const char *path, const char *label, at_os_writer *writer);
attend_status at_os_write(attend_ctx *ctx, at_os_writer *writer, const void *bytes, size_t size);
/* Exactly one of these two ends a writer that at_os_create made. */
attend_status at_os_commit(attend_ctx *ctx, at_os_writer *writer);
void at_os_discard(at_os_writer *writer);

#endif
