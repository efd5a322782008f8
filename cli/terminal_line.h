/* terminal_line.h - lines of text with coloured boxes, for terminals. Lines never end in blanks. */
#ifndef TERMINAL_LINE_H
#define TERMINAL_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "color_scale.h"

/* How a terminal shows colours: not at all, 24 greys, or any. */
typedef enum terminal_colors { TERMINAL_PLAIN, TERMINAL_GREYS, TERMINAL_COLORS } terminal_colors;

/* What out is able and allowed to show: TERMINAL_PLAIN unless it is a terminal of 256 colours or more. */
terminal_colors terminal_colors_of(FILE *out);
/* Light when COLORFGBG, which some terminals set, says that the background is; else dark, as most are. */
color_theme terminal_theme(void);

typedef struct terminal_line {
    FILE *out;
    terminal_colors colors;
    color_theme theme;
    int64_t blanks; // owed: written when something follows
} terminal_line;

void line_blanks(terminal_line *line, int64_t count);
void line_text(terminal_line *line, const char *text);
/* text in exactly width columns, cut with an ellipsis when longer, blanks after it when shorter. */
void line_fitted(terminal_line *line, const char *text, int width);
/* text, which is ASCII, in the middle of a box of width columns, painted as a value at fraction of the scale. */
void line_box(terminal_line *line, const char *text, int width, double fraction);
/* width columns struck through. */
void line_hidden(terminal_line *line, int width);
void line_end(terminal_line *line);

#endif
