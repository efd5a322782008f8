/* look.h - the parts of `attend look`: the picture, the tables, and JSON. */
#ifndef LOOK_H
#define LOOK_H

#include <stdio.h>

#include "figure.h"
#include "readings.h"

enum { LOOK_WORKS_MAX = 2, LOOK_TITLE_MAX = 64 };

/* One example, worked out once or, with --compare-causal, twice: full and causal. */
typedef struct look_view {
    attend_ctx *ctx;
    const attend_example *example;
    char **labels; // T texts: the tokens, as a reader may see them
    int count;
    worked *works[LOOK_WORKS_MAX];
    int64_t head; // the only one to be shown; -1: all
    readings_wish wish;
    readings found[LOOK_WORKS_MAX];
} look_view;

/* Heads to show: first to first + count - 1. */
int64_t look_first_head(const look_view *view);
int64_t look_head_count(const look_view *view);
/* "causal", "head 2" or "causal, head 2": what tells one grid from the others, "" when there is only one. */
void look_title(const look_view *view, int work, int64_t head, char title[LOOK_TITLE_MAX]);
/* Keys that query may see. */
int64_t look_keys_seen(const worked *work, int64_t query);

/* The grids as a figure, with all that its panels point to besides view. */
typedef struct look_figure {
    figure shown;
    char (*titles)[LOOK_TITLE_MAX]; // panels
    figure_panel *panels;
    unsigned char *hidden; // (panels, cells, cells)
} look_figure;

/* cells: rows and columns of each grid, as wished for; ceiling as figure_set_scale takes it. 0, or -1 without memory;
   *result is freed either way. */
int look_figure_make(const look_view *view, int64_t cells, double ceiling, look_figure *result);
void look_figure_free(look_figure *f);

/* What was wished for, as tables; digits after the point. */
void look_tables(FILE *out, const look_view *view, int digits);
/* The same as JSON, or the grid when nothing else was wished for; 0 or -1 (no memory, or out cannot be written). */
int look_json(FILE *out, const look_view *view);

#endif
