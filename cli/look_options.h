/* look_options.h - what the user of `attend look` asked for. */
#ifndef LOOK_OPTIONS_H
#define LOOK_OPTIONS_H

#include "color_scale.h"
#include "figure.h"
#include "request.h"
#include "worked.h"

typedef struct look_options {
    const char *name;   // of a built-in example
    const char *path;   // of a file
    const char *output; // where the picture goes; NULL: to the terminal
    figure_format format;
    const char *rows; // names of queries, separated by commas
    int64_t top;
    int entropy;
    int received;
    int json;
    int compare_causal;
    worked_options how;
    int64_t head;      // counted from 1; 0: all
    int64_t digits;    // -1: not given
    int theme;         // a color_theme; -1: not given
    int64_t width;     // 0: the picture's natural size
    double ceiling;    // 0: chosen by the picture
    int64_t cells;     // a side of the grid, 0: not given
    request request;   // of tensors from files
    const char *alone; // an option that makes sense only with them
    int tensors;       // there are such: no example
    int help;
} look_options;

/* Exit status: CLI_DONE, or CLI_USAGE after a message. */
int look_options_read(look_options *options, int argc, char **argv);

#endif
