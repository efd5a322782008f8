#include "tensor/pages.h"

#include "tensor/tensor.h"

static char *page_of(const at_pages *pages, int64_t b, int64_t j) {
    return pages->table[b * pages->row_pages + j / pages->page];
}

bool at_pages_hold(const at_pages *pages, int64_t b, int64_t j) { return page_of(pages, b, j) != NULL; }

void *at_pages_row(const at_pages *pages, int64_t b, int64_t h, int64_t j) {
    int64_t elements = (h * pages->page + j % pages->page) * pages->width;
    return page_of(pages, b, j) + pages->place + (size_t)elements * attend_dtype_size((attend_dtype)pages->dtype);
}

float *at_pages_scale(const at_pages *pages, int64_t b, int64_t h, int64_t j) {
    float *scales = (float *)(void *)(page_of(pages, b, j) + pages->scales_place);
    return scales + h * pages->page + j % pages->page;
}

int8_t *at_pages_byte(const at_pages *pages, int64_t b, int64_t h, int64_t j, int64_t d) {
    int64_t aside = pages->side_by_side ? j % AT_PAGE_SIDE_BY_SIDE : 0;
    int8_t *group = at_pages_row(pages, b, h, j - aside);
    return pages->side_by_side ? group + d * AT_PAGE_SIDE_BY_SIDE + aside : group + d;
}

double at_pages_get(const at_pages *pages, int64_t b, int64_t h, int64_t j, int64_t d) {
    if (pages->dtype == ATTEND_I8)
        return (double)*at_pages_byte(pages, b, h, j, d) * (double)*at_pages_scale(pages, b, h, j);
    attend_in row = {{pages->width}, {1}, pages->dtype, 1, at_pages_row(pages, b, h, j)};
    return at_get(&row, d, 0, 0, 0);
}
