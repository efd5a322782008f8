#include <stdlib.h>

#include "look.h"

int64_t look_first_head(const look_view *view) { return view->head < 0 ? 0 : view->head; }

int64_t look_head_count(const look_view *view) { return view->head < 0 ? view->works[0]->heads : 1; }

void look_title(const look_view *view, int work, int64_t head, char title[LOOK_TITLE_MAX]) {
    int many_heads = view->works[0]->heads > 1;
    const char *pattern = view->count == 1 ? "" : work == 0 ? "full" : "causal";
    title[0] = '\0';
    if (many_heads)
        snprintf(title, LOOK_TITLE_MAX, "%s%shead %lld", pattern, pattern[0] == '\0' ? "" : ", ", (long long)head + 1);
    else
        snprintf(title, LOOK_TITLE_MAX, "%s", pattern);
}

int64_t look_keys_seen(const worked *work, int64_t query) {
    int64_t seen = 0;
    for (int64_t key = 0; key < work->tokens; key++)
        seen += worked_sees(work, query, key);
    return seen;
}

/* Full and causal are neighbours; heads of one pattern form a square. */
static int64_t choose_across(const look_view *view) {
    int64_t across = view->count;
    while (view->count == 1 && across < 4 && across * across < look_head_count(view))
        across++;
    return across;
}

static int allocate(look_figure *f, int64_t panels, int64_t cells) {
    f->titles = calloc((size_t)panels, sizeof *f->titles);
    f->panels = calloc((size_t)panels, sizeof *f->panels);
    f->hidden = calloc((size_t)(panels * cells * cells), 1);
    return f->titles != NULL && f->panels != NULL && f->hidden != NULL ? 0 : -1;
}

/* Panel p shows pattern p % count of head p / count. */
static void fill(const look_view *view, look_figure *f, int64_t p) {
    int64_t size = f->shown.cells * f->shown.cells, head = look_first_head(view) + p / view->count;
    const readings *found = &view->found[p % view->count];
    unsigned char *hidden = f->hidden + p * size;
    look_title(view, (int)(p % view->count), head, f->titles[p]);
    for (int64_t i = 0; i < size; i++)
        hidden[i] = found->grid_seen[head * size + i] == 0;
    f->panels[p] = (figure_panel){f->titles[p], found->grid + head * size, hidden};
}

int look_figure_make(const look_view *view, int64_t cells, double ceiling, look_figure *result) {
    int64_t panels = view->count * look_head_count(view);
    *result = (look_figure){.shown = {.labels = view->labels,
                                      .tokens = view->works[0]->tokens,
                                      .cells = cells,
                                      .panel_count = panels,
                                      .across = choose_across(view)}};
    if (allocate(result, panels, cells) != 0)
        return -1;
    result->shown.panels = result->panels;
    for (int64_t p = 0; p < panels; p++)
        fill(view, result, p);
    figure_set_scale(&result->shown, ceiling);
    return 0;
}

void look_figure_free(look_figure *f) {
    free(f->titles);
    free(f->panels);
    free(f->hidden);
}
