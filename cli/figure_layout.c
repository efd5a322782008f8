#include <math.h>
#include <string.h>

#include "figure_cairo.h"
#include "number_text.h"

static const double label_size_most = 13, label_size_least = 7;
static const double number_size_most = 13, number_size_least = 7;
static const double row_label_room = 140, column_label_room = 110; // longer names are cut
static const double cell_most = 58, cell_least = 3;

/* Grids get smaller as more stand side by side. */
static double choose_cell(const figure *f, int64_t across) {
    double room = across == 1 ? 620 : across == 2 ? 460 : 320;
    return fmin(cell_most, fmax(cell_least, floor(room / (double)f->cells)));
}

/* Large type while cells are large; 0 when the cells are too small for any. */
static double size_for(double cell, double part, double most, double least) {
    double size = fmin(most, floor(cell * part * 2) / 2);
    return size < least ? 0 : size;
}

static double widest_label(cairo_t *cr, const figure *f, double room) {
    double widest = 0;
    for (int64_t i = 0; i < f->tokens && widest < room; i++) {
        char fitted[FITTED_MAX];
        fit_text(cr, f->labels[i], room, fitted, sizeof fitted);
        widest = fmax(widest, drawn_width(cr, fitted));
    }
    return fmin(widest, room);
}

static void measure_labels(cairo_t *cr, const figure *f, figure_layout *layout) {
    layout->label_size = figure_is_full(f) ? size_for(layout->cell, 0.8, label_size_most, label_size_least) : 0;
    if (layout->label_size == 0) {
        char last[24];
        snprintf(last, sizeof last, "%lld", (long long)(f->tokens - 1));
        set_font(cr, axis_size, 0);
        layout->label_width = drawn_width(cr, last) + label_gap;
        layout->label_height = axis_size + label_gap;
        return;
    }
    set_font(cr, layout->label_size, 0);
    double widest = widest_label(cr, f, column_label_room);
    layout->upright = widest > layout->cell - 4;
    layout->label_width = widest_label(cr, f, row_label_room) + label_gap;
    layout->label_height = (layout->upright ? widest : layout->label_size) + label_gap;
}

/* The widest number a cell has to hold. */
static void measure_numbers(cairo_t *cr, const figure *f, figure_layout *layout) {
    char number[NUMBER_TEXT_MAX];
    number_fixed(number, f->top, f->digits);
    set_font(cr, number_size_most, 0);
    double part = number_size_most / (drawn_width(cr, number) + 7); // 7: air beside the number
    layout->number_size = figure_is_full(f) ? size_for(layout->cell, part, number_size_most, number_size_least) : 0;
}

static int has_titles(const figure *f) {
    for (int64_t p = 0; p < f->panel_count; p++)
        if (f->panels[p].title[0] != '\0')
            return 1;
    return 0;
}

static void place_panels(const figure *f, figure_layout *layout) {
    double above = (has_titles(f) ? title_room : 0) + axis_room + layout->label_height;
    layout->left = page_margin + axis_room + layout->label_width;
    layout->up = page_margin + above;
    layout->pitch_x = layout->side + 28;
    layout->pitch_y = layout->side + 28 + above;
}

void figure_measure(cairo_t *cr, const figure *f, figure_layout *layout) {
    memset(layout, 0, sizeof *layout);
    layout->across = f->across < f->panel_count ? f->across : f->panel_count;
    layout->cell = choose_cell(f, layout->across);
    layout->side = layout->cell * (double)f->cells;
    measure_labels(cr, f, layout);
    measure_numbers(cr, f, layout);
    place_panels(f, layout);
    int64_t down = (f->panel_count + layout->across - 1) / layout->across;
    double grids_width = (double)(layout->across - 1) * layout->pitch_x + layout->side;
    double grids_down = layout->up + (double)(down - 1) * layout->pitch_y + layout->side;
    layout->legend_up = grids_down + 22;
    double legend_width, legend_height;
    figure_legend_measure(cr, f, grids_width, layout, &legend_width, &legend_height);
    layout->width = ceil(layout->left + fmax(grids_width, legend_width) + page_margin);
    layout->height = ceil(layout->legend_up + legend_height + page_margin);
}
