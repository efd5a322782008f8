/* trace_row.c - one query's story: its dot products written out, its exponentials and their total, its weights and
   the average they make, from the exact weights and from those that are shown. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "token_labels.h"

/* A row whose largest weight is above this leaves nothing to speak of for the others. */
static const double hard_pick = 0.99;

/* One row of one head of one work. */
typedef struct row_story {
    page_output *page;
    const worked *work;
    const trace_facts *facts;
    char *const *labels;
    int64_t row;                /* of 0..T-1 */
    int64_t line;               /* of 0..H*T-1: the row in this head */
    int64_t seen;               /* keys that it sees: the first ones */
    const double *query;        /* (D) */
    const double *keys;         /* (T, D) */
    const double *values;       /* (T, E) */
    const double *raw;          /* (T) */
    const double *scores;       /* (T) */
    const double *exponentials; /* (T) */
    const double *weights;      /* (T) */
    const double *mixture;      /* (E) */
    double top, total;
    int score_digits;
} row_story;

/* ---- lists of equations ------------------------------------------------------------------------ */

typedef struct equation_list {
    page_equation *items;
    int64_t count;
} equation_list;

static equation_list list_make(page_output *page, int64_t capacity) {
    equation_list list = {calloc((size_t)capacity, sizeof *list.items), 0};
    page->failed |= list.items == NULL;
    return list;
}

static void equation_free(page_equation *equation) {
    free(equation->label);
    free(equation->expression);
    free(equation->result);
}

/* Owns the three texts from now on, any of which may be NULL for lack of memory. */
static void list_add(equation_list *list, char *label, char *expression, char *result) {
    page_equation equation = {label, expression, result};
    if (list->items != NULL)
        list->items[list->count++] = equation;
    else
        equation_free(&equation);
}

static int list_whole(const equation_list *list) {
    for (int64_t i = 0; i < list->count; i++)
        if (list->items[i].label == NULL || list->items[i].expression == NULL || list->items[i].result == NULL)
            return 0;
    return list->items != NULL;
}

/* Writes the list and frees it. */
static void list_put(page_output *page, equation_list *list, int in_columns) {
    if (list_whole(list))
        page->writer->equations(page, list->items, list->count, in_columns);
    for (int64_t i = 0; i < list->count; i++)
        equation_free(&list->items[i]);
    free(list->items);
}

/* ---- pieces of text ---------------------------------------------------------------------------- */

static char *fixed(const row_story *story, double value, int digits) {
    char text[NUMBER_TEXT_MAX];
    number_fixed(text, value, digits);
    return page_format(story->page, "%s", text);
}

/* A number inside a sum or product: a negative one in parentheses. */
static void put_factor(FILE *stream, double value, int digits, int shorten) {
    char text[NUMBER_TEXT_MAX];
    if (shorten)
        number_short(text, value, digits);
    else
        number_fixed(text, value, digits);
    fprintf(stream, text[0] == '-' ? "(%s)" : "%s", text);
}

/* Items first to end - 1 of some list, each as put writes it, with between between them. */
typedef void (*put_item)(FILE *stream, const row_story *story, int64_t index, const void *list);

static char *joined(const row_story *story, int64_t first, int64_t end, const char *between, put_item put,
                    const void *list) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    for (int64_t i = first; stream != NULL && i < end; i++) {
        fputs(i > first ? between : "", stream);
        put(stream, story, i, list);
    }
    if (stream != NULL && fclose(stream) == 0)
        return text;
    free(text);
    story->page->failed = 1;
    return NULL;
}

static void put_product(FILE *stream, const row_story *story, int64_t d, const void *key) {
    put_factor(stream, story->query[d], story->page->digits, 1);
    fputc('*', stream);
    put_factor(stream, ((const double *)key)[d], story->page->digits, 1);
}

static void put_share(FILE *stream, const row_story *story, int64_t j, const void *channel) {
    put_factor(stream, story->weights[j], story->page->digits, 0);
    fputc('*', stream);
    put_factor(stream, ((const double *)channel)[j * story->work->value_width], story->page->digits, 1);
}

static void put_fixed(FILE *stream, const row_story *story, int64_t i, const void *numbers) {
    put_factor(stream, ((const double *)numbers)[i], story->page->digits, 0);
}

static void put_entry(FILE *stream, const row_story *story, int64_t i, const void *numbers) {
    char text[NUMBER_TEXT_MAX];
    number_fixed(text, ((const double *)numbers)[i], story->page->digits);
    fputs(text, stream);
}

static void put_short_entry(FILE *stream, const row_story *story, int64_t i, const void *numbers) {
    char text[NUMBER_TEXT_MAX];
    number_short(text, ((const double *)numbers)[i], story->page->digits);
    fputs(text, stream);
}

static void put_name(FILE *stream, const row_story *story, int64_t j, const void *unused) {
    (void)unused;
    fputs(story->labels[j], stream);
}

/* For a sentence, which NULL would end. */
static const char *shown(const char *text) { return text == NULL ? "" : text; }

/* ---- the steps --------------------------------------------------------------------------------- */

static const char *self(const row_story *story) { return story->labels[story->row]; }

static void tell_compare(const row_story *story) {
    page_output *page = story->page;
    equation_list list = list_make(page, story->work->tokens);
    int digits = number_digits(story->raw, story->work->tokens, page->digits);
    int64_t width = story->work->head_width;
    char *query = joined(story, 0, width, ", ", put_short_entry, story->query);
    for (int64_t j = 0; j < story->work->tokens; j++)
        list_add(&list, page_format(page, "%s . %s", self(story), story->labels[j]),
                 joined(story, 0, width, " + ", put_product, story->keys + j * width),
                 fixed(story, story->raw[j], digits));
    page_heading(page, 3, "Step 1, compare: the query of %s with each key", self(story));
    page_say(page, "%s asks with [%s]; each key answers with a dot product:", self(story), shown(query));
    list_put(page, &list, 0);
    free(query);
}

static void tell_scale(const row_story *story) {
    page_output *page = story->page;
    char scale[NUMBER_TEXT_MAX];
    equation_list list = list_make(page, story->work->tokens);
    int raw_digits = number_digits(story->raw, story->work->tokens, page->digits);
    trace_scale_text(story->work, scale);
    for (int64_t j = 0; j < story->work->tokens; j++) {
        char raw[NUMBER_TEXT_MAX];
        number_fixed(raw, story->raw[j], raw_digits);
        list_add(&list, page_format(page, "%s", story->labels[j]), page_format(page, "%s %s", raw, scale),
                 fixed(story, story->scores[j], story->score_digits));
    }
    page_heading(page, 3, "Step 2, scale");
    list_put(page, &list, 1);
}

static void tell_mask(const row_story *story) {
    if (story->seen == story->work->tokens)
        return;
    char *hidden = joined(story, story->seen, story->work->tokens, ", ", put_name, NULL);
    page_heading(story->page, 3, "Mask: %s sees only keys up to its own position (causal)", self(story));
    page_say(story->page, "Hidden from it, with weight 0: %s.", shown(hidden));
    free(hidden);
}

static char *exponential(const row_story *story, int64_t j) {
    char score[NUMBER_TEXT_MAX], top[NUMBER_TEXT_MAX];
    number_fixed(score, story->scores[j], story->score_digits);
    number_fixed(top, story->top, story->score_digits);
    if (!story->facts->shifted)
        return page_format(story->page, "exp(%s)", score);
    return page_format(story->page, top[0] == '-' ? "exp(%s - (%s))" : "exp(%s - %s)", score, top);
}

static void tell_exponentials(const row_story *story) {
    page_output *page = story->page;
    equation_list each = list_make(page, story->seen), total = list_make(page, 1);
    for (int64_t j = 0; j < story->seen; j++)
        list_add(&each, page_format(page, "%s", story->labels[j]), exponential(story, j),
                 fixed(story, story->exponentials[j], page->digits));
    list_add(&total, page_format(page, "total"), joined(story, 0, story->seen, " + ", put_fixed, story->exponentials),
             fixed(story, story->total, page->digits));
    if (story->facts->shifted)
        page_say(page, "%s", trace_shift_reason);
    list_put(page, &each, 1);
    list_put(page, &total, 0);
}

static int64_t heaviest(const row_story *story) {
    int64_t best = 0;
    for (int64_t j = 1; j < story->seen; j++)
        if (story->weights[j] > story->weights[best])
            best = j;
    return best;
}

/* "softmax([0, 4, 2, 0]) = [0.016, 0.853, 0.115, 0.016]" */
static void say_softmax(const row_story *story) {
    page_output *page = story->page;
    char *scores = joined(story, 0, story->seen, ", ", put_short_entry, story->scores);
    char *weights = joined(story, 0, story->seen, ", ", put_entry, story->weights);
    page_say(page, "In short: softmax([%s]) = [%s].", shown(scores), shown(weights));
    if (story->seen > 1 && story->weights[heaviest(story)] > hard_pick)
        page_say(page, "That is a hard pick: %s takes nearly all, as its score is so far above the others.",
                 story->labels[heaviest(story)]);
    free(scores);
    free(weights);
}

static void tell_weights(const row_story *story) {
    page_output *page = story->page;
    equation_list list = list_make(page, story->seen);
    char total[NUMBER_TEXT_MAX];
    number_fixed(total, story->total, page->digits);
    for (int64_t j = 0; j < story->seen; j++) {
        char part[NUMBER_TEXT_MAX];
        number_fixed(part, story->exponentials[j], page->digits);
        list_add(&list, page_format(page, "%s", story->labels[j]), page_format(page, "%s / %s", part, total),
                 fixed(story, story->weights[j], page->digits));
    }
    list_put(page, &list, 1);
    say_softmax(story);
    page_say(page, "Checked: the weights are positive and sum to 1: %s (difference %.2g).",
             trace_weights_hold(story->work, story->facts, story->line) ? "yes" : "NO",
             fabs(1 - story->facts->sums[story->line]));
}

static void tell_normalize(const row_story *story) {
    page_heading(story->page, 3, "Step 3, normalize: exponentials, their total, and each one's share of it (softmax)");
    tell_exponentials(story);
    tell_weights(story);
}

/* ---- the average, and what rounding does to it --------------------------------------------------- */

/* The number that a reader sees. */
static double as_shown(const row_story *story, double value) {
    char text[NUMBER_TEXT_MAX];
    number_fixed(text, value, story->page->digits);
    return strtod(text, NULL);
}

static double by_hand(const row_story *story, int64_t channel) {
    double sum = 0;
    for (int64_t j = 0; j < story->seen; j++)
        sum += as_shown(story, story->weights[j]) * story->values[j * story->work->value_width + channel];
    return sum;
}

static int64_t worst_channel(const row_story *story, const double *rounded) {
    int64_t worst = 0;
    for (int64_t e = 1; e < story->work->value_width; e++)
        if (fabs(rounded[e] - story->mixture[e]) > fabs(rounded[worst] - story->mixture[worst]))
            worst = e;
    return worst;
}

/* What rounding the weight of key j moves in channel. */
static double moved(const row_story *story, int64_t j, int64_t channel) {
    double gap = as_shown(story, story->weights[j]) - story->weights[j];
    return gap * story->values[j * story->work->value_width + channel];
}

static int64_t worst_key(const row_story *story, int64_t channel) {
    int64_t worst = 0;
    for (int64_t j = 1; j < story->seen; j++)
        if (fabs(moved(story, j, channel)) > fabs(moved(story, worst, channel)))
            worst = j;
    return worst;
}

static void say_sum_shown(const row_story *story) {
    char sum[NUMBER_TEXT_MAX], one[NUMBER_TEXT_MAX];
    double total = 0;
    for (int64_t j = 0; j < story->seen; j++)
        total += as_shown(story, story->weights[j]);
    number_fixed(sum, total, story->page->digits);
    number_fixed(one, 1, story->page->digits);
    if (strcmp(sum, one) == 0)
        page_say(story->page, "They differ because the weights shown are rounded, though together they still make %s.",
                 one);
    else
        page_say(story->page, "They differ because the weights shown are rounded: together they make %s instead of %s.",
                 sum, one);
}

/* Which weight's rounding moves the result most. */
static void say_why(const row_story *story, const double *rounded) {
    int finer = story->page->digits + 2 < NUMBER_DIGITS_MAX ? story->page->digits + 2 : NUMBER_DIGITS_MAX;
    int64_t channel = worst_channel(story, rounded), j = worst_key(story, channel);
    char weight[NUMBER_TEXT_MAX], exact[NUMBER_TEXT_MAX], value[NUMBER_TEXT_MAX], step[NUMBER_TEXT_MAX];
    number_fixed(weight, story->weights[j], story->page->digits);
    number_fixed(exact, story->weights[j], finer);
    number_short(value, story->values[j * story->work->value_width + channel], story->page->digits);
    number_fixed(step, moved(story, j, channel), finer);
    page_say(story->page,
             "Most comes from %s: %s stands for %s, and that gap times its value %s moves number "
             "%lld by %s.",
             story->labels[j], weight, exact, value, (long long)channel + 1, step);
}

static void tell_sums(const row_story *story, const double *rounded) {
    page_output *page = story->page;
    equation_list list = list_make(page, story->work->value_width);
    for (int64_t e = 0; e < story->work->value_width; e++)
        list_add(&list, page_format(page, "number %lld", (long long)e + 1),
                 joined(story, 0, story->seen, " + ", put_share, story->values + e),
                 fixed(story, rounded[e], page->digits));
    list_put(page, &list, 0);
}

static void compare_results(const row_story *story, const double *rounded) {
    page_output *page = story->page;
    int64_t width = story->work->value_width;
    char *exact = joined(story, 0, width, ", ", put_entry, story->mixture);
    char *hand = joined(story, 0, width, ", ", put_entry, rounded);
    page_say(page, "From the weights as shown: [%s].", shown(hand));
    page_say(page, "From the exact weights:    [%s].", shown(exact));
    if (strcmp(shown(hand), shown(exact)) == 0) {
        page_say(page, "They agree in all that is shown, though the weights shown are rounded.");
    } else {
        say_sum_shown(story);
        say_why(story, rounded);
    }
    free(exact);
    free(hand);
}

static void say_range(const row_story *story) {
    int64_t width = story->work->value_width;
    char *smallest = joined(story, 0, width, ", ", put_short_entry, story->facts->smallest + story->line * width);
    char *largest = joined(story, 0, width, ", ", put_short_entry, story->facts->largest + story->line * width);
    page_say(story->page,
             "Checked: the mixture lies between the smallest and the largest value it averages, [%s] and "
             "[%s]: %s.",
             shown(smallest), shown(largest),
             trace_mixture_holds(story->work, story->facts, story->line) ? "yes" : "NO");
    free(smallest);
    free(largest);
}

static void tell_combine(const row_story *story) {
    page_output *page = story->page;
    int64_t width = story->work->value_width;
    double *rounded = malloc((size_t)width * sizeof *rounded); /* (E) */
    if (rounded == NULL) {
        page->failed = 1;
        return;
    }
    for (int64_t e = 0; e < width; e++)
        rounded[e] = by_hand(story, e);
    page_heading(page, 3, "Step 4, combine: the average of the values, each by its weight");
    tell_sums(story, rounded);
    compare_results(story, rounded);
    say_range(story);
    free(rounded);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static row_story story_of(page_output *page, const trace_view *view, int w, int64_t head) {
    const worked *work = view->works[w];
    const trace_facts *facts = view->facts[w];
    int64_t tokens = work->tokens, row = view->row, line = head * tokens + row;
    int64_t kv_head = worked_kv_head(work, head);
    row_story story = {
        .page = page,
        .work = work,
        .facts = facts,
        .labels = view->labels,
        .row = row,
        .line = line,
        .seen = work->causal ? row + 1 : tokens,
        .query = work->q + line * work->head_width,
        .keys = work->k + kv_head * tokens * work->head_width,
        .values = work->v + kv_head * tokens * work->value_width,
        .raw = work->compare + line * tokens,
        .scores = work->scaled + line * tokens,
        .exponentials = facts->exponentials + line * tokens,
        .weights = work->weights + line * tokens,
        .mixture = work->mixture + line * work->value_width,
        .top = facts->tops[line],
        .total = facts->totals[line],
        .score_digits = number_digits(work->scaled + line * tokens, tokens, page->digits),
    };
    return story;
}

static void tell(page_output *page, const trace_view *view, int w, int64_t head) {
    const worked *work = view->works[w];
    row_story story = story_of(page, view, w, head);
    const char *kind = view->count == 1 ? "" : work->causal ? "causal" : "full";
    if (work->heads > 1)
        page_heading(page, 2, "Head %lld of %lld%s%s", (long long)head + 1, (long long)work->heads,
                     view->count > 1 ? ", " : "", kind);
    else if (view->count > 1)
        page_heading(page, 2, "The row, %s", kind);
    tell_compare(&story);
    tell_scale(&story);
    tell_mask(&story);
    tell_normalize(&story);
    tell_combine(&story);
}

void trace_row(page_output *page, const trace_view *view) {
    const worked *work = view->works[0];
    page->writer->begin(page);
    page_heading(page, 1, "What %s sees: token %lld of %lld", view->labels[view->row], (long long)view->row + 1,
                 (long long)work->tokens);
    for (int w = 0; w < view->count; w++)
        for (int64_t head = 0; head < work->heads; head++)
            tell(page, view, w, head);
    page->writer->end(page);
}
