/* fetch.h - memory that is needed soon is asked for: a hint, so it need not be there. */
#ifndef AT_FETCH_H
#define AT_FETCH_H

#include <stdint.h>

/* Into the second cache: into the first one, the few buffers for its misses would be the limit. */
static inline void at_fetch(uintptr_t first, int64_t bytes) {
    for (int64_t n = 0; n < bytes; n += 64)
        __builtin_prefetch((const void *)(first + (uintptr_t)n), 0, 2);
}

#endif
