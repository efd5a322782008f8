/* check.h - failing with a message.  The rule: the function that finds the fault calls at_fail once and
   returns its status; everyone above passes the status on with AT_TRY. */
#ifndef AT_CHECK_H
#define AT_CHECK_H

#include "attend/attend.h"

/* Stores the printf-formatted message in ctx and returns status.  Text past AT_MESSAGE_MAX is cut. */
__attribute__((format(printf, 3, 4))) attend_status at_fail(attend_ctx *ctx, attend_status status, const char *format,
                                                            ...);

/* Empties the message: every public function begins with it. */
attend_status at_begin(attend_ctx *ctx);

/* Hands a failure on to the caller. */
#define AT_TRY(call)                           \
    do {                                       \
        attend_status at_try_status_ = (call); \
        if (at_try_status_ != ATTEND_OK)       \
            return at_try_status_;             \
    } while (0)

/* Copies a caller's struct of any age into ours of size bytes.  Three cases: the same size, an older
   (shorter) caller whose missing tail becomes zero, a newer (longer) caller whose extra tail must be
   zero, else ATTEND_NEWER.  from NULL gives zeros: every option at its default. */
attend_status at_import(attend_ctx *ctx, const char *name, const void *from, void *to, size_t size);

/* Fields that a later version may give a meaning must be 0, else ATTEND_NEWER. */
attend_status at_import_reserved(attend_ctx *ctx, const char *name, uint32_t reserved);

#endif
