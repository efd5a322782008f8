#include <math.h>

#include "figure_cairo.h"
#include "number_text.h"

static const double hatch_pitch = 6;
static const double gap_from = 9; // smaller cells touch each other; others have a gap at their right and lower edge

figure_inks figure_inks_of(color_theme theme) {
    static const figure_inks light = {{1, 1, 1},          {0.11, 0.13, 0.15}, {0.34, 0.38, 0.42},
                                      {0.52, 0.56, 0.60}, {0.70, 0.73, 0.76}, {0.62, 0.62, 0.62}};
    static const figure_inks dark = {{0.05, 0.07, 0.09}, {0.90, 0.93, 0.95}, {0.62, 0.66, 0.70},
                                     {0.46, 0.50, 0.55}, {0.36, 0.40, 0.45}, {0.45, 0.45, 0.45}};
    return theme == THEME_DARK ? dark : light;
}

void figure_set_color(cairo_t *cr, color c) { cairo_set_source_rgb(cr, c.red, c.green, c.blue); }

color figure_color(const figure *f, double value) {
    return isnan(value) ? figure_inks_of(f->theme).nan : color_scale_at(f->theme, figure_fraction(f, value));
}

void figure_hatch(cairo_t *cr, const figure *f, double x, double y, double width, double height) {
    cairo_save(cr);
    cairo_clip(cr);
    figure_set_color(cr, figure_inks_of(f->theme).hatch);
    cairo_set_line_width(cr, 1);
    int lines = (int)((width + height) / hatch_pitch);
    for (int i = 0; i <= lines; i++) { // each from lower left to upper right
        double upper = x + hatch_pitch * (i + 0.5);
        cairo_move_to(cr, upper - height, y + height);
        cairo_line_to(cr, upper, y);
    }
    cairo_stroke(cr);
    cairo_restore(cr);
}

/* ---- one grid, its corner at the origin ---- */

static double cell_gap(const figure_layout *layout) { return layout->cell >= gap_from ? 1 : 0; }

static void draw_values(cairo_t *cr, const figure *f, const figure_panel *panel, const figure_layout *layout) {
    double cell = layout->cell, gap = cell_gap(layout);
    double paint = gap > 0 ? cell - gap : cell + 0.25; // overlap leaves no seams between cells that touch
    for (int64_t i = 0; i < f->cells * f->cells; i++) {
        int64_t row = i / f->cells, column = i % f->cells;
        if (panel->hidden[i])
            continue;
        figure_set_color(cr, figure_color(f, panel->values[i]));
        cairo_rectangle(cr, cell * (double)column, cell * (double)row, paint, paint);
        cairo_fill(cr);
    }
}

static void draw_numbers(cairo_t *cr, const figure *f, const figure_panel *panel, const figure_layout *layout) {
    double cell = layout->cell;
    set_font(cr, layout->number_size, 0);
    for (int64_t i = 0; i < f->cells * f->cells; i++) {
        int64_t row = i / f->cells, column = i % f->cells;
        if (panel->hidden[i])
            continue;
        char number[NUMBER_TEXT_MAX];
        number_fixed(number, panel->values[i], f->digits);
        figure_set_color(cr, color_ink_on(figure_color(f, panel->values[i])));
        draw_text(cr, cell * ((double)column + 0.5), cell * ((double)row + 0.5), TEXT_AROUND, number);
    }
}

/* Neighbours in a row share one rectangle, so that the lines run through. */
static void draw_hidden(cairo_t *cr, const figure *f, const figure_panel *panel, const figure_layout *layout) {
    double cell = layout->cell, gap = cell_gap(layout);
    int64_t found = 0;
    for (int64_t row = 0; row < f->cells; row++)
        for (int64_t from = 0, to; from < f->cells; from = to) {
            const unsigned char *hidden = panel->hidden + row * f->cells;
            for (to = from + 1; to < f->cells && hidden[to] == hidden[from];)
                to++;
            if (!hidden[from])
                continue;
            cairo_rectangle(cr, cell * (double)from, cell * (double)row, cell * (double)(to - from) - gap, cell);
            found++;
        }
    if (found > 0)
        figure_hatch(cr, f, 0, 0, layout->side, layout->side);
}

static void draw_frame(cairo_t *cr, const figure *f, const figure_layout *layout) {
    double gap = cell_gap(layout);
    figure_set_color(cr, figure_inks_of(f->theme).frame);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, -0.5 - gap, -0.5 - gap, layout->side + 1 + gap, layout->side + 1 + gap);
    cairo_stroke(cr);
}

/* Text that reads upwards, starting at x, y. */
static void draw_upright(cairo_t *cr, double x, double y, text_side side, const char *text) {
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, -acos(-1) / 2);
    draw_text(cr, 0, 0, side, text);
    cairo_restore(cr);
}

static void draw_key_names(cairo_t *cr, const figure *f, const figure_layout *layout) {
    double room = layout->label_height - label_gap;
    for (int64_t i = 0; i < f->cells; i++) {
        double middle = layout->cell * ((double)i + 0.5);
        char name[FITTED_MAX];
        fit_text(cr, f->labels[i], layout->upright ? room + 0.01 : layout->cell, name, sizeof name);
        if (layout->upright)
            draw_upright(cr, middle, -label_gap, TEXT_FROM, name);
        else
            draw_text(cr, middle, -label_gap - layout->label_size / 2, TEXT_AROUND, name);
    }
}

static void draw_query_names(cairo_t *cr, const figure *f, const figure_layout *layout) {
    for (int64_t i = 0; i < f->cells; i++) {
        char name[FITTED_MAX];
        fit_text(cr, f->labels[i], layout->label_width - label_gap + 0.01, name, sizeof name);
        draw_text(cr, -label_gap, layout->cell * ((double)i + 0.5), TEXT_UP_TO, name);
    }
}

/* Positions at round numbers, when there are too many tokens to name. */
static void draw_positions(cairo_t *cr, const figure *f, const figure_layout *layout, int down) {
    double spacing = layout->side / (double)f->tokens;
    int64_t step = figure_tick_step((down ? axis_size * 2 : layout->label_width + 8) / spacing);
    for (int64_t t = 0; t < f->tokens; t += step) {
        double at = spacing * ((double)t + 0.5);
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)t);
        cairo_move_to(cr, down ? -4 : at, down ? at : -4);
        cairo_line_to(cr, down ? -1 : at, down ? at : -1);
        cairo_stroke(cr);
        if (down)
            draw_text(cr, -label_gap, at, TEXT_UP_TO, number);
        else
            draw_text(cr, at, -label_gap - axis_size / 2, TEXT_AROUND, number);
    }
}

static void draw_names(cairo_t *cr, const figure *f, const figure_layout *layout, int down) {
    figure_set_color(cr, figure_inks_of(f->theme).text);
    if (layout->label_size == 0) {
        set_font(cr, axis_size, 0);
        draw_positions(cr, f, layout, down);
        return;
    }
    set_font(cr, layout->label_size, 0);
    if (down)
        draw_query_names(cr, f, layout);
    else
        draw_key_names(cr, f, layout);
}

static void draw_axis_title(cairo_t *cr, const figure *f, const figure_layout *layout, int down) {
    double away = (down ? layout->label_width : layout->label_height) + axis_room / 2;
    figure_set_color(cr, figure_inks_of(f->theme).quiet);
    set_font(cr, axis_size, 0);
    if (down)
        draw_upright(cr, -away, layout->side / 2, TEXT_AROUND, "query");
    else
        draw_text(cr, layout->side / 2, -away, TEXT_AROUND, "key");
}

static void draw_title(cairo_t *cr, const figure *f, const figure_panel *panel, const figure_layout *layout) {
    figure_set_color(cr, figure_inks_of(f->theme).text);
    set_font(cr, title_size, 1);
    draw_text(cr, 0, -layout->label_height - axis_room - title_room / 2, TEXT_FROM, panel->title);
}

static void draw_panel(cairo_t *cr, const figure *f, const figure_panel *panel, const figure_layout *layout,
                       int first_in_row) {
    draw_values(cr, f, panel, layout);
    draw_hidden(cr, f, panel, layout);
    draw_frame(cr, f, layout);
    if (layout->number_size > 0)
        draw_numbers(cr, f, panel, layout);
    draw_title(cr, f, panel, layout);
    for (int down = 0; down <= first_in_row; down++) { // grids of one row share the names of the queries
        draw_axis_title(cr, f, layout, down);
        draw_names(cr, f, layout, down);
    }
}

void figure_draw(cairo_t *cr, const figure *f, const figure_layout *layout) {
    figure_set_color(cr, figure_inks_of(f->theme).page);
    cairo_paint(cr);
    for (int64_t p = 0; p < f->panel_count; p++) {
        int64_t across = p % layout->across, down = p / layout->across;
        double x = layout->left + (double)across * layout->pitch_x, y = layout->up + (double)down * layout->pitch_y;
        cairo_save(cr);
        cairo_translate(cr, x, y);
        draw_panel(cr, f, f->panels + p, layout, across == 0);
        cairo_restore(cr);
    }
    figure_legend_draw(cr, f, layout);
}
