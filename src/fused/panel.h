/* panel.h - rows of a tensor for the kernels: where they lie, or converted (exactly) into scratch. */
#ifndef AT_PANEL_H
#define AT_PANEL_H

#include "fused/part.h"
#include "kernel/kernel.h"
#include "tensor/tensor.h"

/* Rows of adjacent elements, each stride elements after the one before; keys of ATTEND_I8 lie side by side (kernel.h). */
typedef struct at_panel {
    const void *rows;
    int64_t stride;
    int32_t dtype;       /* AT_REAL_DTYPE; or the tensor's own, when it was asked for */
    const float *scales; /* (rows) that elements still have to be multiplied by; or NULL */
} at_panel;

/* 16 bits. */
static inline bool at_is_half(int32_t dtype) { return dtype == ATTEND_F16 || dtype == ATTEND_BF16; }

/* Elements from the data of a tensor that is not in pages to row [b,h,i]. */
static inline int64_t at_row_place(const int64_t stride[ATTEND_RANK_MAX], int64_t b, int64_t h, int64_t i) {
    return b * stride[0] + h * stride[1] + i * stride[2];
}

/* Whether at_panel_of can do without scratch. */
AT_PART bool at_panel_in_place(const attend_in *tensor);

/* The rows as they are stored; the tensor's elements must be adjacent.  With pages, a panel stays inside one. */
AT_PART at_panel at_panel_raw(const attend_in *tensor, int64_t b, int64_t h, int64_t first);

/* Row j of a panel; keys of ATTEND_I8: the first of its group. */
static inline const void *at_panel_row(at_panel panel, int64_t j) {
    return (const char *)panel.rows + j * panel.stride * (int64_t)attend_dtype_size((attend_dtype)panel.dtype);
}

/* Without the rows before row j. */
static inline at_panel at_panel_from(at_panel panel, int64_t j) {
    panel.rows = at_panel_row(panel, j);
    panel.scales = panel.scales != NULL ? panel.scales + j : NULL;
    return panel;
}

/* Row j of a panel, which may have fewer rows, and those after it: to be asked for while others are worked on. */
static inline at_ahead at_panel_ahead(at_panel panel, int64_t j, int64_t width) {
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)panel.dtype);
    uintptr_t row = (uintptr_t)panel.rows + (uintptr_t)(j * panel.stride * size);
    at_ahead ahead = {panel.rows == NULL ? 0 : row, width * size, panel.stride * size};
    return ahead;
}

/* The type of the elements, in pages or not. */
AT_PART int32_t at_panel_stored(const attend_in *tensor);

/* Rows first .. first+count-1 of tensor[b,h]; scratch (count, width) is used only where they are not in place. */
AT_PART at_panel at_panel_of(const at_kernels *kernels, const attend_in *tensor, int64_t b, int64_t h, int64_t first,
                             int64_t count, at_real *scratch);

/* Row [b,h,i] of floats becomes row [b,h,i] of tensor, rounded once to its type. */
AT_PART void at_panel_write(const at_kernels *kernels, const attend_out *tensor, int64_t b, int64_t h, int64_t i,
                            const at_real *row);

#endif
