/* Reading .safetensors: the length of a header (8 bytes), the header (JSON: name -> dtype, shape, data_offsets),
   the numbers.  Every byte of the numbers belongs to exactly one tensor. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "files/directory.h"
#include "files/json_text.h"

typedef struct json_header {
    attend_file *file;
    char *text; /* (length) */
    size_t length;
    json_t *root; /* name -> tensor */
} json_header;

/* ---- The header as JSON -------------------------------------------------------------------- */

static attend_status read_length(const attend_file *file, size_t *length) {
    unsigned char prefix[AT_SAFETENSORS_PREFIX];
    uint64_t announced = 0;
    AT_TRY(at_os_copy(file->ctx, &file->source, file->label.text, 0, sizeof prefix, prefix));
    memcpy(&announced, prefix, sizeof announced); /* little-endian, as we are (storage.c) */
    size_t left = file->source.size - sizeof prefix;
    if (announced > AT_SAFETENSORS_HEADER_MAX)
        return at_byte_fault(file, ATTEND_UNSUPPORTED, 0, "header of %" PRIu64 " bytes (limit %d)", announced,
                             AT_SAFETENSORS_HEADER_MAX);
    if (announced > left)
        return at_byte_fault(file, ATTEND_FORMAT, 0, "header of %" PRIu64 " bytes ends past the file (%zu left)",
                             announced, left);
    if (announced == 0)
        return at_byte_fault(file, ATTEND_FORMAT, AT_SAFETENSORS_PREFIX, "header is empty");
    *length = (size_t)announced;
    return ATTEND_OK;
}

/* jansson leaves its message empty only when memory ran out. */
static attend_status json_fault(const attend_file *file, const json_error_t *error) {
    if (json_error_code(error) == json_error_out_of_memory || error->text[0] == '\0')
        return at_file_fault(file, ATTEND_MEMORY, "no memory for the header");
    return at_byte_fault(file, ATTEND_FORMAT, AT_SAFETENSORS_PREFIX + (size_t)error->position, "JSON: %s",
                         at_text_printable(error->text, strlen(error->text), AT_PRINTABLE_PATH).text);
}

static attend_status parse(json_header *header) {
    size_t offset = 0;
    json_error_t error;
    memset(&error, 0, sizeof error);
    if (header->text[0] != '{')
        return at_byte_fault(header->file, ATTEND_FORMAT, AT_SAFETENSORS_PREFIX,
                             "header must start with \"{\" (found \"%s\")",
                             at_text_printable(header->text, 1, AT_PRINTABLE_NAME).text);
    if (at_json_too_deep(header->text, header->length, &offset))
        return at_byte_fault(header->file, ATTEND_UNSUPPORTED, AT_SAFETENSORS_PREFIX + offset,
                             "JSON deeper than %d (limit)", AT_JSON_DEPTH_MAX);
    header->root = json_loadb(header->text, header->length, JSON_REJECT_DUPLICATES, &error);
    return header->root == NULL ? json_fault(header->file, &error) : ATTEND_OK;
}

/* ---- One tensor ---------------------------------------------------------------------------- */

/* Types that the format knows and attention does not take. */
static bool is_known_type(const char *name) {
    static const char *const known[] = {"F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0", "C64"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}

static attend_status read_type(const attend_file *file, at_entry *entry, const json_t *value) {
    if (!json_is_string(value))
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "dtype must be a string (found %s)",
                               at_json_found(value).text);
    const char *type = json_string_value(value);
    entry->storage = at_storage_from_safetensors(type);
    if (entry->storage != NULL)
        return ATTEND_OK;
    if (is_known_type(type))
        return at_tensor_fault(file, ATTEND_UNSUPPORTED, entry->name, "dtype %s is valid but not supported", type);
    return at_tensor_fault(file, ATTEND_FORMAT, entry->name,
                           "dtype \"%s\" unknown (known: F64 F32 F16 BF16 BOOL U8 I8 I16 U16 I32 U32 I64 U64)",
                           at_fault_name(type).text);
}

static attend_status read_whole(const attend_file *file, const at_entry *entry, const char *key, size_t index,
                                const json_t *value, int64_t *number) {
    *number = json_integer_value(value);
    if (json_is_integer(value) && *number >= 0)
        return ATTEND_OK;
    return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "%s[%zu] must be a whole number from 0 (found %s)", key,
                           index, at_json_found(value).text);
}

static attend_status read_shape(const attend_file *file, at_entry *entry, const json_t *value) {
    if (!json_is_array(value))
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "shape must be an array (found %s)",
                               at_json_found(value).text);
    if (json_array_size(value) > ATTEND_RANK_MAX)
        return at_tensor_fault(file, ATTEND_UNSUPPORTED, entry->name, "rank %zu (limit %d)", json_array_size(value),
                               (int)ATTEND_RANK_MAX);
    entry->rank = (int32_t)json_array_size(value);
    for (size_t axis = 0; axis < json_array_size(value); axis++)
        AT_TRY(read_whole(file, entry, "shape", axis, json_array_get(value, axis), &entry->shape[axis]));
    return ATTEND_OK;
}

/* The range, counted from the end of the header, goes to begin and bytes as it stands. */
static attend_status read_range(const attend_file *file, at_entry *entry, const json_t *value) {
    int64_t range[2] = {0, 0};
    if (!json_is_array(value))
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "data_offsets must be two numbers (found %s)",
                               at_json_found(value).text);
    if (json_array_size(value) != 2)
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "data_offsets must be two numbers (found %zu)",
                               json_array_size(value));
    for (size_t i = 0; i < 2; i++)
        AT_TRY(read_whole(file, entry, "data_offsets", i, json_array_get(value, i), &range[i]));
    if (range[0] > range[1])
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name,
                               "data_offsets [%" PRId64 ", %" PRId64 "] run backwards", range[0], range[1]);
    entry->begin = (size_t)range[0];
    entry->bytes = (size_t)(range[1] - range[0]);
    return ATTEND_OK;
}

typedef struct key_reader {
    const char *name;
    attend_status (*read)(const attend_file *file, at_entry *entry, const json_t *value);
} key_reader;

enum { KEYS = 3 };
static const key_reader keys[KEYS] = {{"dtype", read_type}, {"shape", read_shape}, {"data_offsets", read_range}};

/* All three keys are there; so any other makes the count wrong. */
static attend_status no_other_keys(const attend_file *file, const at_entry *entry, json_t *fields) {
    const char *key = NULL;
    json_t *value = NULL;
    if (json_object_size(fields) == KEYS)
        return ATTEND_OK;
    json_object_foreach (fields, key, value) {
        int known = 0;
        while (known < KEYS && strcmp(key, keys[known].name) != 0)
            known++;
        if (known == KEYS)
            break;
    }
    return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "unknown key \"%s\"", at_fault_name(key).text);
}

static attend_status read_fields(const attend_file *file, at_entry *entry, json_t *fields) {
    if (!json_is_object(fields))
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "must be an object (found %s)",
                               at_json_found(fields).text);
    for (int key = 0; key < KEYS; key++) {
        const json_t *value = json_object_get(fields, keys[key].name);
        if (value == NULL)
            return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "key \"%s\" missing", keys[key].name);
        AT_TRY(keys[key].read(file, entry, value));
    }
    return no_other_keys(file, entry, fields);
}

/* The range must lie in the data and be as long as the shape says. */
static attend_status check_range(const attend_file *file, at_entry *entry, size_t data_begin) {
    size_t data_size = file->source.size - data_begin;
    size_t given = entry->bytes;
    AT_TRY(at_entry_measure(file, entry, false));
    if (entry->begin > data_size || given > data_size - entry->begin)
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "ends at %zu, data is %zu bytes", entry->begin + given,
                               data_size);
    if (given != entry->bytes)
        return at_tensor_fault(file, ATTEND_FORMAT, entry->name, "%zu bytes, shape %s of %s needs %zu", given,
                               at_fault_shape(entry->rank, entry->shape).text, entry->storage->safetensors,
                               entry->bytes);
    entry->begin += data_begin;
    return ATTEND_OK;
}

/* ---- All tensors --------------------------------------------------------------------------- */

static attend_status check_metadata(const attend_file *file, json_t *metadata) {
    const char *key = NULL;
    json_t *value = NULL;
    if (metadata == NULL)
        return ATTEND_OK;
    if (!json_is_object(metadata))
        return at_file_fault(file, ATTEND_FORMAT, AT_SAFETENSORS_METADATA " must be an object (found %s)",
                             at_json_found(metadata).text);
    json_object_foreach (metadata, key, value)
        if (!json_is_string(value))
            return at_file_fault(file, ATTEND_FORMAT, AT_SAFETENSORS_METADATA ".\"%s\" must be a string (found %s)",
                                 at_fault_name(key).text, at_json_found(value).text);
    return ATTEND_OK;
}

static attend_status check_name(const attend_file *file, const char *name) {
    at_name_fault fault;
    if (at_name_is_good(name, &fault))
        return ATTEND_OK;
    return at_file_fault(file, fault.status, "tensor name \"%s\" %s", at_fault_name(name).text, fault.text);
}

/* Counts what at_directory_allocate needs. */
static attend_status count_names(const json_header *header, int64_t *count, size_t *names_size) {
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach (header->root, name, value) {
        if (strcmp(name, AT_SAFETENSORS_METADATA) == 0)
            continue;
        AT_TRY(check_name(header->file, name));
        *names_size += strlen(name) + 1;
        ++*count;
    }
    return ATTEND_OK;
}

static attend_status read_entries(const json_header *header) {
    attend_file *file = header->file;
    at_entry *entry = file->entries;
    char *names = file->names;
    const char *name = NULL;
    json_t *fields = NULL;
    json_object_foreach (header->root, name, fields) {
        if (strcmp(name, AT_SAFETENSORS_METADATA) == 0)
            continue;
        size_t size = strlen(name) + 1;
        entry->name = memcpy(names, name, size);
        names += size;
        AT_TRY(read_fields(file, entry, fields));
        AT_TRY(check_range(file, entry, AT_SAFETENSORS_PREFIX + header->length));
        entry++;
    }
    return ATTEND_OK;
}

static int by_begin(const void *a, const void *b) {
    const at_entry *first = *(at_entry *const *)a;
    const at_entry *second = *(at_entry *const *)b;
    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

/* Bytes that belong to no tensor could hold a second file, to be found by another reader. */
static attend_status no_hole(const attend_file *file, size_t data_begin, size_t begin, size_t end) {
    if (begin >= end)
        return ATTEND_OK;
    return at_byte_fault(file, ATTEND_FORMAT, begin, "data bytes %zu to %zu belong to no tensor", begin - data_begin,
                         end - data_begin - 1);
}

/* In the order of their first bytes each tensor must begin where the one before it ends. */
static attend_status check_cover(const attend_file *file, size_t data_begin) {
    size_t covered = data_begin;
    const at_entry *last = NULL;
    if (file->count > 0)
        qsort(file->sorted, (size_t)file->count, sizeof(at_entry *), by_begin);
    for (int64_t i = 0; i < file->count; i++) {
        const at_entry *entry = file->sorted[i];
        if (last != NULL && entry->begin < covered)
            return at_byte_fault(file, ATTEND_FORMAT, entry->begin,
                                 "tensors \"%s\" and \"%s\" overlap at data byte %zu", at_fault_name(last->name).text,
                                 at_fault_name(entry->name).text, entry->begin - data_begin);
        AT_TRY(no_hole(file, data_begin, covered, entry->begin));
        covered = entry->begin + entry->bytes;
        last = entry;
    }
    return no_hole(file, data_begin, covered, file->source.size);
}

static attend_status read_directory(const json_header *header) {
    attend_file *file = header->file;
    int64_t count = 0;
    size_t names_size = 0;
    AT_TRY(check_metadata(file, json_object_get(header->root, AT_SAFETENSORS_METADATA)));
    AT_TRY(count_names(header, &count, &names_size));
    AT_TRY(at_directory_allocate(file, count, names_size));
    AT_TRY(read_entries(header));
    return check_cover(file, AT_SAFETENSORS_PREFIX + header->length);
}

static attend_status read_header(json_header *header) {
    AT_TRY(at_os_copy(header->file->ctx, &header->file->source, header->file->label.text, AT_SAFETENSORS_PREFIX,
                      header->length, header->text));
    AT_TRY(parse(header));
    return read_directory(header);
}

attend_status at_safetensors_open(attend_file *file) {
    json_header header = {.file = file};
    void *block = NULL;
    AT_TRY(read_length(file, &header.length));
    AT_TRY(at_memory_allocate(file->ctx, header.length, "a file's header", &block));
    header.text = block;
    attend_status status = read_header(&header);
    json_decref(header.root);
    at_memory_release(file->ctx, block, header.length);
    return status;
}
