#define _POSIX_C_SOURCE 200809L /* fileno, isatty, clock_gettime */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { COLUMNS_DEFAULT = 80, COLUMNS_MAX = 10000, BAR_WIDTH = 40 };

static bool is_lively(FILE *stream) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

bool cli_color(FILE *stream) {
    const char *refusal = getenv("NO_COLOR");
    return is_lively(stream) && (refusal == NULL || refusal[0] == 0);
}

int cli_columns(FILE *stream) {
    const char *wish = getenv("COLUMNS");
    long columns = wish == NULL ? 0 : strtol(wish, NULL, 10);
    struct winsize size;
    if (columns < 1 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns < 1 ? COLUMNS_DEFAULT : columns > COLUMNS_MAX ? COLUMNS_MAX : (int)columns;
}

void cli_progress(const char *what, double done) {
    static int shown = -1; /* percent on the screen */
    int percent = (int)floor(done * 100);
    if (percent == shown || !is_lively(stderr))
        return;
    shown = percent;
    if (done >= 1) {
        fputs("\r\033[K", stderr);
        return;
    }
    int filled = percent * BAR_WIDTH / 100;
    fprintf(stderr, "\r%s [%.*s%*s] %3d%%", what, filled, "########################################",
            BAR_WIDTH - filled, "", percent);
    fflush(stderr);
}

double cli_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
