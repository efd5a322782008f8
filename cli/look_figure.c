#include <stdlib.h>

#include "look.h"

/* A figure and all that its panels point to, which share one life. */
typedef struct owned_figure {
    figure shown; // first: the figure's address is the owner's
    char (*titles)[LOOK_TITLE_MAX];
    figure_panel *panels;
    unsigned char *hidden; // (panel_count, cells, cells)
} owned_figure;

int64_t look_first_head(const look_view *view) { return view->head < 0 ? 0 : view->head; }

int64_t look_head_count(const look_view *view) { return view->head < 0 ? view->works[0]->heads : 1; }

void look_title(const look_view *view, int work, int64_t head, char title[LOOK_TITLE_MAX]) {
    int many_heads = view->works[0]->heads > 1;
    const char *pattern = view->count == 1 ? "" : work == 0 ? "full" : "causal";
    title[0] = '\0';
    if (many_heads)
        snprintf(title, LOOK_TITLE_MAX, "%s%shead %lld", pattern, pattern[0] == '\0' ? "" : ", ", (long long)head);
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

static owned_figure *allocate(int64_t panels, int64_t cells) {
    owned_figure *owner = calloc(1, sizeof *owner);
    if (owner == NULL)
        return NULL;
    owner->titles = calloc((size_t)panels, sizeof *owner->titles);
    owner->panels = calloc((size_t)panels, sizeof *owner->panels);
    owner->hidden = calloc((size_t)(panels * cells * cells), 1);
    if (owner->titles != NULL && owner->panels != NULL && owner->hidden != NULL)
        return owner;
    look_figure_free(&owner->shown);
    return NULL;
}

/* Panel p shows pattern p % count of head p / count. */
static void fill(const look_view *view, owned_figure *owner, int64_t p) {
    int64_t size = owner->shown.cells * owner->shown.cells, head = look_first_head(view) + p / view->count;
    const readings *found = &view->found[p % view->count];
    unsigned char *hidden = owner->hidden + p * size;
    look_title(view, (int)(p % view->count), head, owner->titles[p]);
    for (int64_t i = 0; i < size; i++)
        hidden[i] = found->grid_seen[head * size + i] == 0;
    owner->panels[p] = (figure_panel){owner->titles[p], found->grid + head * size, hidden};
}

figure *look_figure(const look_view *view, int64_t cells, double top) {
    int64_t panels = view->count * look_head_count(view);
    owned_figure *owner = allocate(panels, cells);
    if (owner == NULL)
        return NULL;
    figure *f = &owner->shown;
    f->labels = view->labels;
    f->tokens = view->works[0]->tokens;
    f->cells = cells;
    f->panels = owner->panels;
    f->panel_count = panels;
    f->across = choose_across(view);
    for (int64_t p = 0; p < panels; p++)
        fill(view, owner, p);
    figure_set_scale(f, top);
    return f;
}

void look_figure_free(figure *f) {
    owned_figure *owner = (owned_figure *)f;
    if (owner == NULL)
        return;
    free(owner->titles);
    free(owner->panels);
    free(owner->hidden);
    free(owner);
}
