#include "files/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Both formats are little-endian wherever we may choose, and tensors are read and written in place. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are read in place on little-endian machines only");

/* Of several rows with one dtype the first is what we write. */
static const at_storage table[] = {
    {"f8", "F64", 8, ATTEND_F64, AT_AS_IS},        {"f4", "F32", 4, ATTEND_F32, AT_AS_IS},
    {"f2", "F16", 2, ATTEND_F16, AT_AS_IS},        {"V2", "BF16", 2, ATTEND_BF16, AT_AS_IS},
    {"u1", "U8", 1, ATTEND_U8, AT_AS_IS},          {"b1", "BOOL", 1, ATTEND_U8, AT_AS_IS},
    {"i4", "I32", 4, ATTEND_I32, AT_AS_IS},        {"i1", "I8", 1, ATTEND_I32, AT_I32_SIGNED},
    {"i2", "I16", 2, ATTEND_I32, AT_I32_SIGNED},   {"i8", "I64", 8, ATTEND_I32, AT_I32_SIGNED},
    {"u2", "U16", 2, ATTEND_I32, AT_I32_UNSIGNED}, {"u4", "U32", 4, ATTEND_I32, AT_I32_UNSIGNED},
    {"u8", "U64", 8, ATTEND_I32, AT_I32_UNSIGNED},
};
static const size_t table_rows = sizeof table / sizeof table[0];

const at_storage *at_storage_from_npy(const char *name, size_t length) {
    for (size_t row = 0; row < table_rows; row++)
        if (length == strlen(table[row].npy) && memcmp(name, table[row].npy, length) == 0)
            return &table[row];
    return NULL;
}

const at_storage *at_storage_from_safetensors(const char *name) {
    for (size_t row = 0; row < table_rows; row++)
        if (strcmp(name, table[row].safetensors) == 0)
            return &table[row];
    return NULL;
}

const at_storage *at_storage_for(attend_dtype dtype) {
    for (size_t row = 0; row < table_rows; row++)
        if (table[row].dtype == dtype)
            return &table[row];
    return NULL;
}

static void copy_element(unsigned char *to, const unsigned char *from, size_t size, bool swapped) {
    for (size_t byte = 0; byte < size; byte++)
        to[byte] = from[swapped ? size - 1 - byte : byte];
}

/* Every integer type fits in the 64 bits of one of the two fields that reading names. */
typedef union integer {
    int64_t i;
    uint64_t u;
} integer;

static integer load_integer(const at_storage *storage, bool swapped, const unsigned char *from) {
    integer value = {.u = 0};
    unsigned char bytes[8] = {0};
    copy_element(bytes, from, storage->size, swapped);
    memcpy(&value.u, bytes, sizeof bytes);
    unsigned unused_bits = 64 - 8 * (unsigned)storage->size;
    uint64_t sign = (uint64_t)1 << (63 - unused_bits);
    if (storage->reading == AT_I32_SIGNED) /* extend the sign: flipping it and taking it away again borrows */
        value.u = (value.u ^ sign) - sign;
    return value;
}

static bool read_i32(const at_storage *storage, bool swapped, const unsigned char *from, int32_t *to) {
    integer value = load_integer(storage, swapped, from);
    *to = (int32_t)(uint32_t)value.u;
    if (storage->reading == AT_I32_SIGNED)
        return value.i >= INT32_MIN && value.i <= INT32_MAX;
    return value.u <= INT32_MAX;
}

static void read_as_is(size_t size, bool swapped, const unsigned char *from, unsigned char *to, int64_t count) {
    if (!swapped)
        memcpy(to, from, size * (size_t)count);
    for (int64_t i = 0; swapped && i < count; i++)
        copy_element(to + (size_t)i * size, from + (size_t)i * size, size, true);
}

bool at_storage_read(const at_storage *storage, bool swapped, const unsigned char *from, void *to, int64_t *count) {
    if (storage->reading == AT_AS_IS) {
        read_as_is(storage->size, swapped, from, to, *count);
        return true;
    }
    int32_t *integers = to;
    for (int64_t i = 0; i < *count; i++)
        if (!read_i32(storage, swapped, from + (size_t)i * storage->size, &integers[i])) {
            *count = i;
            return false;
        }
    return true;
}

at_integer_text at_storage_integer(const at_storage *storage, bool swapped, const unsigned char *from) {
    at_integer_text decimal;
    integer value = load_integer(storage, swapped, from);
    if (storage->reading == AT_I32_SIGNED)
        snprintf(decimal.text, sizeof decimal.text, "%" PRId64, value.i);
    else
        snprintf(decimal.text, sizeof decimal.text, "%" PRIu64, value.u);
    return decimal;
}
