/* trace_page.c - every step on one page: embed, place and project where the example begins with x, then compare, scale,
   mask, normalize and combine for each head, then merge. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

static const char *yes_or_no(int holds) { return holds ? "yes" : "NO"; }

const char *const trace_shift_reason =
    "The largest score of a row is taken out before exp: that divides the row's exponentials and their total by the "
    "same number, so no weight changes, and the numbers stay readable.";

void trace_scale_text(const worked *work, char text[NUMBER_TEXT_MAX]) {
    if (work->scale_given)
        snprintf(text, NUMBER_TEXT_MAX, work->scale < 0 ? "* (%.6g)" : "* %.6g", work->scale);
    else
        snprintf(text, NUMBER_TEXT_MAX, "/ sqrt(%lld)", (long long)work->head_width);
}

/* ---- the parts of tables --------------------------------------------------------------------- */

static page_table by_token(const trace_view *view, const char *corner) {
    page_table table;
    memset(&table, 0, sizeof table);
    table.corner = corner;
    table.row_labels = view->labels;
    table.rows = view->works[0]->tokens;
    return table;
}

/* Which of two works something belongs to, to be set before its name; nothing when there is but one. */
static const char *which(const trace_view *view, int w) {
    if (view->count == 1)
        return "";
    return view->works[w]->causal ? "causal " : "full ";
}

enum { TITLE_MAX = 40 };

static const char *titled(const trace_view *view, int w, const char *what, char title[TITLE_MAX]) {
    snprintf(title, TITLE_MAX, "%s%s", which(view, w), what);
    return title;
}

static void add_numbers(page_table *table, const char *title, const double *numbers, int64_t columns, int digits) {
    page_block block = {title, NULL, numbers, columns, digits, 0};
    page_table_add(table, block);
}

/* Numbers as a person gave them: whole ones without decimals. */
static void add_given(page_table *table, const char *title, const double *numbers, int64_t columns, int digits) {
    add_numbers(table, title, numbers, columns, number_digits(numbers, table->rows * columns, digits));
}

static void add_column(page_table *table, char *const *label, const double *numbers, int digits) {
    page_block block = {NULL, label, numbers, 1, digits, 0};
    page_table_add(table, block);
}

static void add_grid(page_table *table, const trace_view *view, int w, const char *title, const double *grid,
                     int digits) {
    const worked *work = view->works[w];
    page_block block = {title, view->labels, grid, work->tokens, digits, work->causal};
    page_table_add(table, block);
}

/* One head's part of scores (H, T, T), whole ones without decimals. */
static void add_scores(page_table *table, const trace_view *view, const double *scores, int64_t head, int digits) {
    int64_t tokens = table->rows, cells = tokens * tokens;
    const double *grid = scores + head * cells;
    page_block block = {NULL, view->labels, grid, tokens, number_digits(grid, cells, digits), 0};
    page_table_add(table, block);
}

/* ---- before the four steps: x, positions, projections ----------------------------------------- */

static void say_title(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    char *title = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&title, &length);
    for (int64_t i = 0; stream != NULL && i < work->tokens; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", view->labels[i]);
    if (stream != NULL && fclose(stream) == 0)
        page_heading(page, 1, "%s", title);
    else
        page->failed = 1;
    free(title);
    page_say(page, "%lld token%s, %lld head%s; queries and keys of width %lld, values of width %lld.",
             (long long)work->tokens, plural(work->tokens), (long long)work->heads, plural(work->heads),
             (long long)work->head_width, (long long)work->value_width);
}

static const page_formula placing = {
    "position t = 0, 1, ... adds sin(t / 10000^(2m/C)) to number 2m+1 of x, and cos to number 2m+2",
    "x_{t,2m+1} \\mathrel{+}= \\sin\\frac{t}{10000^{2m/C}}, \\quad "
    "x_{t,2m+2} \\mathrel{+}= \\cos\\frac{t}{10000^{2m/C}}"};

static void put_tokens(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    int placed = attend_example_positions(work->example) == ATTEND_POSITIONS_SINUSOIDAL;
    attend_in x = attend_example_matrix(work->example, "x");
    page_table table = by_token(view, NULL);
    page_heading(page, 3, "Embed%s: each token as a list of numbers, x", placed ? " and place" : "");
    add_given(&table, "x", x.data, work->model_width, page->digits);
    if (placed) {
        page->writer->formula(page, &placing);
        add_given(&table, "x + position", work->placed, work->model_width, page->digits);
    }
    page->writer->table(page, &table);
}

static void add_weight(page_table *table, page_output *page, const worked *work, const char *name, const char *title) {
    attend_in weight = attend_example_matrix(work->example, name);
    table->rows = weight.shape[0];
    add_given(table, title, weight.data, weight.shape[1], page->digits);
}

static const page_formula projecting = {"q = x W_Q,   k = x W_K,   v = x W_V",
                                        "q = x W_Q, \\quad k = x W_K, \\quad v = x W_V"};

static void put_projections(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    page_table table = by_token(view, NULL);
    table.row_labels = NULL;
    add_weight(&table, page, work, "wq", "W_Q");
    add_weight(&table, page, work, "wk", "W_K");
    add_weight(&table, page, work, "wv", "W_V");
    page_heading(page, 3, "Project: a query, a key and a value from each token");
    page->writer->formula(page, &projecting);
    page->writer->table(page, &table);
    if (work->heads > 1)
        page_say(page, "Each head takes its own columns in turn: %lld of W_Q, %lld of W_K, %lld of W_V.",
                 (long long)work->head_width, (long long)work->head_width, (long long)work->value_width);
}

/* ---- one head: its queries, keys and values --------------------------------------------------- */

static void put_views(page_output *page, const trace_view *view, int64_t head) {
    const worked *work = view->works[0];
    int64_t tokens = work->tokens, width = work->head_width, values = work->value_width;
    int64_t kv_head = worked_kv_head(work, head);
    const double *q = work->projected_q == NULL ? work->q : work->projected_q;
    const double *k = work->projected_k == NULL ? work->k : work->projected_k;
    page_table table = by_token(view, NULL);
    add_given(&table, "query", q + head * tokens * width, width, page->digits);
    add_given(&table, "key", k + kv_head * tokens * width, width, page->digits);
    add_given(&table, "value", work->v + kv_head * tokens * values, values, page->digits);
    page_heading(page, 3, "Each token asks with its query, answers with its key, gives its value");
    page->writer->table(page, &table);
}

static const page_formula rotating = {
    "position t = 0, 1, ... turns numbers 2m+1 and 2m+2 by the angle t / 10000^(2m/D)",
    "(a, b) \\to (a \\cos\\theta - b \\sin\\theta,\\; a \\sin\\theta + b \\cos\\theta), \\quad "
    "\\theta = t / 10000^{2m/D}"};

static void put_rotated(page_output *page, const trace_view *view, int64_t head) {
    const worked *work = view->works[0];
    if (work->projected_q == NULL)
        return;
    int64_t size = work->tokens * work->head_width, width = work->head_width;
    page_table table = by_token(view, NULL);
    add_given(&table, "query turned", work->q + head * size, width, page->digits);
    add_given(&table, "key turned", work->k + worked_kv_head(work, head) * size, width, page->digits);
    page_heading(page, 3, "Place: turn queries and keys by their position");
    page->writer->formula(page, &rotating);
    page->writer->table(page, &table);
}

/* ---- the four steps --------------------------------------------------------------------------- */

static const char *const grid_corner = "query \\ key";

static const page_formula comparing = {"raw[i,j] = query[i] . key[j] = the sum of the products of their numbers",
                                       "R_{ij} = q_i \\cdot k_j = \\sum_d q_{id} k_{jd}"};

static void put_compare(page_output *page, const trace_view *view, int64_t head) {
    page_table table = by_token(view, grid_corner);
    add_scores(&table, view, view->works[0]->compare, head, page->digits);
    page_heading(page, 3, "Step 1, compare: how well does each key answer each query?");
    page->writer->formula(page, &comparing);
    page->writer->table(page, &table);
}

static void put_scale(page_output *page, const trace_view *view, int64_t head) {
    const worked *work = view->works[0];
    char scale[NUMBER_TEXT_MAX], factor[NUMBER_TEXT_MAX], text[192], latex[192];
    trace_scale_text(work, scale);
    number_short(factor, work->scale, page->digits < 3 ? 3 : page->digits);
    if (work->scale_given) {
        snprintf(text, sizeof text, "score[i,j] = raw[i,j] %s", scale);
        snprintf(latex, sizeof latex, "S_{ij} = R_{ij} \\cdot %s", scale + 2);
    } else {
        snprintf(text, sizeof text, "score[i,j] = raw[i,j] %s = raw[i,j] * %s", scale, factor);
        snprintf(latex, sizeof latex, "S_{ij} = R_{ij} / \\sqrt{%lld} = R_{ij} \\cdot %s", (long long)work->head_width,
                 factor);
    }
    page_formula scaling = {text, latex};
    page_table table = by_token(view, grid_corner);
    add_scores(&table, view, work->scaled, head, page->digits);
    page_heading(page, 3, "Step 2, scale: %s",
                 work->scale_given ? "multiply by the scale that was asked for"
                                   : "divide by the square root of the head width");
    page->writer->formula(page, &scaling);
    page->writer->table(page, &table);
}

static const page_formula hiding = {"score[i,j] = -infinity where j > i", "S_{ij} = -\\infty \\text{ where } j > i"};

/* Between steps 2 and 3; the last of the works is the causal one, if any is. */
static void put_mask(page_output *page, const trace_view *view, int64_t head) {
    const worked *work = view->works[view->count - 1];
    if (!work->causal) {
        page_heading(page, 3, "Mask: nothing is hidden, every query sees every key");
        return;
    }
    page_table table = by_token(view, grid_corner);
    add_scores(&table, view, work->masked, head, page->digits);
    table.blocks[0].causal = 1;
    page_heading(page, 3, "Mask: a query sees only keys up to its own position (causal)");
    page->writer->formula(page, &hiding);
    page->writer->table(page, &table);
    page_say(page, "A hidden cell is shown as -. Its exponential is 0, and so is its weight.");
}

static const page_formula normalizing = {
    "weight[i,j] = exp(score[i,j]) / total[i],   total[i] = sum over j of exp(score[i,j])",
    "P_{ij} = \\frac{\\exp S_{ij}}{\\sum_{j'} \\exp S_{ij'}}"};

/* One work whose exponentials are out of sight is enough to shift both: they stand side by side. */
static int shifted(const trace_view *view) { return view->facts[0]->shifted || view->facts[view->count - 1]->shifted; }

/* A grid of each work side by side, each with a column for its rows. */
static void put_grids(page_output *page, const trace_view *view, const char *what, const double *const *grids,
                      char *const *label, const double *const *columns) {
    char titles[TRACE_WORKS_MAX][TITLE_MAX];
    page_table table = by_token(view, grid_corner);
    for (int w = 0; w < view->count; w++) {
        add_grid(&table, view, w, titled(view, w, what, titles[w]), grids[w], page->digits);
        add_column(&table, label, columns[w], page->digits);
    }
    page->writer->table(page, &table);
}

static void put_exponentials(page_output *page, const trace_view *view, int64_t head) {
    static char total[] = "total";
    static char *const label[] = {total};
    int64_t tokens = view->works[0]->tokens;
    const double *grids[TRACE_WORKS_MAX], *totals[TRACE_WORKS_MAX];
    for (int w = 0; w < view->count; w++) {
        grids[w] = view->facts[w]->exponentials + head * tokens * tokens;
        totals[w] = view->facts[w]->totals + head * tokens;
    }
    put_grids(page, view, shifted(view) ? "exp(score - largest)" : "exp(score)", grids, label, totals);
    if (shifted(view))
        page_say(page, "%s", trace_shift_reason);
}

static void put_weights(page_output *page, const trace_view *view, int64_t head) {
    static char sum[] = "sum";
    static char *const label[] = {sum};
    int64_t tokens = view->works[0]->tokens;
    const double *grids[TRACE_WORKS_MAX], *sums[TRACE_WORKS_MAX];
    for (int w = 0; w < view->count; w++) {
        grids[w] = view->works[w]->weights + head * tokens * tokens;
        sums[w] = view->facts[w]->sums + head * tokens;
    }
    put_grids(page, view, "weights", grids, label, sums);
}

/* ---- the two facts ---------------------------------------------------------------------------- */

static const char *whose_rows(const trace_view *view, int w) {
    if (view->count == 1)
        return "";
    return view->works[w]->causal ? " of the causal grid" : " of the full grid";
}

static void say_weights_checked(page_output *page, const trace_view *view) {
    for (int w = 0; w < view->count; w++) {
        const trace_facts *facts = view->facts[w];
        page_say(page, "Checked: in every row%s the weights are positive and sum to 1: %s (largest difference %.2g).",
                 whose_rows(view, w), yes_or_no(facts->weights_hold), facts->sum_error);
        if (facts->vanished > 0)
            page_say(page, "%lld weight%s too small for a double and stored as 0.", (long long)facts->vanished,
                     facts->vanished == 1 ? " is" : "s are");
    }
}

static void say_mixtures_checked(page_output *page, const trace_view *view) {
    for (int w = 0; w < view->count; w++) {
        page_say(page,
                 "Checked: in every row%s the mixture lies between the smallest and the largest value it "
                 "averages: %s.",
                 whose_rows(view, w), yes_or_no(view->facts[w]->mixtures_hold));
    }
}

static void put_normalize(page_output *page, const trace_view *view, int64_t head) {
    page_heading(page, 3, "Step 3, normalize: turn each row of scores into weights (softmax)");
    page->writer->formula(page, &normalizing);
    put_exponentials(page, view, head);
    put_weights(page, view, head);
    say_weights_checked(page, view);
}

static const page_formula combining = {"mixture[i] = sum over j of weight[i,j] * value[j]", "O_i = \\sum_j P_{ij} v_j"};

/* The values each row may lie between stand beside its mixture, unless two mixtures stand side by side. */
static void put_combine(page_output *page, const trace_view *view, int64_t head) {
    char titles[TRACE_WORKS_MAX][TITLE_MAX];
    int64_t width = view->works[0]->value_width, first = head * view->works[0]->tokens * width;
    page_table table = by_token(view, NULL);
    for (int w = 0; w < view->count; w++)
        add_numbers(&table, titled(view, w, "mixture", titles[w]), view->works[w]->mixture + first, width,
                    page->digits);
    if (view->count == 1) {
        add_given(&table, "smallest seen", view->facts[0]->smallest + first, width, page->digits);
        add_given(&table, "largest seen", view->facts[0]->largest + first, width, page->digits);
    }
    page_heading(page, 3, "Step 4, combine: average the values, each by its weight");
    page->writer->formula(page, &combining);
    page->writer->table(page, &table);
    say_mixtures_checked(page, view);
}

static void put_head(page_output *page, const trace_view *view, int64_t head) {
    const worked *work = view->works[0];
    if (work->heads > 1)
        page_heading(page, 2, "Head %lld of %lld", (long long)head + 1, (long long)work->heads);
    if (work->kv_heads < work->heads)
        page_say(page, "It reads keys and values %lld of %lld, which %lld heads share.",
                 (long long)worked_kv_head(work, head) + 1, (long long)work->kv_heads,
                 (long long)(work->heads / work->kv_heads));
    put_views(page, view, head);
    put_rotated(page, view, head);
    put_compare(page, view, head);
    put_scale(page, view, head);
    put_mask(page, view, head);
    put_normalize(page, view, head);
    put_combine(page, view, head);
}

/* ---- after them ------------------------------------------------------------------------------- */

static const page_formula merging = {"output[i] = mixtures of all heads side by side, times W_O",
                                     "Y_i = [O_i^{(1)} \\cdots O_i^{(H)}]\\, W_O"};

static void put_merge(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    int weighted = attend_example_matrix(work->example, "wo").data != NULL;
    if (work->heads == 1 && !weighted)
        return;
    char titles[TRACE_WORKS_MAX][TITLE_MAX];
    page_table table = by_token(view, NULL);
    for (int w = 0; w < view->count; w++)
        add_numbers(&table, titled(view, w, "output", titles[w]), view->works[w]->output, work->output_width,
                    page->digits);
    page_heading(page, work->heads > 1 ? 2 : 3, "Merge: %s",
                 weighted ? "bring the heads' mixtures together" : "the heads' mixtures side by side");
    if (weighted) {
        page_table weights = by_token(view, NULL);
        weights.row_labels = NULL;
        add_weight(&weights, page, work, "wo", "W_O");
        page->writer->formula(page, &merging);
        page->writer->table(page, &weights);
    }
    page->writer->table(page, &table);
}

void trace_page(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    page->writer->begin(page);
    say_title(page, view);
    if (work->model_width > 0) {
        put_tokens(page, view);
        put_projections(page, view);
    }
    for (int64_t head = 0; head < work->heads; head++)
        put_head(page, view, head);
    put_merge(page, view);
    page_heading(page, 3, "About the numbers");
    page_say(page,
             "They are computed in double precision and shown with %d decimal%s, or with none where all of a "
             "table are whole. --row %s writes one row out, every product and every exponential.",
             page->digits, plural(page->digits), view->labels[work->tokens - 1]);
    page->writer->end(page);
}
