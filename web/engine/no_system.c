/* no_system.c - the module asks the system for nothing: a file descriptor is never good.  The C library would import
   the first three for its standard streams, which nothing writes to. */
#include "base/os.h"

#include <wasi/api.h>

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) {
    (void)fd;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t *position) {
    (void)fd;
    (void)offset;
    (void)whence;
    (void)position;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *written) {
    (void)fd;
    (void)parts;
    (void)count;
    (void)written;
    return __WASI_ERRNO_BADF;
}

void at_os_prefer_large_pages(void *block, size_t size) { // WebAssembly has pages of one size
    (void)block;
    (void)size;
}
