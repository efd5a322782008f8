/* figure_cairo.h - how a figure is laid out and drawn; known to figure_*.c only. Lengths are pixels of a screen with
   96 to the inch, whatever surface is drawn on. */
#ifndef FIGURE_CAIRO_H
#define FIGURE_CAIRO_H

#include <cairo.h>

#include "figure.h"

/* ---- text: figure_text.c ---- */

typedef enum text_side { TEXT_FROM, TEXT_AROUND, TEXT_UP_TO } text_side; // the point is its left end, middle, right end

/* Sets font and size; bold 0 or 1. */
void set_font(cairo_t *cr, double size, int bold);
double drawn_width(cairo_t *cr, const char *text);
/* Draws text in the font set; digits and capitals are centred on the line y. */
void draw_text(cairo_t *cr, double x, double y, text_side side, const char *text);
/* Copies text, cut with an ellipsis to be no wider than room. */
void fit_text(cairo_t *cr, const char *text, double room, char *fitted, size_t size);

enum { FITTED_MAX = 512 }; // bytes of a fitted label; more do not fit in any room

/* ---- layout: figure_layout.c ---- */

typedef struct figure_layout {
    double width, height;    // of the whole
    double cell;             // side of a cell
    double side;             // side of a grid, cell * cells
    double left, up;         // corner of the first grid
    double pitch_x, pitch_y; // from grid to grid
    int64_t across;          // grids in a row
    double label_size;       // font of the token names; 0: positions at ticks instead
    double label_width;      // room left of the grid for names or positions
    double label_height;     // room above the grid for the same
    int upright;             // names of the keys stand upright: they do not fit side by side
    double number_size;      // font of the numbers in the cells; 0: none
    double legend_up;        // upper edge of the legend
    int legend_lines;        // swatches stand below the scale: they do not fit beside it
} figure_layout;

static const double page_margin = 24;
static const double title_size = 14, title_room = 26;
static const double axis_size = 12, axis_room = 26;
static const double label_gap = 7; // between names and grid

/* cr is only used to measure text. */
void figure_measure(cairo_t *cr, const figure *f, figure_layout *layout);

/* ---- drawing: figure_draw.c and figure_legend.c ---- */

typedef struct figure_inks {
    color page, text, quiet, frame, hatch, nan;
} figure_inks;

figure_inks figure_inks_of(color_theme theme);
void figure_set_color(cairo_t *cr, color c);
/* What a value is painted in: its place on the scale, or the grey that stands for no number. */
color figure_color(const figure *f, double value);
/* Fills the current path with the hatching of hidden cells; x, y, width, height: a box around it. Ends the path. */
void figure_hatch(cairo_t *cr, const figure *f, double x, double y, double width, double height);

/* Size of the legend when it may be room wide; sets legend_lines. */
void figure_legend_measure(cairo_t *cr, const figure *f, double room, figure_layout *layout, double *width,
                           double *height);
void figure_legend_draw(cairo_t *cr, const figure *f, const figure_layout *layout);

void figure_draw(cairo_t *cr, const figure *f, const figure_layout *layout);

#endif
