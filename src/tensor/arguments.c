#include "tensor/arguments.h"

#include <string.h>

#include "base/check.h"
#include "base/size.h"

void at_arguments_begin(at_arguments *arguments, attend_ctx *ctx) {
    arguments->ctx = ctx;
    arguments->count = 0;
}

static unsigned kind_of(int32_t dtype) {
    switch (dtype) {
    case ATTEND_F32:
    case ATTEND_F16:
    case ATTEND_BF16:
    case ATTEND_F64: return AT_NUMBERS;
    case ATTEND_U8: return AT_BYTES;
    case ATTEND_I32: return AT_INDICES;
    case ATTEND_I8: return AT_CACHED;
    default: return 0;
    }
}

static const char *kinds_text(unsigned kinds) {
    switch (kinds) {
    case AT_NUMBERS: return "f32, f16, bf16 or f64";
    case AT_BYTES: return "u8";
    default: return "i32";
    }
}

attend_status at_argument_type(attend_ctx *ctx, const char *name, int32_t dtype, unsigned kinds) {
    if (kind_of(dtype) == 0)
        return at_fail(ctx, ATTEND_DTYPE, "%s.dtype is %d, not an attend_dtype", name, (int)dtype);
    if ((kind_of(dtype) & kinds) == 0)
        return at_fail(ctx, ATTEND_DTYPE, "%s.dtype is %s but must be %s", name, attend_dtype_name((attend_dtype)dtype),
                       kinds_text(kinds));
    return ATTEND_OK;
}

/* The layout of any tensor: rank, sizes, extent, alignment. */
static attend_status check_layout(attend_ctx *ctx, const char *name, const attend_in *tensor, at_extent *extent) {
    if (tensor->rank < 0 || tensor->rank > ATTEND_RANK_MAX)
        return at_fail(ctx, ATTEND_SHAPE, "%s.rank is %d (allowed 0 to %d)", name, (int)tensor->rank, ATTEND_RANK_MAX);
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] < 0)
            return at_fail(ctx, ATTEND_SHAPE, "%s.shape[%d] is %lld (allowed 0 or more)", name, (int)axis,
                           (long long)tensor->shape[axis]);
    if (!at_extent_of(tensor, extent))
        return at_fail(ctx, ATTEND_TOO_LARGE, "%s: shape times stride spans 2^62 bytes or more", name);
    size_t size = attend_dtype_size((attend_dtype)tensor->dtype);
    if ((uintptr_t)tensor->data % size != 0)
        return at_fail(ctx, ATTEND_STRIDE, "%s.data is not aligned to its elements of %zu bytes", name, size);
    return ATTEND_OK;
}

static attend_status check_axes(attend_ctx *ctx, const char *name, const attend_in *tensor, int32_t rank,
                                const at_axis *axes) {
    if (tensor->rank != rank)
        return at_fail(ctx, ATTEND_SHAPE, "%s.rank is %d but must be %d", name, (int)tensor->rank, (int)rank);
    for (int32_t axis = 0; axis < rank; axis++)
        if (axes[axis].size != AT_ANY && axes[axis].size != tensor->shape[axis])
            return at_fail(ctx, ATTEND_SHAPE, "%s.shape[%d] is %lld but %s is %lld", name, (int)axis,
                           (long long)tensor->shape[axis], axes[axis].name, (long long)axes[axis].size);
    return ATTEND_OK;
}

static void fill_axes(attend_in *view) {
    for (int32_t axis = view->rank; axis < ATTEND_RANK_MAX; axis++) {
        view->shape[axis] = 1;
        view->stride[axis] = 0;
    }
}

static void remember(at_arguments *arguments, const char *name, const attend_in *view, const at_extent *extent) {
    at_argument argument = {name, *view, *extent, false};
    arguments->list[arguments->count++] = argument;
}

attend_status at_argument_in(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                             int32_t rank, const at_axis *axes, attend_in *view) {
    attend_ctx *ctx = arguments->ctx;
    at_extent extent;
    if (tensor == NULL || tensor->data == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "%s%s is NULL", name, tensor == NULL ? "" : ".data");
    AT_TRY(at_argument_type(ctx, name, tensor->dtype, kinds));
    AT_TRY(check_layout(ctx, name, tensor, &extent));
    AT_TRY(check_axes(ctx, name, tensor, rank, axes));
    *view = *tensor;
    fill_axes(view);
    remember(arguments, name, view, &extent);
    return ATTEND_OK;
}

attend_status at_argument_out(at_arguments *arguments, const char *name, const attend_out *tensor, unsigned kinds,
                              int32_t rank, const at_axis *axes, attend_out *view) {
    attend_in reading;
    int32_t axis;
    if (tensor == NULL)
        return at_fail(arguments->ctx, ATTEND_ARGUMENT, "%s is NULL", name);
    attend_in given = attend_read(*tensor);
    AT_TRY(at_argument_in(arguments, name, &given, kinds, rank, axes, &reading));
    if (!at_strides_nest(&reading, &axis))
        return at_fail(arguments->ctx, ATTEND_STRIDE,
                       "%s.stride[%d] is %lld: its elements could share memory (see attend_out)", name, (int)axis,
                       (long long)reading.stride[axis]);
    arguments->list[arguments->count - 1].written = true;
    memcpy(view->shape, reading.shape, sizeof view->shape);
    memcpy(view->stride, reading.stride, sizeof view->stride);
    view->dtype = tensor->dtype;
    view->rank = tensor->rank;
    view->data = tensor->data;
    return ATTEND_OK;
}

attend_status at_argument_in_if(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                                int32_t rank, const at_axis *axes, attend_in *view) {
    memset(view, 0, sizeof *view);
    if (tensor == NULL || tensor->data == NULL)
        return ATTEND_OK;
    return at_argument_in(arguments, name, tensor, kinds, rank, axes, view);
}

attend_status at_argument_out_if(at_arguments *arguments, const char *name, const attend_out *tensor, unsigned kinds,
                                 int32_t rank, const at_axis *axes, attend_out *view) {
    memset(view, 0, sizeof *view);
    if (tensor == NULL || tensor->data == NULL)
        return ATTEND_OK;
    return at_argument_out(arguments, name, tensor, kinds, rank, axes, view);
}

/* Each axis of tensor, aligned on the right with the four, has their size or 1.  Messages number the caller's axes. */
static attend_status check_spread(attend_ctx *ctx, const char *name, const attend_in *tensor, const at_axis *axes) {
    const at_axis *aligned = axes + (ATTEND_RANK_MAX - tensor->rank);
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] != 1 && tensor->shape[axis] != aligned[axis].size)
            return at_fail(ctx, ATTEND_SHAPE, "%s.shape[%d] is %lld but %s is %lld (1 would repeat)", name, (int)axis,
                           (long long)tensor->shape[axis], aligned[axis].name, (long long)aligned[axis].size);
    return ATTEND_OK;
}

/* Right-aligns the axes of tensor with four and turns size 1 into a repeat of any size. */
static attend_in spread(const attend_in *tensor, const at_axis *axes) {
    attend_in view = *tensor;
    int32_t missing = ATTEND_RANK_MAX - tensor->rank;
    view.rank = ATTEND_RANK_MAX;
    for (int32_t axis = 0; axis < ATTEND_RANK_MAX; axis++) {
        bool repeats = axis < missing || tensor->shape[axis - missing] == 1;
        view.shape[axis] = axes[axis].size;
        view.stride[axis] = repeats ? 0 : tensor->stride[axis - missing];
    }
    return view;
}

attend_status at_argument_broadcast(at_arguments *arguments, const char *name, const attend_in *tensor, unsigned kinds,
                                    const at_axis *axes, attend_in *view) {
    at_extent extent;
    memset(view, 0, sizeof *view);
    if (tensor->data == NULL)
        return ATTEND_OK;
    AT_TRY(at_argument_type(arguments->ctx, name, tensor->dtype, kinds));
    AT_TRY(check_layout(arguments->ctx, name, tensor, &extent));
    AT_TRY(check_spread(arguments->ctx, name, tensor, axes));
    *view = spread(tensor, axes);
    remember(arguments, name, view, &extent);
    return ATTEND_OK;
}

bool at_arguments_write_nothing(const at_arguments *arguments) {
    for (int n = 0; n < arguments->count; n++)
        if (arguments->list[n].written && !at_has_no_elements(&arguments->list[n].view))
            return false;
    return true;
}

attend_status at_arguments_apart(const at_arguments *arguments) {
    for (int output = 0; output < arguments->count; output++)
        for (int other = 0; other < arguments->count; other++) {
            const at_argument *left = &arguments->list[output], *right = &arguments->list[other];
            bool once = !right->written || output < other;
            if (left->written && output != other && once &&
                at_extents_meet(&left->view, &left->extent, &right->view, &right->extent) &&
                at_overlaps(&left->view, &right->view))
                return at_fail(arguments->ctx, ATTEND_ALIAS, "%s overlaps %s in memory", left->name, right->name);
        }
    return ATTEND_OK;
}
