/* look_tables.c - parts of the grid as tables, in lines that a terminal, grep and awk can read. */
#include <math.h>
#include <string.h>

#include "look.h"
#include "number_text.h"
#include "text_width.h"

enum { COLUMN_GAP = 2, CELL_MAX = 256 };

typedef struct table {
    terminal_line line;
    const look_view *view;
    const worked *work;
    const readings *found;
    int64_t head;
    int digits;
    int name_width; // of the widest token
    int number_width;
} table;

/* ---- cells ---- */

static int wider(int a, int b) { return a > b ? a : b; }

static void print_cell(table *t, const char *text, int width) {
    line_fitted(&t->line, text, width);
    line_blanks(&t->line, COLUMN_GAP);
}

static void print_number(table *t, double value, int width) {
    char number[NUMBER_TEXT_MAX];
    number_fixed(number, value, t->digits);
    print_cell(t, number, width);
}

static void print_title(table *t, int work, const char *what) {
    char title[LOOK_TITLE_MAX];
    look_title(t->view, work, t->head, title);
    if (title[0] != '\0') {
        line_text(&t->line, title);
        line_text(&t->line, ": ");
    }
    line_text(&t->line, what);
    line_end(&t->line);
}

static const char *label(const table *t, int64_t token) { return t->view->labels[token]; }

/* ---- --rows: one line for each key, one column for each chosen query ---- */

static int row_width(const table *t, int64_t index) {
    return wider(t->number_width, text_width(label(t, t->view->wish.rows[index])));
}

static const double *row_weights(const table *t, int64_t index) {
    return t->found->row_weights + (t->head * t->view->wish.row_count + index) * t->work->tokens;
}

static void print_row_sums(table *t) {
    print_cell(t, "sum", t->name_width);
    for (int64_t i = 0; i < t->view->wish.row_count; i++) {
        double sum = 0;
        for (int64_t key = 0; key < t->work->tokens; key++)
            sum += row_weights(t, i)[key];
        print_number(t, sum, row_width(t, i));
    }
    line_end(&t->line);
}

static void print_rows(table *t) {
    const readings_wish *wish = &t->view->wish;
    print_cell(t, "key", t->name_width);
    for (int64_t i = 0; i < wish->row_count; i++)
        print_cell(t, label(t, wish->rows[i]), row_width(t, i));
    line_end(&t->line);
    for (int64_t key = 0; key < t->work->tokens; key++) {
        print_cell(t, label(t, key), t->name_width);
        for (int64_t i = 0; i < wish->row_count; i++)
            if (worked_sees(t->work, wish->rows[i], key))
                print_number(t, row_weights(t, i)[key], row_width(t, i));
            else
                print_cell(t, "-", row_width(t, i));
        line_end(&t->line);
    }
    print_row_sums(t);
}

/* ---- --top ---- */

static void print_top_head(table *t) {
    print_cell(t, "query", t->name_width);
    for (int64_t i = 0; i < t->view->wish.top; i++) {
        char place[24];
        snprintf(place, sizeof place, "%lld", (long long)i + 1);
        print_cell(t, place, t->name_width + 1 + t->number_width);
    }
    print_cell(t, "rest", t->number_width);
    line_end(&t->line);
}

static void print_top(table *t) {
    int64_t top = t->view->wish.top, tokens = t->work->tokens;
    print_top_head(t);
    for (int64_t query = 0; query < tokens; query++) {
        int64_t first = (t->head * tokens + query) * top;
        print_cell(t, label(t, query), t->name_width);
        for (int64_t i = first; i < first + top; i++) {
            int found = t->found->top_index[i] >= 0;
            line_fitted(&t->line, found ? label(t, t->found->top_index[i]) : "-", t->name_width);
            line_blanks(&t->line, 1);
            if (found)
                print_number(t, t->found->top_weight[i], t->number_width);
            else
                print_cell(t, "", t->number_width);
        }
        print_number(t, t->found->top_rest[t->head * tokens + query], t->number_width);
        line_end(&t->line);
    }
}

/* ---- --entropy and --received ---- */

static void print_entropy(table *t) {
    static const char limit[] = "log of keys seen", seen_name[] = "keys seen";
    int width = wider(t->number_width, (int)strlen("entropy"));
    print_cell(t, "query", t->name_width);
    print_cell(t, "entropy", width);
    print_cell(t, limit, (int)strlen(limit));
    print_cell(t, seen_name, (int)strlen(seen_name));
    line_end(&t->line);
    for (int64_t query = 0; query < t->work->tokens; query++) {
        int64_t seen = look_keys_seen(t->work, query);
        char count[24];
        snprintf(count, sizeof count, "%lld", (long long)seen);
        print_cell(t, label(t, query), t->name_width);
        print_number(t, t->found->entropy[t->head * t->work->tokens + query], width);
        print_number(t, log((double)seen), (int)strlen(limit));
        print_cell(t, count, (int)strlen(seen_name));
        line_end(&t->line);
    }
}

static void print_received(table *t) {
    double sum = 0;
    print_cell(t, "key", t->name_width);
    line_text(&t->line, "received");
    line_end(&t->line);
    for (int64_t key = 0; key < t->work->tokens; key++) {
        double received = t->found->received[t->head * t->work->tokens + key];
        print_cell(t, label(t, key), t->name_width);
        print_number(t, received, t->number_width);
        line_end(&t->line);
        sum += received;
    }
    print_cell(t, "sum", t->name_width);
    print_number(t, sum, t->number_width);
    line_end(&t->line);
}

/* ---- all that was wished for ---- */

typedef struct kind {
    int wished;
    const char *what;
    void (*print)(table *t);
} kind;

static void measure(table *t) {
    char number[NUMBER_TEXT_MAX];
    number_fixed(number, 0, t->digits);
    t->number_width = (int)strlen(number);
    t->name_width = (int)strlen("query");
    for (int64_t i = 0; i < t->view->works[0]->tokens; i++)
        t->name_width = wider(t->name_width, text_width(label(t, i)));
}

void look_tables(FILE *out, const look_view *view, int digits) {
    const readings_wish *wish = &view->wish;
    const kind kinds[] = {
        {wish->row_count > 0, "weights of the chosen queries", print_rows},
        {wish->top > 0, "heaviest keys of each query, and the weight of the rest", print_top},
        {wish->entropy, "entropy of each query's weights, in nats", print_entropy},
        {wish->received, "weight that each key receives, summed over the queries", print_received},
    };
    table t = {.line = {.out = out}, .view = view, .digits = digits};
    int printed = 0;
    measure(&t);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int64_t h = 0; kinds[k].wished && h < look_head_count(view); h++)
            for (int i = 0; i < view->count; i++) {
                if (printed++ > 0)
                    line_end(&t.line);
                t.work = view->works[i];
                t.found = &view->found[i];
                t.head = look_first_head(view) + h;
                print_title(&t, i, kinds[k].what);
                kinds[k].print(&t);
            }
}
