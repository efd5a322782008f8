/* Reading numpy's .npy: a magic string, a version, the length of a header, the header (literal.h), the numbers. */
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "files/directory.h"
#include "files/literal.h"

/* Versions 2 and 3 differ from 1 in the width of the length (4 bytes, 2 in version 1), and 3 allows UTF-8 in
   field names, which only structured types have. */
static attend_status read_prefix(attend_file *file, size_t *begin, size_t *length) {
    unsigned char prefix[AT_NPY_PREFIX_MAX] = {0};
    size_t present = file->source.size < sizeof prefix ? file->source.size : sizeof prefix;
    AT_TRY(at_os_copy(file->ctx, &file->source, file->label.text, 0, present, prefix));
    if (prefix[0] != 0x93)
        return at_byte_fault(file, ATTEND_FORMAT, 0, "not an npy file (found \"%s\", expected \"\\x93NUMPY\")",
                             at_text_printable((const char *)prefix, 6, AT_PRINTABLE_NAME).text);
    int major = prefix[6];
    *begin = major == 1 ? 10 : 12;
    if (present > 7 && (major < 1 || major > 3 || prefix[7] != 0))
        return at_byte_fault(file, ATTEND_UNSUPPORTED, 6, "npy version %d.%d (allowed 1.0, 2.0, 3.0)", major,
                             prefix[7]);
    if (present < *begin)
        return at_byte_fault(file, ATTEND_FORMAT, present, "npy file ends before its header");
    *length = prefix[8] | (size_t)prefix[9] << 8;
    if (major > 1)
        *length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    return ATTEND_OK;
}

static attend_status check_length(const attend_file *file, size_t begin, size_t length) {
    if (length > AT_NPY_HEADER_MAX)
        return at_byte_fault(file, ATTEND_UNSUPPORTED, 8, "header of %zu bytes (limit %d)", length, AT_NPY_HEADER_MAX);
    if (length > file->source.size - begin)
        return at_byte_fault(file, ATTEND_FORMAT, 8, "header of %zu bytes ends past the file (%zu left)", length,
                             file->source.size - begin);
    return ATTEND_OK;
}

/* descr is a byte order and a type: "<f4".  Single bytes have no order and numpy writes "|". */
static attend_status read_type(const attend_file *file, const at_npy_header *header, at_entry *entry) {
    at_printable printed = at_text_printable(header->descr, header->descr_length, AT_PRINTABLE_NAME);
    bool ordered = header->descr_length > 0 && header->descr[0] != '\0' && strchr("<>=|", header->descr[0]) != NULL;
    if (ordered && header->descr_length > 1 && header->descr[1] == 'O')
        return at_byte_fault(file, ATTEND_UNSUPPORTED, header->descr_byte,
                             "object arrays hold Python code and are never loaded: save with dtype float32");
    entry->storage = ordered ? at_storage_from_npy(header->descr + 1, header->descr_length - 1) : NULL;
    entry->swapped = ordered && header->descr[0] == '>';
    if (entry->storage != NULL)
        return ATTEND_OK;
    return at_byte_fault(file, ATTEND_UNSUPPORTED, header->descr_byte,
                         "dtype \"%s\" is not numeric (allowed f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, V2 as bf16)",
                         printed.text);
}

static attend_status check_data(const attend_file *file, const at_entry *entry) {
    size_t present = file->source.size - entry->begin;
    if (present < entry->bytes)
        return at_byte_fault(file, ATTEND_FORMAT, entry->begin, "%zu bytes of data, need %zu for shape %s of %s",
                             present, entry->bytes, at_fault_shape(entry->rank, entry->shape).text,
                             entry->storage->npy);
    if (present > entry->bytes)
        return at_byte_fault(file, ATTEND_FORMAT, entry->begin + entry->bytes, "%zu byte%s after the array",
                             present - entry->bytes, present - entry->bytes == 1 ? "" : "s");
    return ATTEND_OK;
}

static attend_status read_entry(attend_file *file, const char *text, size_t begin, size_t length) {
    at_npy_header header;
    memset(&header, 0, sizeof header);
    at_literal literal = {file, text, length, begin, 0};
    AT_TRY(at_literal_header(&literal, &header));
    AT_TRY(at_directory_allocate(file, 1, 1));
    at_entry *entry = &file->entries[0];
    file->names[0] = '\0';
    entry->name = file->names;
    entry->begin = begin + length;
    entry->rank = header.rank;
    memcpy(entry->shape, header.shape, sizeof entry->shape);
    AT_TRY(read_type(file, &header, entry));
    AT_TRY(at_entry_measure(file, entry, header.fortran_order));
    return check_data(file, entry);
}

attend_status at_npy_open(attend_file *file) {
    size_t begin = 0;
    size_t length = 0;
    char text[AT_NPY_HEADER_MAX];
    AT_TRY(read_prefix(file, &begin, &length));
    AT_TRY(check_length(file, begin, length));
    AT_TRY(at_os_copy(file->ctx, &file->source, file->label.text, begin, length, text));
    return read_entry(file, text, begin, length);
}
