#include "tensor/tensor.h"

#include "base/half.h"

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
    return load(tensor->data, tensor->dtype, offset(tensor->stride, a, b, c, d));
}

void at_set(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t d, double value) {
    store(tensor->data, tensor->dtype, offset(tensor->stride, a, b, c, d), value);
}

void at_get_row(const attend_in *tensor, int64_t a, int64_t b, int64_t c, double *row) {
    for (int64_t d = 0; d < tensor->shape[3]; d++)
        row[d] = at_get(tensor, a, b, c, d);
}

void at_set_row(const attend_out *tensor, int64_t a, int64_t b, int64_t c, const double *row) {
    int64_t first = offset(tensor->stride, a, b, c, 0), stride = tensor->stride[3];
    for (int64_t d = 0; tensor->dtype == ATTEND_F32 && d < tensor->shape[3]; d++)
        ((float *)tensor->data)[first + d * stride] = (float)row[d];
    for (int64_t d = 0; tensor->dtype == ATTEND_F64 && d < tensor->shape[3]; d++)
        ((double *)tensor->data)[first + d * stride] = row[d];
    for (int64_t d = 0; tensor->dtype != ATTEND_F32 && tensor->dtype != ATTEND_F64 && d < tensor->shape[3]; d++)
        store(tensor->data, tensor->dtype, first + d * stride, row[d]);
}
