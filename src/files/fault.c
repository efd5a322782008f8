#include "files/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/context.h"

at_place at_fault_place(const char *format, ...) {
    at_place place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place.text, sizeof place.text, format, arguments);
    va_end(arguments);
    return place;
}

attend_status at_fault(attend_ctx *ctx, attend_status status, at_place place, const char *format, va_list arguments) {
    char what[AT_MESSAGE_MAX];
    vsnprintf(what, sizeof what, format, arguments);
    return at_fail(ctx, status, "%s: %s", place.text, what);
}

at_printable at_fault_name(const char *name) { return at_text_printable(name, strlen(name), AT_PRINTABLE_NAME); }
at_printable at_fault_path(const char *path) { return at_text_printable(path, strlen(path), AT_PRINTABLE_PATH); }

at_shape_text at_fault_shape(int32_t rank, const int64_t *shape) {
    at_shape_text list = {"["};
    size_t used = 1;
    for (int32_t axis = 0; axis < rank; axis++)
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, axis > 0 ? ", %" PRId64 : "%" PRId64,
                                 shape[axis]);
    snprintf(list.text + used, sizeof list.text - used, "]");
    return list;
}
