/* The public functions on open files. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "files/directory.h"

/* ---- Opening by content -------------------------------------------------------------------- */

enum { SIGNATURE_MAX = 9 };

static bool is_npy(const unsigned char *start, size_t size) {
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    if (size >= sizeof magic && memcmp(start + 1, magic + 1, sizeof magic - 1) == 0)
        return true; /* whatever the first byte is: at_npy_open says what is wrong with it */
    return memcmp(start, magic, size < sizeof magic ? size : sizeof magic) == 0;
}

/* Safetensors has no signature: either the length of the header fits the file, or a header begins. */
static bool is_safetensors(const unsigned char *start, size_t size) {
    uint64_t length = 0;
    if (size < AT_SAFETENSORS_PREFIX)
        return false;
    memcpy(&length, start, sizeof length);
    return length <= size - AT_SAFETENSORS_PREFIX || (size > AT_SAFETENSORS_PREFIX && start[8] == '{');
}

static attend_status not_ours(const attend_file *file, const unsigned char *start, size_t size) {
    if (size >= 4 && memcmp(start, "PK\x03\x04", 4) == 0)
        return at_byte_fault(file, ATTEND_UNSUPPORTED, 0,
                             "this is a zip archive (npz?): unpack it and give one .npy member");
    if (size < AT_SAFETENSORS_PREFIX)
        return at_file_fault(file, ATTEND_FORMAT, "file of %zu byte%s has no header length (allowed 8 bytes or more)",
                             size, size == 1 ? "" : "s");
    return at_byte_fault(file, ATTEND_FORMAT, 0, "not an npy or safetensors file (found \"%s\")",
                         at_text_printable((const char *)start, AT_SAFETENSORS_PREFIX, AT_PRINTABLE_NAME).text);
}

static attend_status read_directory(attend_file *file) {
    unsigned char start[SIGNATURE_MAX] = {0};
    size_t size = file->source.size;
    if (size == 0)
        return at_byte_fault(file, ATTEND_FORMAT, 0, "not an npy or safetensors file (file is empty)");
    AT_TRY(at_os_copy(file->ctx, &file->source, file->label.text, 0, size < sizeof start ? size : sizeof start, start));
    if (is_npy(start, size))
        return at_npy_open(file);
    if (is_safetensors(start, size))
        return at_safetensors_open(file);
    return not_ours(file, start, size);
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(at_entry *const *)a)->name, (*(at_entry *const *)b)->name);
}

static attend_status fill(attend_file *file) {
    AT_TRY(read_directory(file));
    AT_TRY(at_os_unchanged(file->ctx, &file->source, file->label.text));
    if (file->count > 0)
        qsort(file->sorted, (size_t)file->count, sizeof *file->sorted, by_name);
    return ATTEND_OK;
}

/* source is the new file's from here on. */
static attend_status open_source(attend_ctx *ctx, at_printable label, at_os_file source, attend_file **file) {
    void *block = NULL;
    attend_status status = at_memory_allocate(ctx, sizeof **file, "an open file", &block);
    if (status != ATTEND_OK) {
        at_os_unmap(&source);
        return status;
    }
    attend_file *opened = memset(block, 0, sizeof *opened);
    opened->ctx = ctx;
    opened->label = label;
    opened->source = source;
    status = fill(opened);
    if (status == ATTEND_OK)
        *file = opened;
    else
        attend_file_close(opened);
    return status;
}

attend_status at_file_from_bytes(attend_ctx *ctx, const char *path, const void *bytes, size_t size,
                                 attend_file **file) {
    AT_TRY(at_begin(ctx));
    *file = NULL;
    return open_source(ctx, at_fault_path(path), at_os_memory(bytes, size), file);
}

attend_status attend_file_open(attend_ctx *ctx, const char *path, attend_file **file) {
    at_os_file source;
    AT_TRY(at_begin(ctx));
    if (file == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "file is NULL");
    *file = NULL;
    if (path == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "path is NULL");
    at_printable label = at_fault_path(path);
    AT_TRY(at_os_map(ctx, path, label.text, &source));
    return open_source(ctx, label, source, file);
}

void attend_file_close(attend_file *file) {
    if (file == NULL)
        return;
    at_directory_release(file);
    at_os_unmap(&file->source);
    at_memory_release(file->ctx, file, sizeof *file);
}

/* ---- What is in it ------------------------------------------------------------------------- */

int64_t attend_file_count(const attend_file *file) { return file == NULL ? 0 : file->count; }

const char *attend_file_name(const attend_file *file, int64_t index) {
    return index < 0 || index >= attend_file_count(file) ? NULL : file->entries[index].name;
}

enum { NEAREST_AMONG = 4096 }; /* names that are compared letter by letter when one is missing */

static attend_status missing(const attend_file *file, const char *name) {
    at_nearest nearest = {NULL, 0};
    if (file->count == 0)
        return at_file_fault(file, ATTEND_FORMAT, "tensor \"%s\" missing: the file holds none",
                             at_fault_name(name).text);
    if (file->entries[0].name[0] == '\0')
        return at_file_fault(file, ATTEND_FORMAT, "tensor \"%s\" missing: an npy file holds one tensor, called \"\"",
                             at_fault_name(name).text);
    for (int64_t i = 0; i < file->count && i < NEAREST_AMONG; i++)
        at_text_consider(&nearest, name, file->entries[i].name);
    return at_file_fault(file, ATTEND_FORMAT, "tensor \"%s\" missing (nearest \"%s\")", at_fault_name(name).text,
                         at_fault_name(nearest.best).text);
}

static attend_status find_entry(const attend_file *file, const char *name, at_entry **entry) {
    at_entry wanted = {.name = name};
    at_entry *key = &wanted;
    at_entry **found = NULL;
    if (file->count > 0)
        found = bsearch(&key, file->sorted, (size_t)file->count, sizeof *file->sorted, by_name);
    if (found == NULL)
        return missing(file, name);
    *entry = *found;
    return ATTEND_OK;
}

/* ---- Its numbers --------------------------------------------------------------------------- */

/* The indices of the element that comes index-th in the file. */
static at_shape_text position(const at_entry *entry, int64_t index) {
    int64_t place[ATTEND_RANK_MAX];
    for (int32_t axis = 0; axis < entry->rank; axis++)
        place[axis] = index / entry->stride[axis] % entry->shape[axis];
    return at_fault_shape(entry->rank, place);
}

static attend_status outside_i32(const attend_file *file, const at_entry *entry, int64_t index) {
    const unsigned char *element = file->source.bytes + entry->begin + (size_t)index * entry->storage->size;
    return at_tensor_fault(file, ATTEND_UNSUPPORTED, entry->name,
                           "element %s is %s (allowed -2147483648 to 2147483647)", position(entry, index).text,
                           at_storage_integer(entry->storage, entry->swapped, element).text);
}

static attend_status make_copy(const attend_file *file, at_entry *entry) {
    size_t size = (size_t)entry->count * attend_dtype_size(entry->storage->dtype);
    int64_t count = entry->count;
    void *copy = NULL;
    AT_TRY(at_memory_allocate(file->ctx, size, "a copy of a tensor", &copy));
    if (at_storage_read(entry->storage, entry->swapped, file->source.bytes + entry->begin, copy, &count)) {
        entry->copy = copy;
        return ATTEND_OK;
    }
    at_memory_release(file->ctx, copy, size);
    return outside_i32(file, entry, count);
}

/* Elements that need no conversion and lie as the machine wants them are used where they are. */
static attend_status data_of(const attend_file *file, at_entry *entry, const void **data) {
    static const double nothing = 0; /* an empty tensor is given too, so its data is not NULL */
    const unsigned char *bytes = file->source.bytes + entry->begin;
    bool aligned = (uintptr_t)bytes % entry->storage->size == 0;
    *data = entry->count == 0 ? (const void *)&nothing : bytes;
    if (entry->count == 0 || (aligned && !entry->swapped && entry->storage->reading == AT_AS_IS))
        return ATTEND_OK;
    if (entry->copy == NULL)
        AT_TRY(make_copy(file, entry));
    *data = entry->copy;
    return ATTEND_OK;
}

static attend_status find(const attend_file *file, const char *name, attend_in *tensor) {
    at_entry *entry = NULL;
    AT_TRY(find_entry(file, name, &entry));
    AT_TRY(at_os_unchanged(file->ctx, &file->source, file->label.text));
    AT_TRY(data_of(file, entry, &tensor->data));
    tensor->dtype = (int32_t)entry->storage->dtype;
    tensor->rank = entry->rank;
    memcpy(tensor->shape, entry->shape, sizeof tensor->shape);
    memcpy(tensor->stride, entry->stride, sizeof tensor->stride);
    return ATTEND_OK;
}

attend_status attend_file_find(attend_ctx *ctx, attend_file *file, const char *name, attend_in *tensor) {
    AT_TRY(at_begin(ctx));
    if (file == NULL || name == NULL || tensor == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s is NULL", file == NULL ? "file" : name == NULL ? "name" : "tensor");
    if (file->ctx != ctx)
        return at_fail(ctx, ATTEND_ARGUMENT, "file was opened with another context");
    memset(tensor, 0, sizeof *tensor);
    return find(file, name, tensor);
}
