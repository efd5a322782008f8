#include <math.h>
#include <string.h>

#include "figure_cairo.h"

static const char value_name[] = "weight";
static const char hidden_name[] = "hidden from the query", nan_name[] = "not a number";
static const double bar_length = 160, bar_height = 12, swatch_length = 22;
static const double line_room = 24, tick_length = 4, tick_size = 11, text_size = 12;
static const double gap = 8, between = 28;

static double name_width(cairo_t *cr, const char *name) {
    set_font(cr, text_size, 0);
    return drawn_width(cr, name);
}

/* From the left edge to the end of the last tick's number, half of which stands out. */
static double scale_width(cairo_t *cr) { return name_width(cr, value_name) + gap + bar_length + 14; }

/* Swatches side by side for what is beside the scale. */
static double swatches_width(cairo_t *cr, const figure *f) {
    double hidden = figure_has_hidden(f) ? swatch_length + gap + name_width(cr, hidden_name) : 0;
    double nan = figure_has_nan(f) ? swatch_length + gap + name_width(cr, nan_name) : 0;
    return hidden + nan + (hidden > 0 && nan > 0 ? between : 0);
}

void figure_legend_measure(cairo_t *cr, const figure *f, double room, figure_layout *layout, double *width,
                           double *height) {
    double scale = scale_width(cr), swatches = swatches_width(cr, f),
           both = scale + (swatches > 0 ? between : 0) + swatches;
    layout->legend_lines = both > room && swatches > 0 ? 2 : 1;
    *width = layout->legend_lines == 1 ? both : fmax(scale, swatches);
    *height = bar_height + tick_length + 4 + tick_size + (layout->legend_lines - 1) * line_room;
    if (figure_is_full(f))
        return;
    char note[128];
    figure_note(f, note, sizeof note);
    *width = fmax(*width, name_width(cr, note));
    *height += line_room;
}

/* Gradients blend in RGB, which is not how the scale runs: the stops lie too close for the difference to show. */
static void draw_bar(cairo_t *cr, const figure *f, double x, double y) {
    const int stops = 32;
    cairo_pattern_t *gradient = cairo_pattern_create_linear(x, y, x + bar_length, y);
    for (int i = 0; i <= stops; i++) {
        double at = (double)i / stops;
        color c = color_scale_at(f->theme, at);
        cairo_pattern_add_color_stop_rgb(gradient, at, c.red, c.green, c.blue);
    }
    cairo_rectangle(cr, x, y, bar_length, bar_height);
    cairo_set_source(cr, gradient);
    cairo_fill_preserve(cr);
    cairo_pattern_destroy(gradient);
    figure_set_color(cr, figure_inks_of(f->theme).frame);
    cairo_set_line_width(cr, 0.75);
    cairo_stroke(cr);
}

static void draw_ticks(cairo_t *cr, const figure *f, double x, double y) {
    figure_inks inks = figure_inks_of(f->theme);
    set_font(cr, tick_size, 0);
    for (int i = 0; i <= f->steps; i++) {
        double at = x + bar_length * i / f->steps;
        char number[32];
        figure_tick(f, i, number, sizeof number);
        figure_set_color(cr, inks.frame);
        cairo_move_to(cr, at, y);
        cairo_line_to(cr, at, y + tick_length);
        cairo_stroke(cr);
        figure_set_color(cr, inks.text);
        draw_text(cr, at, y + tick_length + 4 + tick_size / 2, TEXT_AROUND, number);
    }
}

static void draw_scale(cairo_t *cr, const figure *f, double x, double y) {
    figure_set_color(cr, figure_inks_of(f->theme).text);
    double bar = x + name_width(cr, value_name) + gap;
    draw_text(cr, x, y + bar_height / 2, TEXT_FROM, value_name);
    draw_bar(cr, f, bar, y);
    draw_ticks(cr, f, bar, y + bar_height);
}

/* Returns where its name ends. */
static double draw_swatch(cairo_t *cr, const figure *f, double x, double y, const char *name) {
    cairo_rectangle(cr, x, y, swatch_length, bar_height);
    if (name == hidden_name) {
        figure_hatch(cr, f, x, y, swatch_length, bar_height);
    } else {
        figure_set_color(cr, figure_color(f, (double)NAN));
        cairo_fill(cr);
    }
    figure_set_color(cr, figure_inks_of(f->theme).frame);
    cairo_rectangle(cr, x, y, swatch_length, bar_height);
    cairo_set_line_width(cr, 0.75);
    cairo_stroke(cr);
    figure_set_color(cr, figure_inks_of(f->theme).text);
    set_font(cr, text_size, 0);
    draw_text(cr, x + swatch_length + gap, y + bar_height / 2, TEXT_FROM, name);
    return x + swatch_length + gap + name_width(cr, name);
}

static void draw_swatches(cairo_t *cr, const figure *f, double x, double y) {
    if (figure_has_hidden(f))
        x = draw_swatch(cr, f, x, y, hidden_name) + between;
    if (figure_has_nan(f))
        draw_swatch(cr, f, x, y, nan_name);
}

void figure_legend_draw(cairo_t *cr, const figure *f, const figure_layout *layout) {
    double x = layout->left, y = layout->legend_up;
    draw_scale(cr, f, x, y);
    if (layout->legend_lines == 1)
        draw_swatches(cr, f, x + scale_width(cr) + between, y);
    y += bar_height + tick_length + 4 + tick_size;
    if (layout->legend_lines == 2) {
        y += line_room;
        draw_swatches(cr, f, x, y - bar_height);
    }
    if (figure_is_full(f))
        return;
    char note[128];
    figure_note(f, note, sizeof note);
    figure_set_color(cr, figure_inks_of(f->theme).quiet);
    set_font(cr, text_size, 0);
    draw_text(cr, x, y + line_room - text_size / 2, TEXT_FROM, note);
}
