#include <string.h>

#include "figure_cairo.h"

/* Outlines are not fitted to pixels: all surfaces then agree on every width. */
void set_font(cairo_t *cr, double size, int bold) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double drawn_width(cairo_t *cr, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

void draw_text(cairo_t *cr, double x, double y, text_side side, const char *text) {
    cairo_text_extents_t digit;
    cairo_text_extents(cr, "0", &digit);
    double width = drawn_width(cr, text);
    double start = side == TEXT_FROM ? x : side == TEXT_AROUND ? x - width / 2 : x - width;
    cairo_move_to(cr, start, y - digit.y_bearing - digit.height / 2);
    cairo_show_text(cr, text);
}

/* Length of text without its last character (not byte) of UTF-8. */
static size_t without_last(const char *text, size_t length) {
    do
        length--;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80);
    return length;
}

void fit_text(cairo_t *cr, const char *text, double room, char *fitted, size_t size) {
    static const char ellipsis[] = "…";
    size_t length = strlen(text);
    if (length < size && drawn_width(cr, text) <= room) {
        memcpy(fitted, text, length + 1);
        return;
    }
    while (length > size - sizeof ellipsis)
        length = without_last(text, length);
    do {
        length = length == 0 ? 0 : without_last(text, length);
        memcpy(fitted, text, length);
        memcpy(fitted + length, ellipsis, sizeof ellipsis);
    } while (length > 0 && drawn_width(cr, fitted) > room);
}
