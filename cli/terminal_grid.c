/* terminal_grid.c - a figure in lines of text. With colours, a cell is a painted box; without, a shading character
   and its number. Hidden cells are struck through, never blank. */
#include <math.h>
#include <string.h>

#include "figure.h"
#include "number_text.h"
#include "text_width.h"

enum {
    NAME_LEAST = 6,    // columns kept for the names of the queries
    NAME_MOST = 16,    // longer names are cut
    KEY_NAME = 6,      // columns that cells with numbers give to the names of the keys, when those need them
    UPRIGHT_MOST = 8,  // lines for names of keys that stand upright
    TALL_CELLS = 8,    // painted grids up to this size have cells of three lines
    NAME_GAP = 2,      // between names and grid
    PANEL_GAP = 4,     // between grids
    LEGEND_WIDTH = 72, // of the legend in one line, at most
};

static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
enum { SHADES = sizeof shades / sizeof *shades };

static const int bar_strips = 24; // of the legend

typedef struct view {
    terminal_line line;
    const figure *f;
    int plain;       // no colours
    int numbers;     // cells hold numbers
    int name_width;  // of the queries' names
    int cell_width;  // columns
    int cell_height; // lines
    int gap;         // between cells
    int64_t across;  // grids side by side
} view;

int64_t terminal_grid_cells(int64_t tokens, int columns) {
    int64_t fit = (columns - NAME_LEAST - NAME_GAP) / 2;
    return figure_cells(tokens, fit < 1 ? 1 : fit);
}

/* ---- what fits ---- */

static int lesser(int a, int b) { return a < b ? a : b; }

static int greater(int a, int b) { return a > b ? a : b; }

static int64_t grid_width(const view *v) { return v->f->cells * (v->cell_width + v->gap) - v->gap; }

static int position_width(const figure *f) {
    char last[24];
    return snprintf(last, sizeof last, "%lld", (long long)(f->tokens - 1));
}

static int widest_name(const figure *f) {
    int widest = 0;
    for (int64_t i = 0; i < f->tokens; i++)
        widest = greater(widest, text_width(f->labels[i]));
    return widest;
}

static void with_numbers(view *v) {
    char number[NUMBER_TEXT_MAX];
    number_fixed(number, v->f->top, v->f->digits);
    v->numbers = 1;
    v->cell_width = greater((int)strlen(number) + (v->plain ? 2 : 4), lesser(widest_name(v->f), KEY_NAME));
    v->gap = v->plain ? 2 : 0;
    v->cell_height = !v->plain && v->f->cells <= TALL_CELLS ? 3 : 1;
}

static void without_numbers(view *v) {
    v->numbers = 0;
    v->cell_width = 2;
    v->gap = 0;
    v->cell_height = 1;
}

/* As many grids side by side as fit, at most what the figure asks for; 0 when none does. */
static int64_t choose_across(const view *v, int columns) {
    int64_t across = v->f->across < v->f->panel_count ? v->f->across : v->f->panel_count;
    while (across > 0 && v->name_width + NAME_GAP + across * (grid_width(v) + PANEL_GAP) - PANEL_GAP > columns)
        across--;
    return across;
}

/* Names are cut when the grid needs their room. */
static int choose_name_width(const figure *f, int columns) {
    if (!figure_is_full(f))
        return position_width(f);
    int64_t room = columns - NAME_GAP - 2 * f->cells;
    int widest = lesser(widest_name(f), NAME_MOST);
    return room >= widest ? widest : lesser(widest, greater((int)room, NAME_LEAST));
}

static void choose(view *v, int columns) {
    v->name_width = choose_name_width(v->f, columns);
    with_numbers(v);
    v->across = figure_is_full(v->f) ? choose_across(v, columns) : 0;
    if (v->across > 0)
        return;
    without_numbers(v);
    v->across = choose_across(v, columns);
    if (v->across == 0)
        v->across = 1;
}

/* ---- names of the keys, over count grids side by side ---- */

static void begin_grid(view *v, int64_t place) { line_blanks(&v->line, place > 0 ? PANEL_GAP : 0); }

static void begin_cell(view *v, int64_t place) { line_blanks(&v->line, place > 0 ? v->gap : 0); }

static void print_titles(view *v, int64_t first, int64_t count) {
    if (v->f->panels[first].title[0] == '\0')
        return;
    line_blanks(&v->line, v->name_width + NAME_GAP);
    for (int64_t p = 0; p < count; p++) {
        begin_grid(v, p);
        line_fitted(&v->line, v->f->panels[first + p].title, (int)grid_width(v));
    }
    line_end(&v->line);
}

static void print_level_names(view *v, int64_t count) {
    line_blanks(&v->line, v->name_width + NAME_GAP);
    for (int64_t p = 0; p < count; p++) {
        begin_grid(v, p);
        for (int64_t i = 0; i < v->f->cells; i++) {
            begin_cell(v, i);
            int air = greater(0, v->cell_width - text_width(v->f->labels[i])), indent = v->plain ? 0 : air / 2;
            line_blanks(&v->line, indent);
            line_fitted(&v->line, v->f->labels[i], v->cell_width - indent);
        }
    }
    line_end(&v->line);
}

static int character_count(const char *text) {
    int count = 0, columns;
    for (size_t bytes; (bytes = text_character(text, &columns)) > 0; text += bytes)
        count++;
    return count;
}

/* The character of text on a line of the height of all upright names, which stand on the grid and are cut. */
static void print_upright(view *v, const char *text, int height, int at) {
    int count = character_count(text), index = at - (height - lesser(count, height)), columns;
    size_t bytes = 0;
    for (int i = 0; i <= index; i++, text += i <= index ? bytes : 0)
        bytes = text_character(text, &columns);
    char character[16] = "…";
    if (index < 0)
        character[0] = '\0';
    else if (count <= height || at < height - 1)
        snprintf(character, sizeof character, "%.*s", (int)bytes, text);
    line_fitted(&v->line, character, v->cell_width);
}

static void print_upright_names(view *v, int64_t count) {
    int height = 0;
    for (int64_t i = 0; i < v->f->cells; i++)
        height = greater(height, lesser(UPRIGHT_MOST, character_count(v->f->labels[i])));
    for (int at = 0; at < height; at++) {
        line_blanks(&v->line, v->name_width + NAME_GAP);
        for (int64_t p = 0; p < count; p++) {
            begin_grid(v, p);
            for (int64_t i = 0; i < v->f->cells; i++)
                print_upright(v, v->f->labels[i], height, at);
        }
        line_end(&v->line);
    }
}

/* First token of a cell. */
static int64_t first_of(const view *v, int64_t cell) { return cell * v->f->tokens / v->f->cells; }

static void print_key_positions(view *v, int64_t count) {
    int64_t step = figure_tick_step(position_width(v->f) / 2.0 + 1);
    line_blanks(&v->line, v->name_width + NAME_GAP);
    for (int64_t p = 0; p < count; p++) {
        begin_grid(v, p);
        for (int64_t i = 0; i < v->f->cells; i += step) {
            char number[24];
            snprintf(number, sizeof number, "%lld", (long long)first_of(v, i));
            line_fitted(&v->line, number, 2 * (int)(v->f->cells - i < step ? v->f->cells - i : step));
        }
    }
    line_end(&v->line);
}

static void print_key_names(view *v, int64_t count) {
    if (!figure_is_full(v->f))
        print_key_positions(v, count);
    else if (v->numbers)
        print_level_names(v, count);
    else
        print_upright_names(v, count);
}

/* ---- cells ---- */

static void print_plain(view *v, const char *number, double fraction) {
    const char *shade = shades[lround((SHADES - 1) * fraction)];
    char cell[NUMBER_TEXT_MAX + 16];
    snprintf(cell, sizeof cell, "%s%s%s", shade, v->numbers ? " " : shade, number);
    line_fitted(&v->line, cell, v->cell_width);
}

/* at: line of the cell; the number stands in the middle one. */
static void print_cell(view *v, const figure_panel *panel, int64_t cell, int at) {
    double fraction = figure_fraction(v->f, panel->values[cell]);
    int middle = at == v->cell_height / 2;
    char number[NUMBER_TEXT_MAX] = "";
    if (v->numbers && middle)
        number_fixed(number, panel->values[cell], v->f->digits);
    if (panel->hidden[cell])
        line_hidden(&v->line, v->cell_width);
    else if (isnan(panel->values[cell])) /* no place on the scale */
        line_fitted(&v->line, v->numbers && middle ? "? nan" : "??", v->cell_width);
    else if (v->plain)
        print_plain(v, number, fraction);
    else
        line_box(&v->line, number, v->cell_width, fraction);
}

static void print_query_name(view *v, int64_t row, int at) {
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)first_of(v, row));
    const char *name = figure_is_full(v->f) ? v->f->labels[row] : row % 5 == 0 ? number : "";
    line_fitted(&v->line, at == v->cell_height / 2 ? name : "", v->name_width);
    line_blanks(&v->line, NAME_GAP);
}

static void print_row(view *v, int64_t first, int64_t count, int64_t row) {
    for (int at = 0; at < v->cell_height; at++) {
        print_query_name(v, row, at);
        for (int64_t p = 0; p < count; p++) {
            begin_grid(v, p);
            for (int64_t i = 0; i < v->f->cells; i++) {
                begin_cell(v, i);
                print_cell(v, v->f->panels + first + p, row * v->f->cells + i, at);
            }
        }
        line_end(&v->line);
    }
}

/* ---- legend ---- */

/* Each shade stands for the numbers around its own. */
static void print_shades(view *v) {
    for (int i = 0; i < SHADES; i++) {
        char number[32];
        snprintf(number, sizeof number, " %s%.4g", i == SHADES - 1 && v->f->exceeded ? "≥ " : "",
                 v->f->top * i / (SHADES - 1));
        line_text(&v->line, shades[i]);
        line_text(&v->line, number);
        line_blanks(&v->line, 2);
    }
}

static void print_bar(view *v) {
    char number[32];
    figure_tick(v->f, v->f->steps, number, sizeof number);
    line_text(&v->line, "0 ");
    for (int i = 0; i < bar_strips; i++)
        line_box(&v->line, "", 1, (i + 0.5) / bar_strips);
    line_blanks(&v->line, 1);
    line_text(&v->line, number);
    line_blanks(&v->line, 3);
}

static void print_legend(view *v, int columns) {
    line_end(&v->line);
    line_text(&v->line, "weight  ");
    if (v->plain)
        print_shades(v);
    else
        print_bar(v);
    if (figure_has_hidden(v->f)) {
        if (columns < LEGEND_WIDTH)
            line_end(&v->line);
        else
            line_blanks(&v->line, 1);
        line_hidden(&v->line, 2);
        line_text(&v->line, " hidden from the query");
    }
    if (figure_has_nan(v->f)) {
        line_end(&v->line);
        line_text(&v->line, "??  not a number");
    }
    line_end(&v->line);
    if (figure_is_full(v->f))
        return;
    char note[128];
    figure_note(v->f, note, sizeof note);
    line_text(&v->line, note);
    line_end(&v->line);
}

void terminal_grid_print(FILE *out, const figure *f, terminal_colors colors, int columns) {
    view v = {.line = {out, colors, f->theme, 0}, .f = f, .plain = colors == TERMINAL_PLAIN};
    choose(&v, columns);
    for (int64_t first = 0; first < f->panel_count; first += v.across) {
        int64_t left = f->panel_count - first, count = left < v.across ? left : v.across;
        if (first > 0)
            line_end(&v.line);
        print_titles(&v, first, count);
        print_key_names(&v, count);
        for (int64_t row = 0; row < f->cells; row++)
            print_row(&v, first, count, row);
    }
    print_legend(&v, columns);
}
