/* pages.h - rows that lie in pages, as a cache holds them: what a tensor of type AT_PAGED has for data. */
#ifndef AT_PAGES_H
#define AT_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "attend/attend.h"

enum {
    AT_PAGE = 256,            /* a page holds a multiple of so many rows                             */
    AT_PAGE_SIDE_BY_SIDE = 16 /* rows of bytes of which element d lies side by side, when they are keys */
};

typedef struct at_pages {
    int32_t dtype;        /* how elements are stored: ATTEND_F32, ATTEND_F16, ATTEND_BF16 or ATTEND_I8         */
    bool side_by_side;    /* (rows / AT_PAGE_SIDE_BY_SIDE, width, AT_PAGE_SIDE_BY_SIDE) instead of (rows, width) */
    int64_t heads, width; /* of all pages; elements of a row                               */
    int64_t page;         /* rows of a page                                                */
    int64_t row_pages;    /* entries of the table for each batch row                       */
    char **table;         /* (B, row_pages) pages; NULL where there is none               */
    size_t place;         /* where in a page the rows lie: (heads, page, width) elements   */
    size_t scales_place;  /* ... and the scales of ATTEND_I8: (heads, page) floats         */
} at_pages;

/* Whether there is a page for row j of batch row b: past the end of a short one there is none. */
bool at_pages_hold(const at_pages *pages, int64_t b, int64_t j);
/* Row j of head h of batch row b; rows side by side: j is the first of its group. */
void *at_pages_row(const at_pages *pages, int64_t b, int64_t h, int64_t j);
/* Its scale, and those of the rows after it in the page; only for ATTEND_I8. */
float *at_pages_scale(const at_pages *pages, int64_t b, int64_t h, int64_t j);
/* Element d of a row of ATTEND_I8, without the scale. */
int8_t *at_pages_byte(const at_pages *pages, int64_t b, int64_t h, int64_t j, int64_t d);

/* An element as a double, exact. */
double at_pages_get(const at_pages *pages, int64_t b, int64_t h, int64_t j, int64_t d);

#endif
