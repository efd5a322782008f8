#define _POSIX_C_SOURCE 200809L // fsync
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int put_bytes(int file, const char *data, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(file, data + done, length - done);
        if (wrote < 0 && errno != EINTR)
            return -1;
        done += wrote < 0 ? 0 : (size_t)wrote;
    }
    return fsync(file);
}

int whole_file_write(const char *path, const char *data, size_t length) {
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof beside)
        return ENAMETOOLONG;
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    int error = put_bytes(file, data, length) != 0 ? errno : 0;
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(beside, path) != 0)
        error = errno;
    if (error != 0)
        unlink(beside);
    return error;
}
