/* fault.h - messages about a file: "LABEL: byte N: what", "LABEL: line N: what", or "LABEL: what". */
#ifndef AT_FAULT_H
#define AT_FAULT_H

#include <stdarg.h>

#include "attend/attend.h"
#include "base/text.h"

/* Label and place, which every message begins with. */
typedef struct at_place {
    char text[2 * AT_PRINTABLE_PATH];
} at_place;
__attribute__((format(printf, 1, 2))) at_place at_fault_place(const char *format, ...);

/* at_fail with "place: " in front; takes the va_list of the reader's own printf-like function. */
__attribute__((format(printf, 4, 0))) attend_status at_fault(attend_ctx *ctx, attend_status status, at_place place,
                                                             const char *format, va_list arguments);

/* A name from a file, as messages print it. */
at_printable at_fault_name(const char *name);
/* A path, as messages print it. */
at_printable at_fault_path(const char *path);

/* A shape as messages print it: "[2, 3]". */
typedef struct at_shape_text {
    char text[96];
} at_shape_text;
at_shape_text at_fault_shape(int32_t rank, const int64_t *shape);

#endif
