#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/size.h"

static attend_status fail(attend_ctx *ctx, const char *label, const char *what) {
    return at_fail(ctx, ATTEND_FILE, "%s: cannot %s: %s", label, what, strerror(errno));
}

/* ---- Memory -------------------------------------------------------------------------------- */

void at_os_prefer_large_pages(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
    (void)madvise(block, size, MADV_HUGEPAGE); /* a system that cannot is only slower */
#else
    (void)block, (void)size;
#endif
}

/* ---- Reading ------------------------------------------------------------------------------- */

static const char *kind(mode_t mode) {
    if (S_ISDIR(mode))
        return "a folder";
    return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static attend_status map_descriptor(attend_ctx *ctx, const char *label, at_os_file *file) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0)
        return fail(ctx, label, "read");
    if (!S_ISREG(status.st_mode))
        return at_fail(ctx, ATTEND_FILE, "%s: is %s, its size is unknown: use a regular file", label,
                       kind(status.st_mode));
    if (status.st_size > PTRDIFF_MAX)
        return at_fail(ctx, ATTEND_TOO_LARGE, "%s: %jd bytes are too large", label, (intmax_t)status.st_size);
    file->size = (size_t)status.st_size;
    file->modified[0] = status.st_mtim.tv_sec;
    file->modified[1] = status.st_mtim.tv_nsec;
    if (file->size == 0) /* nothing to map, and mmap refuses */
        return ATTEND_OK;
    void *bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (bytes == MAP_FAILED)
        return fail(ctx, label, "map");
    file->bytes = bytes;
    return ATTEND_OK;
}

attend_status at_os_map(attend_ctx *ctx, const char *path, const char *label, at_os_file *file) {
    *file = at_os_memory(NULL, 0);
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not wait */
    if (file->descriptor < 0)
        return fail(ctx, label, "open");
    attend_status status = map_descriptor(ctx, label, file);
    if (status != ATTEND_OK)
        at_os_unmap(file);
    return status;
}

at_os_file at_os_memory(const void *bytes, size_t size) {
    at_os_file file = {.descriptor = -1, .bytes = bytes, .size = size};
    return file;
}

void at_os_unmap(at_os_file *file) {
    if (file->descriptor < 0)
        return;
    if (file->bytes != NULL)
        munmap((void *)(uintptr_t)file->bytes, file->size);
    close(file->descriptor);
    *file = at_os_memory(NULL, 0);
}

/* Bytes read, fewer than size only at the end of the file; -1 on an error. */
static ssize_t read_fully(int descriptor, unsigned char *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(descriptor, buffer + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -1;
        if (count == 0)
            break;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

attend_status at_os_copy(attend_ctx *ctx, const at_os_file *file, const char *label, size_t offset, size_t size,
                         void *buffer) {
    if (file->descriptor < 0) {
        memcpy(buffer, file->bytes + offset, size);
        return ATTEND_OK;
    }
    if (lseek(file->descriptor, (off_t)offset, SEEK_SET) < 0)
        return fail(ctx, label, "read");
    ssize_t count = read_fully(file->descriptor, buffer, size);
    if (count < 0)
        return fail(ctx, label, "read");
    if ((size_t)count < size)
        return at_fail(ctx, ATTEND_FILE, "%s: file changed while being read: it ends at byte %zu, was %zu bytes", label,
                       offset + (size_t)count, file->size);
    return ATTEND_OK;
}

attend_status at_os_unchanged(attend_ctx *ctx, const at_os_file *file, const char *label) {
    struct stat status;
    if (file->descriptor < 0)
        return ATTEND_OK;
    if (fstat(file->descriptor, &status) != 0)
        return fail(ctx, label, "read");
    if ((size_t)status.st_size != file->size)
        return at_fail(ctx, ATTEND_FILE, "%s: file changed while being read: %jd bytes, was %zu", label,
                       (intmax_t)status.st_size, file->size);
    if (status.st_mtim.tv_sec != file->modified[0] || status.st_mtim.tv_nsec != file->modified[1])
        return at_fail(ctx, ATTEND_FILE, "%s: file changed while being read: it was written to", label);
    return ATTEND_OK;
}

enum { FIRST_READ = 1 << 16 };

/* Twice the room, the old bytes kept. */
static attend_status grow(attend_ctx *ctx, void **block, size_t *capacity) {
    size_t wanted = *capacity == 0 ? FIRST_READ : *capacity * 2;
    void *larger = NULL;
    AT_TRY(at_memory_allocate(ctx, wanted, "a file's text", &larger));
    if (*capacity > 0)
        memcpy(larger, *block, *capacity);
    at_memory_release(ctx, *block, *capacity);
    *block = larger;
    *capacity = wanted;
    return ATTEND_OK;
}

/* One byte past the limit is asked for, so that "exactly the limit" and "more" differ. */
static attend_status read_descriptor(attend_ctx *ctx, int descriptor, const char *label, size_t limit, void **block,
                                     size_t *capacity, size_t *size) {
    do {
        AT_TRY(grow(ctx, block, capacity));
        ssize_t count = read_fully(descriptor, (unsigned char *)*block + *size, *capacity - *size);
        if (count < 0)
            return fail(ctx, label, "read");
        *size += (size_t)count;
        if (*size > limit)
            return at_fail(ctx, ATTEND_UNSUPPORTED, "%s: longer than %zu bytes (limit)", label, limit);
    } while (*size == *capacity);
    return ATTEND_OK;
}

attend_status at_os_read_all(attend_ctx *ctx, const char *path, const char *label, size_t limit, void **block,
                             size_t *capacity, size_t *size) {
    bool standard_input = strcmp(path, "-") == 0;
    int descriptor = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    *block = NULL;
    *capacity = *size = 0;
    if (descriptor < 0)
        return fail(ctx, label, "open");
    attend_status status = read_descriptor(ctx, descriptor, label, limit, block, capacity, size);
    if (!standard_input)
        close(descriptor);
    if (status == ATTEND_OK)
        return ATTEND_OK;
    at_memory_release(ctx, *block, *capacity);
    *block = NULL;
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* A link is followed, so that its target is replaced and not the link: /dev/stdout is one. */
static attend_status resolve(attend_ctx *ctx, const char *path, at_os_writer *writer, bool exists) {
    char resolved[PATH_MAX];
    const char *target = exists ? realpath(path, resolved) : path;
    size_t length = target == NULL ? 0 : strlen(target);
    if (length >= sizeof writer->target)
        errno = ENAMETOOLONG;
    if (target == NULL || length >= sizeof writer->target)
        return fail(ctx, writer->label, "write");
    memcpy(writer->target, target, length + 1);
    return ATTEND_OK;
}

/* The folder that holds the target, in buffer. */
static const char *folder_of(const at_os_writer *writer, char *buffer) {
    const char *slash = strrchr(writer->target, '/');
    if (slash == NULL)
        return ".";
    size_t length = slash == writer->target ? 1 : (size_t)(slash - writer->target);
    memcpy(buffer, writer->target, length);
    buffer[length] = '\0';
    return buffer;
}

/* A new file beside the target with the mode that the target has, or that the umask gives. */
static attend_status create_beside(attend_ctx *ctx, at_os_writer *writer, const struct stat *replaced) {
    char buffer[AT_OS_PATH_MAX];
    const char *folder = folder_of(writer, buffer);
    for (int attempt = 0; attempt < 1000; attempt++) {
        int length =
            snprintf(writer->temporary, sizeof writer->temporary, "%s/.attend-%ld-%d", folder, (long)getpid(), attempt);
        if (length >= (int)sizeof writer->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        writer->descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->descriptor >= 0) {
            if (replaced != NULL)
                fchmod(writer->descriptor, replaced->st_mode & 07777);
            return ATTEND_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return fail(ctx, writer->label, "write");
}

attend_status at_os_create(attend_ctx *ctx, const char *path, const char *label, at_os_writer *writer) {
    struct stat status;
    bool exists = stat(path, &status) == 0;
    memset(writer, 0, sizeof *writer);
    writer->label = label;
    if (exists && S_ISDIR(status.st_mode))
        return at_fail(ctx, ATTEND_FILE, "%s: cannot write: is a folder", label);
    if (exists && !S_ISREG(status.st_mode)) {
        writer->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return writer->descriptor < 0 ? fail(ctx, label, "write") : ATTEND_OK;
    }
    AT_TRY(resolve(ctx, path, writer, exists));
    return create_beside(ctx, writer, exists ? &status : NULL);
}

attend_status at_os_write(attend_ctx *ctx, at_os_writer *writer, const void *bytes, size_t size) {
    const unsigned char *rest = bytes;
    while (size > 0) {
        ssize_t count = write(writer->descriptor, rest, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(ctx, writer->label, "write");
        rest += count;
        size -= (size_t)count;
    }
    return ATTEND_OK;
}

/* The new name must survive a crash too.  Not every file system can flush a folder; that is no reason to fail
   a write that has happened. */
static void flush_folder(const at_os_writer *writer) {
    char buffer[AT_OS_PATH_MAX];
    int descriptor = open(folder_of(writer, buffer), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

static int close_writer(at_os_writer *writer) {
    int result = close(writer->descriptor);
    writer->descriptor = -1;
    return result;
}

attend_status at_os_commit(attend_ctx *ctx, at_os_writer *writer) {
    bool direct = writer->temporary[0] == '\0';
    bool good = direct || fsync(writer->descriptor) == 0;
    good = close_writer(writer) == 0 && good;
    good = good && (direct || rename(writer->temporary, writer->target) == 0);
    if (!good) {
        attend_status status = fail(ctx, writer->label, "write");
        at_os_discard(writer);
        return status;
    }
    if (!direct)
        flush_folder(writer);
    return ATTEND_OK;
}

void at_os_discard(at_os_writer *writer) {
    if (writer->descriptor >= 0)
        close_writer(writer);
    if (writer->temporary[0] != '\0')
        unlink(writer->temporary);
}
