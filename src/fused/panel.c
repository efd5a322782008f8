#include "fused/panel.h"

#include <string.h>

bool at_panel_in_place(const attend_in *tensor) {
    return tensor->dtype == ATTEND_F32 && (tensor->stride[3] == 1 || tensor->shape[3] == 1);
}

/* bfloat16 is the upper half of a float. */
static void widen_bf16(const uint16_t *from, int64_t stride, int64_t count, float *to) {
    for (int64_t d = 0; d < count; d++) {
        uint32_t bits = (uint32_t)from[d * stride] << 16;
        memcpy(&to[d], &bits, sizeof bits);
    }
}

/* Half precision (IEEE 754 binary16): the exponent moves by 112, which a product with 2^112 does for denormals too; it
   leaves infinity and NaN too low, and they are set apart. */
static void widen_f16(const uint16_t *from, int64_t stride, int64_t count, float *to) {
    for (int64_t d = 0; d < count; d++) {
        uint32_t half = from[d * stride], shifted = (half & 0x7fff) << 13;
        float magnitude;
        memcpy(&magnitude, &shifted, sizeof shifted);
        magnitude *= 0x1p112f;
        uint32_t bits;
        memcpy(&bits, &magnitude, sizeof bits);
        bits |= (half & 0x8000) << 16 | ((half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0);
        memcpy(&to[d], &bits, sizeof bits);
    }
}

static void copy_f32(const float *from, int64_t stride, int64_t count, float *to) {
    for (int64_t d = 0; d < count; d++)
        to[d] = from[d * stride];
}

static void widen(const attend_in *tensor, int64_t offset, float *to) {
    int64_t stride = tensor->stride[3], count = tensor->shape[3];
    if (tensor->dtype == ATTEND_F32)
        copy_f32((const float *)tensor->data + offset, stride, count, to);
    else if (tensor->dtype == ATTEND_BF16 && stride == 1)
        widen_bf16((const uint16_t *)tensor->data + offset, 1, count, to);
    else if (tensor->dtype == ATTEND_BF16)
        widen_bf16((const uint16_t *)tensor->data + offset, stride, count, to);
    else if (stride == 1)
        widen_f16((const uint16_t *)tensor->data + offset, 1, count, to);
    else
        widen_f16((const uint16_t *)tensor->data + offset, stride, count, to);
}

at_panel at_panel_of(const attend_in *tensor, int64_t b, int64_t h, int64_t first, int64_t count, float *scratch) {
    int64_t offset = b * tensor->stride[0] + h * tensor->stride[1] + first * tensor->stride[2];
    if (at_panel_in_place(tensor)) {
        at_panel there = {(const float *)tensor->data + offset, tensor->stride[2]};
        return there;
    }
    at_panel converted = {scratch, tensor->shape[3]};
    for (int64_t i = 0; i < count; i++)
        widen(tensor, offset + i * tensor->stride[2], scratch + i * tensor->shape[3]);
    return converted;
}

void at_panel_write(const attend_out *tensor, int64_t b, int64_t h, int64_t i, const float *row) {
    for (int64_t e = 0; e < tensor->shape[3]; e++)
        at_set(tensor, b, h, i, e, (double)row[e]);
}
