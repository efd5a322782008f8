/* look_tensor_text.c - parts of the grid of tensors, where tokens have no names but their positions: as tables in lines
   for grep and awk, and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "look_tensors.h"
#include "number_text.h"

/* ---- tables ---- */

static void print_number(const char *before, double value, int digits) {
    char number[NUMBER_TEXT_MAX];
    number_fixed(number, value, digits);
    printf("%s%s", before, number);
}

static void print_title(const tensor_view *view, int64_t heads, const char *what) {
    if (heads > 1)
        printf("head %lld: ", (long long)view->head + 1);
    printf("%s\n", what);
}

static void print_rows(const tensor_view *view, int digits) {
    printf("key");
    for (int64_t r = 0; r < view->rows; r++)
        printf("  query %d", (int)view->row[r]);
    printf("\n");
    for (int64_t j = 0; j < view->keys; j++) {
        printf("%lld", (long long)j);
        for (int64_t r = 0; r < view->rows; r++)
            if (view->row_scores[r * view->keys + j] == -INFINITY)
                printf("  -");
            else
                print_number("  ", view->row_weights[r * view->keys + j], digits);
        printf("\n");
    }
}

static void print_top(const tensor_view *view, int digits) {
    printf("query  key weight, the heaviest first  rest\n");
    for (int64_t i = 0; i < view->queries; i++) {
        printf("%lld", (long long)i);
        for (int64_t n = i * view->top; n < (i + 1) * view->top && view->top_index[n] >= 0; n++) {
            printf("  %d", (int)view->top_index[n]);
            print_number(" ", view->top_weight[n], digits);
        }
        print_number("  ", view->top_rest[i], digits);
        printf("\n");
    }
}

static void print_list(const char *head, const double *values, int64_t count, int digits) {
    printf("%s\n", head);
    for (int64_t n = 0; n < count; n++) {
        printf("%lld", (long long)n);
        print_number("  ", values[n], digits);
        printf("\n");
    }
}

void look_tensor_tables(const tensor_view *view, int64_t heads, int digits) {
    if (view->rows > 0) {
        print_title(view, heads, "weights of the chosen queries");
        print_rows(view, digits);
    }
    if (view->top > 0) {
        print_title(view, heads, "heaviest keys of each query, and the weight of the rest");
        print_top(view, digits);
    }
    if (view->entropy != NULL) {
        print_title(view, heads, "entropy of each query's weights, in nats");
        print_list("query  entropy", view->entropy, view->queries, digits);
    }
    if (view->received != NULL) {
        print_title(view, heads, "weight that each key receives, summed over the queries");
        print_list("key  received", view->received, view->keys, digits);
    }
}

/* ---- JSON ---- */

/* JSON has no NaN, and null is what is hidden. */
static json_t *number(double value) { return isnan(value) ? json_string("nan") : json_real(value); }

static json_t *numbers(const double *values, const double *hidden, double when, int64_t count) {
    json_t *list = json_array();
    for (int64_t n = 0; n < count; n++)
        json_array_append_new(list, hidden != NULL && hidden[n] == when ? json_null() : number(values[n]));
    return list;
}

static json_t *grid(const tensor_view *view) {
    json_t *list = json_array();
    for (int64_t y = 0; y < view->cells; y++)
        json_array_append_new(list,
                              numbers(view->grid + y * view->cells, view->seen + y * view->cells, 0, view->cells));
    return list;
}

static json_t *rows(const tensor_view *view) {
    json_t *list = json_array();
    for (int64_t r = 0; r < view->rows; r++) {
        const double *weights = view->row_weights + r * view->keys, *scores = view->row_scores + r * view->keys;
        json_array_append_new(list, json_pack("{s:i, s:o}", "query", (int)view->row[r], "weights",
                                              numbers(weights, scores, -INFINITY, view->keys)));
    }
    return list;
}

static json_t *top(const tensor_view *view) {
    json_t *list = json_array();
    for (int64_t i = 0; i < view->queries; i++) {
        json_t *keys = json_array();
        for (int64_t n = i * view->top; n < (i + 1) * view->top && view->top_index[n] >= 0; n++)
            json_array_append_new(keys, json_pack("{s:i, s:f}", "key", (int)view->top_index[n], "weight",
                                                  view->top_weight[n]));
        json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "query", (json_int_t)i, "keys", keys, "rest",
                                              number(view->top_rest[i])));
    }
    return list;
}

static json_t *one_head(const tensor_view *view) {
    json_t *head = json_pack("{s:I}", "head", (json_int_t)view->head + 1);
    if (view->cells > 0)
        json_object_set_new(head, "largest", grid(view));
    if (view->rows > 0)
        json_object_set_new(head, "rows", rows(view));
    if (view->top > 0)
        json_object_set_new(head, "top", top(view));
    if (view->entropy != NULL)
        json_object_set_new(head, "entropy", numbers(view->entropy, NULL, 0, view->queries));
    if (view->received != NULL)
        json_object_set_new(head, "received", numbers(view->received, NULL, 0, view->keys));
    return head;
}

int look_tensor_json(const tensor_view *views, int64_t count) {
    json_t *heads = json_array();
    for (int64_t n = 0; n < count; n++)
        json_array_append_new(heads, one_head(&views[n]));
    json_t *root = json_pack("{s:I, s:I, s:o}", "queries", (json_int_t)views->queries, "keys", (json_int_t)views->keys,
                             "heads", heads);
    int failed = root == NULL || json_dumpf(root, stdout, JSON_REAL_PRECISION(17)) != 0;
    json_decref(root);
    printf("\n");
    return failed ? cli_failure("the grid cannot be written as JSON: no memory") : CLI_DONE;
}
