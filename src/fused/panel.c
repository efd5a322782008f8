#include "fused/panel.h"

#include "tensor/pages.h"

_Static_assert(AT_PAGE % AT_CHUNK == 0, "a chunk of keys lies in one page");
_Static_assert((int)AT_PAGE_SIDE_BY_SIDE == (int)AT_GROUP, "a cache stores keys as the kernels read them");

int32_t at_panel_stored(const attend_in *tensor) {
    return tensor->dtype == AT_PAGED ? ((const at_pages *)tensor->data)->dtype : tensor->dtype;
}

bool at_panel_in_place(const attend_in *tensor) {
    if (tensor->dtype == AT_PAGED)
        return at_panel_stored(tensor) == AT_REAL_DTYPE;
    return tensor->dtype == AT_REAL_DTYPE && (tensor->stride[3] == 1 || tensor->shape[3] == 1);
}

static void widen(const at_kernels *kernels, const attend_in *tensor, int64_t b, int64_t h, int64_t i, at_real *to) {
    int64_t offset = at_row_place(tensor->stride, b, h, i);
    if (at_is_half(tensor->dtype) && tensor->stride[3] == 1)
        kernels->widen((const uint16_t *)tensor->data + offset, tensor->dtype, tensor->shape[3], to);
    else
        for (int64_t d = 0; d < tensor->shape[3]; d++)
            to[d] = (at_real)at_get(tensor, b, h, i, d);
}

static at_panel paged(const at_pages *pages, int64_t b, int64_t h, int64_t first) {
    at_panel there = {NULL, pages->width, pages->dtype, NULL};
    if (!at_pages_hold(pages, b, first)) /* rows that nobody sees, since they were never appended */
        return there;
    there.rows = at_pages_row(pages, b, h, first);
    if (pages->dtype == ATTEND_I8)
        there.scales = at_pages_scale(pages, b, h, first);
    return there;
}

/* Row j of a panel in pages as floats, not yet multiplied by its scale. */
static void widen_paged(const at_kernels *kernels, const at_pages *pages, at_panel panel, int64_t j, at_real *to) {
    if (at_is_half(pages->dtype)) {
        kernels->widen(at_panel_row(panel, j), pages->dtype, pages->width, to);
        return;
    }
    if (pages->dtype == ATTEND_F32) {
        for (int64_t d = 0; d < pages->width; d++)
            to[d] = ((const float *)at_panel_row(panel, j))[d];
        return;
    }
    int64_t aside = pages->side_by_side ? j % AT_GROUP : 0, step = pages->side_by_side ? AT_GROUP : 1;
    const int8_t *from = (const int8_t *)at_panel_row(panel, j - aside) + aside;
    for (int64_t d = 0; d < pages->width; d++)
        to[d] = (at_real)from[d * step];
}

at_panel at_panel_raw(const attend_in *tensor, int64_t b, int64_t h, int64_t first) {
    if (tensor->dtype == AT_PAGED)
        return paged(tensor->data, b, h, first);
    int64_t offset = at_row_place(tensor->stride, b, h, first);
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype);
    at_panel there = {(const char *)tensor->data + offset * size, tensor->stride[2], tensor->dtype, NULL};
    return there;
}

at_panel at_panel_of(const at_kernels *kernels, const attend_in *tensor, int64_t b, int64_t h, int64_t first,
                     int64_t count, at_real *scratch) {
    if (at_panel_in_place(tensor))
        return at_panel_raw(tensor, b, h, first);
    at_panel converted = {scratch, tensor->shape[3], AT_REAL_DTYPE, NULL};
    if (tensor->dtype == AT_PAGED) {
        at_panel stored = paged(tensor->data, b, h, first);
        for (int64_t i = 0; stored.rows != NULL && i < count; i++)
            widen_paged(kernels, tensor->data, stored, i, scratch + i * tensor->shape[3]);
        converted.scales = stored.scales;
        return converted;
    }
    for (int64_t i = 0; i < count; i++)
        widen(kernels, tensor, b, h, first + i, scratch + i * tensor->shape[3]);
    return converted;
}

void at_panel_write(const at_kernels *kernels, const attend_out *tensor, int64_t b, int64_t h, int64_t i,
                    const at_real *row) {
    int64_t offset = at_row_place(tensor->stride, b, h, i);
    if (at_is_half(tensor->dtype) && tensor->stride[3] == 1)
        kernels->narrow(row, tensor->dtype, tensor->shape[3], (uint16_t *)tensor->data + offset);
    else
        for (int64_t e = 0; e < tensor->shape[3]; e++)
            at_set(tensor, b, h, i, e, (double)row[e]);
}
