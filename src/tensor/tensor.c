#include "tensor/tensor.h"

#include <math.h>

#include "base/fetch.h"
#include "base/half.h"
#include "tensor/pages.h"

static double load(const void *data, int32_t dtype, int64_t index) {
    switch (dtype) {
    case ATTEND_F32: return ((const float *)data)[index];
    case ATTEND_F64: return ((const double *)data)[index];
    case ATTEND_F16: return at_half_from_f16(((const uint16_t *)data)[index]);
    case ATTEND_BF16: return at_half_from_bf16(((const uint16_t *)data)[index]);
    case ATTEND_U8: return ((const uint8_t *)data)[index];
    default: /* ATTEND_I32: arguments.h let no other type in */ return ((const int32_t *)data)[index];
    }
}

/* One NaN for all that arithmetic may leave, whose sign depends on processor, path and compiler. */
static inline double plain(double value) { return value == value ? value : (double)NAN; }

static void store(void *data, int32_t dtype, int64_t index, double value) {
    switch (dtype) {
    case ATTEND_F32: ((float *)data)[index] = (float)value; return;
    case ATTEND_F64: ((double *)data)[index] = value; return;
    case ATTEND_F16: ((uint16_t *)data)[index] = at_half_to_f16(value); return;
    case ATTEND_BF16: ((uint16_t *)data)[index] = at_half_to_bf16(value); return;
    default: /* ATTEND_I32 */ ((int32_t *)data)[index] = (int32_t)value;
    }
}

static int64_t offset(const int64_t *stride, int64_t a, int64_t b, int64_t c, int64_t d) {
    return a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3];
}

double at_get(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t d) {
    if (tensor->dtype == AT_PAGED)
        return at_pages_get(tensor->data, a, b, c, d);
    return load(tensor->data, tensor->dtype, offset(tensor->stride, a, b, c, d));
}

void at_set(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t d, double value) {
    store(tensor->data, tensor->dtype, offset(tensor->stride, a, b, c, d), plain(value));
}

void at_get_row(const attend_in *tensor, int64_t a, int64_t b, int64_t c, double *row) {
    for (int64_t d = 0; d < tensor->shape[3]; d++)
        row[d] = at_get(tensor, a, b, c, d);
}

void at_set_row(const attend_out *tensor, int64_t a, int64_t b, int64_t c, const double *row) {
    int64_t first = offset(tensor->stride, a, b, c, 0), stride = tensor->stride[3], count = tensor->shape[3];
    if (tensor->dtype == ATTEND_F32 && stride == 1) { /* in vectors */
        float *to = (float *)tensor->data + first;
        for (int64_t d = 0; d < count; d++) {
            float value = (float)row[d];
            to[d] = value == value ? value : NAN;
        }
        return;
    }
    for (int64_t d = 0; d < count; d++)
        store(tensor->data, tensor->dtype, first + d * stride, plain(row[d]));
}

void at_set_part(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t first, int64_t count,
                 const double *part) {
    attend_out view = *tensor;
    view.shape[3] = count;
    view.data =
        (char *)tensor->data + first * tensor->stride[3] * (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    at_set_row(&view, a, b, c, part);
}

/* Whether an element equals value, and only then which; adjacent elements in loops of their own, which the compiler
   turns into vectors. */
#define CLEAR_WHERE(type)                                                                                         \
    static void clear_where_##type(const type *from, int64_t stride, int64_t count, type value, uint8_t *flags) { \
        int any = stride != 1;                                                                                    \
        for (int64_t n = 0; stride == 1 && n < count; n++)                                                        \
            any |= from[n] == value;                                                                              \
        for (int64_t n = 0; any && stride == 1 && n < count; n++)                                                 \
            flags[n] &= from[n] != value;                                                                         \
        for (int64_t n = 0; stride != 1 && n < count; n++)                                                        \
            flags[n] &= from[n * stride] != value;                                                                \
    }
CLEAR_WHERE(float)
CLEAR_WHERE(double)
CLEAR_WHERE(uint16_t)
CLEAR_WHERE(uint8_t)

/* Rows are read piece by piece, many rows in turn, which no processor foresees: as many elements after these are asked for. */
static void fetch_after(const attend_in *tensor, int64_t place, int64_t count) {
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype), bytes = count * size;
    if (tensor->stride[3] == 1)
        at_fetch((uintptr_t)tensor->data + (uintptr_t)(place * size + bytes), bytes);
}

void at_clear_where(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t first, int64_t count,
                    double value, uint8_t *flags) {
    int64_t place = offset(tensor->stride, a, b, c, first), stride = tensor->stride[3];
    const void *data = tensor->data;
    fetch_after(tensor, place, count);
    switch (tensor->dtype) {
    case ATTEND_F32: clear_where_float((const float *)data + place, stride, count, (float)value, flags); return;
    case ATTEND_F64: clear_where_double((const double *)data + place, stride, count, value, flags); return;
    case ATTEND_F16:
        clear_where_uint16_t((const uint16_t *)data + place, stride, count, at_half_to_f16(value), flags);
        return;
    case ATTEND_BF16:
        clear_where_uint16_t((const uint16_t *)data + place, stride, count, at_half_to_bf16(value), flags);
        return;
    default: /* ATTEND_U8 */ clear_where_uint8_t((const uint8_t *)data + place, stride, count, (uint8_t)value, flags);
    }
}
