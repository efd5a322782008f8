/* figure.h - grids of weights as a picture: what is to be seen. terminal_grid.c prints it, figure_draw.c draws it,
   figure_file.c puts the drawing into a file. */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdint.h>
#include <stdio.h>

#include "color_scale.h"
#include "terminal_line.h"

/* One grid. All grids of a figure have the same size, the same labels and the same colour scale. */
typedef struct figure_panel {
    const char *title;           // above the grid; "" = none
    const double *values;        // (rows, columns)
    const unsigned char *hidden; // (rows, columns), 1 = the query may not see the key
} figure_panel;

typedef struct figure {
    const char *title;   // what the whole shows, for those who cannot see it
    char *const *labels; // tokens: names of the queries (down) and of the keys (across)
    int64_t tokens;
    int64_t cells;              // rows and columns of each grid; fewer than tokens when each cell stands for several
    const figure_panel *panels; // panel_count
    int64_t panel_count;
    int64_t across; // panels side by side, where there is room
    double top;     // value at the far end of the colour scale, which starts at 0
    int steps;      // ticks of the legend, 0 not counted
    int exceeded;   // some values lie beyond top and are drawn like it
    int digits;     // digits after the point of the numbers in the cells
    color_theme theme;
} figure;

/* Sets top, steps and exceeded. ceiling: what top shall be; 0 = the smallest round number that no value exceeds. */
void figure_set_scale(figure *f, double ceiling);
/* The number at tick i of the legend, 0..steps. */
void figure_tick(const figure *f, int i, char *text, size_t size);
/* Where value lies on the colour scale, 0..1. */
double figure_fraction(const figure *f, double value);
/* Whether any cell of any panel is hidden. */
int figure_has_hidden(const figure *f);
/* Whether any cell that is not hidden holds NaN. */
int figure_has_nan(const figure *f);
/* Whether each cell shows one weight, so that rows and columns have names. */
int figure_is_full(const figure *f);
/* Rows and columns of a grid of at most most: each cell stands for equally many tokens, but for a last rest. */
int64_t figure_cells(int64_t tokens, int64_t most);
/* What a cell shows when it stands for several tokens: "each cell: the largest of its weights ..." */
void figure_note(const figure *f, char *text, size_t size);
/* Names every step-th token when all do not fit; positions count from 0. A round number (1, 2 or 5 times a power of
   ten), at least least. */
int64_t figure_tick_step(double least);

typedef enum figure_format { FIGURE_SVG, FIGURE_PDF, FIGURE_PNG } figure_format;

/* 1 and the format that the ending of path names, else 0. */
int figure_format_of(const char *path, figure_format *format);
enum { FIGURE_FAULT_MAX = 1024 };

/* Draws f into a file, which appears whole or not at all. width: pixels (png) or points (svg, pdf); 0 = its natural
   size. 0, or -1 with what is wrong in fault. */
int figure_write(const figure *f, const char *path, figure_format format, double width, char fault[FIGURE_FAULT_MAX]);

/* Cells a side of a grid may have in a terminal: tokens, or as many as fit. */
int64_t terminal_grid_cells(int64_t tokens, int columns);
/* Prints f in lines of at most columns characters, as far as one cell and its name fit. */
void terminal_grid_print(FILE *out, const figure *f, terminal_colors colors, int columns);

#endif
