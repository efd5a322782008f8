#include "fused/panel.h"

bool at_panel_in_place(const attend_in *tensor) {
    return tensor->dtype == ATTEND_F32 && (tensor->stride[3] == 1 || tensor->shape[3] == 1);
}

static void widen(const at_kernels *kernels, const attend_in *tensor, int64_t b, int64_t h, int64_t i, float *to) {
    int64_t offset = b * tensor->stride[0] + h * tensor->stride[1] + i * tensor->stride[2];
    if (tensor->dtype != ATTEND_F32 && tensor->stride[3] == 1)
        kernels->widen((const uint16_t *)tensor->data + offset, tensor->dtype, tensor->shape[3], to);
    else
        for (int64_t d = 0; d < tensor->shape[3]; d++)
            to[d] = (float)at_get(tensor, b, h, i, d);
}

at_panel at_panel_raw(const attend_in *tensor, int64_t b, int64_t h, int64_t first) {
    int64_t offset = b * tensor->stride[0] + h * tensor->stride[1] + first * tensor->stride[2];
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    at_panel there = {(const char *)tensor->data + offset * size, tensor->stride[2], tensor->dtype};
    return there;
}

at_panel at_panel_of(const at_kernels *kernels, const attend_in *tensor, int64_t b, int64_t h, int64_t first,
                     int64_t count, float *scratch) {
    if (at_panel_in_place(tensor))
        return at_panel_raw(tensor, b, h, first);
    at_panel converted = {scratch, tensor->shape[3], ATTEND_F32};
    for (int64_t i = 0; i < count; i++)
        widen(kernels, tensor, b, h, first + i, scratch + i * tensor->shape[3]);
    return converted;
}

void at_panel_write(const at_kernels *kernels, const attend_out *tensor, int64_t b, int64_t h, int64_t i,
                    const float *row) {
    int64_t offset = b * tensor->stride[0] + h * tensor->stride[1] + i * tensor->stride[2];
    if (tensor->dtype != ATTEND_F32 && tensor->stride[3] == 1)
        kernels->narrow(row, tensor->dtype, tensor->shape[3], (uint16_t *)tensor->data + offset);
    else
        for (int64_t e = 0; e < tensor->shape[3]; e++)
            at_set(tensor, b, h, i, e, (double)row[e]);
}
