#include "terminal_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "text_width.h"

static int is_set_to(const char *variable, const char *value) {
    const char *set = getenv(variable);
    return set != NULL && strcmp(set, value) == 0;
}

terminal_colors terminal_colors_of(FILE *out) {
    const char *terminal = getenv("TERM");
    if (!cli_color(out))
        return TERMINAL_PLAIN;
    if (is_set_to("COLORTERM", "truecolor") || is_set_to("COLORTERM", "24bit"))
        return TERMINAL_COLORS;
    return terminal != NULL && strstr(terminal, "256color") != NULL ? TERMINAL_GREYS : TERMINAL_PLAIN;
}

/* COLORFGBG is "INK;PAPER", numbers of the 16 first colours: 7 and 15 are white. */
color_theme terminal_theme(void) {
    const char *colors = getenv("COLORFGBG"), *paper = colors == NULL ? NULL : strrchr(colors, ';');
    return paper != NULL && (strcmp(paper, ";7") == 0 || strcmp(paper, ";15") == 0) ? THEME_LIGHT : THEME_DARK;
}

static void pay_blanks(terminal_line *line) {
    for (; line->blanks > 0; line->blanks--)
        fputc(' ', line->out);
}

void line_blanks(terminal_line *line, int64_t count) { line->blanks += count; }

void line_text(terminal_line *line, const char *text) {
    pay_blanks(line);
    fputs(text, line->out);
}

/* Bytes of text that take at most *room columns; *room = what is left of them. */
static size_t bytes_within(const char *text, int *room) {
    size_t length = 0;
    int columns = 0;
    for (size_t bytes; (bytes = text_character(text + length, &columns)) > 0 && columns <= *room; length += bytes)
        *room -= columns;
    return length;
}

void line_fitted(terminal_line *line, const char *text, int width) {
    int cut = text_width(text) > width, room = cut ? width - 1 : width;
    if (text[0] != '\0')
        pay_blanks(line);
    fwrite(text, 1, bytes_within(text, &room), line->out);
    if (cut)
        fputs("…", line->out);
    line->blanks += room;
}

/* The 24 greys of xterm's palette, numbers 232 to 255. */
static color grey_of(int level) {
    double part = (8 + 10 * level) / 255.0;
    return (color){part, part, part};
}

static void paint_grey(const terminal_line *line, double fraction) {
    int level = (int)lround(23 * (line->theme == THEME_DARK ? fraction : 1 - fraction));
    fprintf(line->out, "\033[48;5;%d;38;5;%dm", 232 + level, color_ink_on(grey_of(level)).red > 0 ? 231 : 16);
}

static void paint_color(const terminal_line *line, double fraction) {
    color paper = color_scale_at(line->theme, fraction);
    int ink = color_ink_on(paper).red > 0 ? 255 : 0;
    fprintf(line->out, "\033[48;2;%ld;%ld;%ld;38;2;%d;%d;%dm", lround(paper.red * 255), lround(paper.green * 255),
            lround(paper.blue * 255), ink, ink, ink);
}

void line_box(terminal_line *line, const char *text, int width, double fraction) {
    int air = width - (int)strlen(text);
    pay_blanks(line);
    if (line->colors == TERMINAL_GREYS)
        paint_grey(line, fraction);
    else
        paint_color(line, fraction);
    fprintf(line->out, "%*s%s%*s\033[0m", air / 2, "", text, air - air / 2, "");
}

void line_hidden(terminal_line *line, int width) {
    pay_blanks(line);
    if (line->colors != TERMINAL_PLAIN)
        fputs("\033[2m", line->out);
    for (int i = 0; i < width; i++)
        fputs("╱", line->out);
    if (line->colors != TERMINAL_PLAIN)
        fputs("\033[0m", line->out);
}

void line_end(terminal_line *line) {
    line->blanks = 0;
    fputc('\n', line->out);
}
