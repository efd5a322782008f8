/* The public functions that make and name tensors: nothing here reads an element. */
#include <stdbool.h>
#include <string.h>

#include "attend/attend.h"

size_t attend_dtype_size(attend_dtype dtype) {
    switch (dtype) {
    case ATTEND_F64: return 8;
    case ATTEND_F32:
    case ATTEND_I32: return 4;
    case ATTEND_F16:
    case ATTEND_BF16: return 2;
    case ATTEND_U8:
    case ATTEND_I8: return 1;
    }
    return 0;
}

const char *attend_dtype_name(attend_dtype dtype) {
    switch (dtype) {
    case ATTEND_F64: return "f64";
    case ATTEND_F32: return "f32";
    case ATTEND_F16: return "f16";
    case ATTEND_BF16: return "bf16";
    case ATTEND_U8: return "u8";
    case ATTEND_I32: return "i32";
    case ATTEND_I8: return "i8";
    }
    return "unknown";
}

attend_out attend_out_dense(void *data, attend_dtype dtype, int32_t rank, const int64_t *shape) {
    attend_out tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.dtype = (int32_t)dtype;
    tensor.rank = rank;
    tensor.data = data;
    uint64_t stride = 1; /* unsigned: a size that does not fit wraps here and is refused where it is used */
    if (shape == NULL && rank > 0)
        tensor.data = NULL;
    for (int32_t axis = shape == NULL            ? -1
                        : rank > ATTEND_RANK_MAX ? ATTEND_RANK_MAX - 1
                                                 : rank - 1;
         axis >= 0; axis--) {
        tensor.shape[axis] = shape[axis];
        tensor.stride[axis] = (int64_t)stride;
        stride *= shape[axis] > 0 ? (uint64_t)shape[axis] : 1;
    }
    return tensor;
}

attend_in attend_read(attend_out tensor) {
    attend_in view;
    memset(&view, 0, sizeof view);
    memcpy(view.shape, tensor.shape, sizeof view.shape);
    memcpy(view.stride, tensor.stride, sizeof view.stride);
    view.dtype = tensor.dtype;
    view.rank = tensor.rank;
    view.data = tensor.data;
    return view;
}

attend_in attend_in_dense(const void *data, attend_dtype dtype, int32_t rank, const int64_t *shape) {
    attend_in view = attend_read(attend_out_dense(NULL, dtype, rank, shape));
    view.data = shape == NULL && rank > 0 ? NULL : data;
    return view;
}

attend_in attend_permute(attend_in tensor, const int32_t *axes) {
    attend_in view = tensor;
    bool used[ATTEND_RANK_MAX] = {false};
    for (int32_t axis = 0; axis < tensor.rank && axis < ATTEND_RANK_MAX; axis++) {
        if (axes == NULL || axes[axis] < 0 || axes[axis] >= tensor.rank || axes[axis] >= ATTEND_RANK_MAX ||
            used[axes[axis]]) {
            view.data = NULL; /* the same axis twice would walk a diagonal, past the end of the data */
            return view;
        }
        used[axes[axis]] = true;
        view.shape[axis] = tensor.shape[axes[axis]];
        view.stride[axis] = tensor.stride[axes[axis]];
    }
    return view;
}
