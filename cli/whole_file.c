#define _POSIX_C_SOURCE 200809L // fsync
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_bytes(int file, const char *data, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(file, data + done, length - done);
        if (wrote < 0 && errno != EINTR)
            return errno;
        done += wrote < 0 ? 0 : (size_t)wrote;
    }
    return 0;
}

/* Closes the file; error is what was wrong with it before. */
static int end(int file, int error) { return close(file) != 0 && error == 0 ? errno : error; }

static int write_through(const char *path, const char *data, size_t length) {
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file < 0 ? errno : end(file, put_bytes(file, data, length));
}

/* mode: of the file that is replaced; NULL when there is none. */
static int write_new(const char *path, const mode_t *mode, const char *data, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    int error = put_bytes(file, data, length);
    if (error == 0 && ((mode != NULL && fchmod(file, *mode & 07777) != 0) || fsync(file) != 0))
        error = errno;
    return end(file, error);
}

int whole_file_write(const char *path, const char *data, size_t length) {
    struct stat present;
    bool exists = stat(path, &present) == 0;
    if (exists && !S_ISREG(present.st_mode))
        return write_through(path, data, length);
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof beside)
        return ENAMETOOLONG;
    int error = write_new(beside, exists ? &present.st_mode : NULL, data, length);
    if (error == 0 && rename(beside, path) != 0)
        error = errno;
    if (error != 0 && error != EEXIST)
        unlink(beside);
    return error;
}
