#include "figure.h"

#include <math.h>
#include <string.h>

/* Round ends of a scale, times any power of ten, with the ticks that divide them into round steps. */
static const struct {
    double top;
    int steps;
} round_tops[] = {{0.1, 5}, {0.2, 4}, {0.3, 3}, {0.4, 4}, {0.5, 5}, {0.6, 3}, {0.8, 4}, {1, 5}};
enum { ROUND_TOPS = sizeof round_tops / sizeof *round_tops };

static double largest(const figure *f) {
    double most = 0;
    for (int64_t p = 0; p < f->panel_count; p++)
        for (int64_t i = 0; i < f->cells * f->cells; i++)
            if (f->panels[p].values[i] > most && isfinite(f->panels[p].values[i]))
                most = f->panels[p].values[i];
    return most;
}

/* Index of the round number that is top or, when none is, of the next above it; *unit: the power of ten it is for. */
static int round_top(double top, double *unit) {
    int choice = 0;
    *unit = pow(10, ceil(log10(top * (1 - 1e-12))));
    while (choice < ROUND_TOPS - 1 && round_tops[choice].top * *unit < top * (1 - 1e-12))
        choice++;
    return choice;
}

void figure_set_scale(figure *f, double ceiling) {
    double most = largest(f), wanted = ceiling > 0 ? ceiling : most > 0 ? most : 1, unit;
    int choice = round_top(wanted, &unit);
    f->top = ceiling > 0 ? ceiling : round_tops[choice].top * unit;
    f->steps = fabs(f->top - round_tops[choice].top * unit) < 1e-9 * f->top ? round_tops[choice].steps : 2;
    f->exceeded = most > f->top;
}

void figure_tick(const figure *f, int i, char *text, size_t size) {
    snprintf(text, size, "%s%.4g", i == f->steps && f->exceeded ? "≥ " : "", f->top * i / f->steps);
}

double figure_fraction(const figure *f, double value) { return fmin(1, fmax(0, value / f->top)); }

int figure_has_hidden(const figure *f) {
    size_t count = (size_t)(f->cells * f->cells);
    for (int64_t p = 0; p < f->panel_count; p++)
        if (memchr(f->panels[p].hidden, 1, count) != NULL)
            return 1;
    return 0;
}

int figure_has_nan(const figure *f) {
    for (int64_t p = 0; p < f->panel_count; p++)
        for (int64_t i = 0; i < f->cells * f->cells; i++)
            if (!f->panels[p].hidden[i] && isnan(f->panels[p].values[i]))
                return 1;
    return 0;
}

int figure_is_full(const figure *f) { return f->cells == f->tokens; }

int64_t figure_cells(int64_t tokens, int64_t most) {
    int64_t together = (tokens + most - 1) / most;
    return (tokens + together - 1) / together;
}

void figure_note(const figure *f, char *text, size_t size) {
    int64_t least = f->tokens / f->cells, most = (f->tokens + f->cells - 1) / f->cells;
    if (least == most)
        snprintf(text, size, "each cell: the largest weight of %lld queries and %lld keys", (long long)most,
                 (long long)most);
    else
        snprintf(text, size, "each cell: the largest weight of %lld or %lld queries and as many keys", (long long)least,
                 (long long)most);
}

int64_t figure_tick_step(double least) {
    int64_t power = 1;
    while ((double)(10 * power) < least)
        power *= 10;
    static const int64_t factors[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        if ((double)(factors[i] * power) >= least)
            return factors[i] * power;
    return 10 * power;
}

int figure_format_of(const char *path, figure_format *format) {
    static const struct {
        const char *ending;
        figure_format format;
    } endings[] = {{".svg", FIGURE_SVG}, {".pdf", FIGURE_PDF}, {".png", FIGURE_PNG}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i].ending) == 0) {
            *format = endings[i].format;
            return 1;
        }
    return 0;
}
