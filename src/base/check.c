#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

attend_status at_fail(attend_ctx *ctx, attend_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    return status;
}

attend_status at_begin(attend_ctx *ctx) {
    if (ctx == NULL)
        return ATTEND_ARGUMENT;
    ctx->message[0] = '\0';
    return ATTEND_OK;
}

/* No struct of any version comes near it: a larger size is one that nobody set, and not to be read through. */
enum { STRUCT_SIZE_MAX = 1 << 16 };

attend_status at_import(attend_ctx *ctx, const char *name, const void *from, void *to, size_t size) {
    uint32_t given = (uint32_t)size;
    memset(to, 0, size);
    if (from != NULL)
        memcpy(&given, from, sizeof given);
    if (given < 2 * sizeof(uint32_t) || given > STRUCT_SIZE_MAX)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s.struct_size is %u: make the struct with its *_init function", name,
                       (unsigned)given);
    for (size_t byte = size; byte < given; byte++)
        if (((const unsigned char *)from)[byte] != 0)
            return at_fail(ctx, ATTEND_NEWER,
                           "%s has an option at byte %zu that this library (%s, %zu bytes) does not know", name, byte,
                           attend_version_text(), size);
    if (from != NULL)
        memcpy(to, from, given < size ? given : size);
    return ATTEND_OK;
}

attend_status at_import_reserved(attend_ctx *ctx, const char *name, uint32_t reserved) {
    if (reserved != 0)
        return at_fail(ctx, ATTEND_NEWER, "%s.reserved is %u: an option that this library (%s) does not know", name,
                       (unsigned)reserved, attend_version_text());
    return ATTEND_OK;
}
