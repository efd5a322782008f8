/* Storing one row: as it is, rounded to 16 bits, or as bytes and a scale. */
#include <math.h>
#include <string.h>

#include "cache/cache.h"
#include "kernel/select.h"

/* The rows beside a new one may be read before they are written, hidden: never undefined. */
static void clear_group(const at_pages *pages, int64_t b, int64_t h, int64_t j) {
    if (pages->side_by_side && j % AT_PAGE_SIDE_BY_SIDE == 0)
        memset(at_pages_row(pages, b, h, j), 0, (size_t)pages->width * AT_PAGE_SIDE_BY_SIDE);
}

/* What the largest magnitude of a row makes of 127; NaN where the row holds NaN or infinity. */
static float scale_of(const attend_in *tensor, int64_t b, int64_t h, int64_t from) {
    double largest = 0;
    for (int64_t d = 0; d < tensor->shape[3]; d++) {
        double size = fabs(at_get(tensor, b, h, from, d));
        if (!(size <= (double)3.40282347e+38f))
            return NAN;
        largest = size > largest ? size : largest;
    }
    return (float)(largest / 127);
}

static void store_bytes(const at_pages *pages, const attend_in *tensor, int64_t b, int64_t h, int64_t from, int64_t j) {
    float scale = scale_of(tensor, b, h, from);
    clear_group(pages, b, h, j);
    *at_pages_scale(pages, b, h, j) = scale;
    for (int64_t d = 0; d < pages->width; d++) {
        double steps = scale > 0 ? rint(at_get(tensor, b, h, from, d) / (double)scale) : 0;
        *at_pages_byte(pages, b, h, j, d) = (int8_t)(steps > 127 ? 127 : steps < -127 ? -127 : steps);
    }
}

void at_cache_store(attend_isa isa, const at_pages *pages, const attend_in *tensor, int64_t b, int64_t h, int64_t from,
                    int64_t j) {
    if (pages->dtype == ATTEND_I8) {
        store_bytes(pages, tensor, b, h, from, j);
        return;
    }
    int64_t place = b * tensor->stride[0] + h * tensor->stride[1] + from * tensor->stride[2];
    size_t size = attend_dtype_size((attend_dtype)tensor->dtype);
    const void *row = (const char *)tensor->data + place * (int64_t)size;
    void *to = at_pages_row(pages, b, h, j);
    attend_out stored = attend_out_dense(to, (attend_dtype)pages->dtype, 1, &pages->width);
    if (tensor->dtype == pages->dtype && tensor->stride[3] == 1)
        memcpy(to, row, size * (size_t)pages->width);
    else if (tensor->dtype == ATTEND_F32 && tensor->stride[3] == 1)
        at_kernels_of(isa)->narrow(row, pages->dtype, pages->width, to);
    else
        for (int64_t d = 0; d < pages->width; d++)
            at_set(&stored, d, 0, 0, 0, at_get(tensor, b, h, from, d));
}
