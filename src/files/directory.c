#include "files/directory.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/size.h"

attend_status at_file_fault(const attend_file *file, attend_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    at_fault(file->ctx, status, at_fault_place("%s", file->label.text), format, arguments);
    va_end(arguments);
    return status;
}

attend_status at_byte_fault(const attend_file *file, attend_status status, size_t byte, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    at_fault(file->ctx, status, at_fault_place("%s: byte %zu", file->label.text, byte), format, arguments);
    va_end(arguments);
    return status;
}

/* The tensor of an npy file has no name, and there is only one. */
attend_status at_tensor_fault(const attend_file *file, attend_status status, const char *name, const char *format,
                              ...) {
    at_place place = name[0] == '\0' ? at_fault_place("%s", file->label.text)
                                     : at_fault_place("%s: tensor \"%s\"", file->label.text, at_fault_name(name).text);
    va_list arguments;
    va_start(arguments, format);
    at_fault(file->ctx, status, place, format, arguments);
    va_end(arguments);
    return status;
}

attend_status at_directory_allocate(attend_file *file, int64_t count, size_t names_size) {
    size_t entries_size = 0;
    size_t sorted_size = 0;
    if (!at_size_mul((size_t)count, sizeof *file->entries, &entries_size) ||
        !at_size_mul((size_t)count, sizeof(at_entry *), &sorted_size))
        return at_file_fault(file, ATTEND_TOO_LARGE, "%lld tensors are too many", (long long)count);
    void *block = NULL;
    if (count == 0)
        return ATTEND_OK;
    AT_TRY(at_memory_allocate(file->ctx, entries_size, "a file's directory", &block));
    memset(block, 0, entries_size);
    file->entries = block;
    file->count = count;
    AT_TRY(at_memory_allocate(file->ctx, sorted_size, "a file's directory", &block));
    file->sorted = block;
    for (int64_t i = 0; i < count; i++)
        file->sorted[i] = &file->entries[i];
    AT_TRY(at_memory_allocate(file->ctx, names_size, "a file's tensor names", &block));
    file->names = block;
    file->names_size = names_size;
    return ATTEND_OK;
}

static void release_copy(attend_file *file, const at_entry *entry) {
    if (entry->copy != NULL)
        at_memory_release(file->ctx, entry->copy, (size_t)entry->count * attend_dtype_size(entry->storage->dtype));
}

void at_directory_release(attend_file *file) {
    for (int64_t i = 0; i < file->count; i++)
        release_copy(file, &file->entries[i]);
    at_memory_release(file->ctx, file->names, file->names_size);
    at_memory_release(file->ctx, file->sorted, (size_t)file->count * sizeof *file->sorted);
    at_memory_release(file->ctx, file->entries, (size_t)file->count * sizeof *file->entries);
}

bool at_shape_count(int32_t rank, const int64_t *shape, int64_t *count) {
    int64_t bytes = 0;
    bool empty = false;
    *count = 1;
    for (int32_t axis = 0; axis < rank; axis++) {
        empty = empty || shape[axis] == 0;
        if (shape[axis] != 0 && !at_i64_mul(*count, shape[axis], count))
            return false;
    }
    if (!at_i64_mul(*count, (int64_t)sizeof(double), &bytes))
        return false;
    if (empty)
        *count = 0;
    return true;
}

attend_status at_entry_measure(const attend_file *file, at_entry *entry, bool fortran_order) {
    if (!at_shape_count(entry->rank, entry->shape, &entry->count))
        return at_file_fault(file, ATTEND_TOO_LARGE, "shape %s of %s is too large",
                             at_fault_shape(entry->rank, entry->shape).text, entry->storage->safetensors);
    entry->bytes = (size_t)entry->count * entry->storage->size;
    int64_t step = 1;
    for (int32_t i = 0; i < entry->rank; i++) {
        int32_t axis = fortran_order ? i : entry->rank - 1 - i;
        entry->stride[axis] = step;
        step *= entry->shape[axis] > 0 ? entry->shape[axis] : 1;
    }
    return ATTEND_OK;
}

bool at_name_is_good(const char *name, at_name_fault *fault) {
    size_t length = strlen(name);
    fault->status = ATTEND_FORMAT;
    fault->text[0] = '\0';
    if (length == 0)
        snprintf(fault->text, sizeof fault->text, "is empty");
    if (length > AT_TENSOR_NAME_MAX) {
        fault->status = ATTEND_UNSUPPORTED;
        snprintf(fault->text, sizeof fault->text, "of %zu bytes (limit %d)", length, AT_TENSOR_NAME_MAX);
    }
    for (size_t at = 0; at < length && fault->text[0] == '\0';) {
        uint32_t code = 0;
        size_t size = at_text_character(name + at, length - at, &code);
        if (size == 0)
            snprintf(fault->text, sizeof fault->text, "is not valid UTF-8");
        else if (at_text_is_control(code))
            snprintf(fault->text, sizeof fault->text, "holds control character U+%04X", (unsigned)code);
        at += size;
    }
    return fault->text[0] == '\0';
}
