/* must.h - what fuzz targets share.  A property that does not hold aborts: that is how a target reports. */
#ifndef MUST_H
#define MUST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "attend/attend.h"

#define must(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

static inline attend_ctx *new_context(int32_t threads) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.threads = threads;
    must(attend_ctx_create(&config, &ctx) == ATTEND_OK);
    return ctx;
}

/* One for all inputs. */
static inline attend_ctx *the_context(void) {
    static attend_ctx *ctx;
    if (ctx == NULL)
        ctx = new_context(1);
    return ctx;
}

#endif
