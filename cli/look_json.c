#include <jansson.h>
#include <math.h>

#include "look.h"

/* A document under construction; what cannot be added, for want of memory, is remembered. */
typedef struct document {
    const look_view *view;
    const worked *work;
    const readings *found;
    int failed;
} document;

static void put(document *d, json_t *object, const char *key, json_t *value) {
    d->failed |= json_object_set_new(object, key, value);
}

static void append(document *d, json_t *list, json_t *value) { d->failed |= json_array_append_new(list, value); }

/* JSON has no NaN, and null says something else. */
static json_t *number(double value) { return isnan(value) ? json_string("nan") : json_real(value); }

static json_t *token(const document *d, int64_t index) {
    return json_string(attend_example_token(d->view->example, index));
}

static json_t *numbers(document *d, const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        append(d, list, number(values[i]));
    return list;
}

/* weights (T) of one query; hidden keys are null. */
static json_t *row(document *d, const double *weights, int64_t query) {
    json_t *list = json_array();
    for (int64_t key = 0; key < d->work->tokens; key++)
        append(d, list, worked_sees(d->work, query, key) ? number(weights[key]) : json_null());
    return list;
}

static json_t *grid(document *d, int64_t head) {
    int64_t tokens = d->work->tokens;
    json_t *list = json_array();
    for (int64_t query = 0; query < tokens; query++)
        append(d, list, row(d, d->found->grid + (head * tokens + query) * tokens, query));
    return list;
}

static json_t *rows(document *d, int64_t head) {
    const readings_wish *wish = &d->view->wish;
    json_t *list = json_array();
    for (int64_t i = 0; i < wish->row_count; i++) {
        const double *weights = d->found->row_weights + (head * wish->row_count + i) * d->work->tokens;
        json_t *entry = json_object();
        put(d, entry, "query", json_integer(wish->rows[i]));
        put(d, entry, "token", token(d, wish->rows[i]));
        put(d, entry, "weights", row(d, weights, wish->rows[i]));
        append(d, list, entry);
    }
    return list;
}

static json_t *heaviest_keys(document *d, int64_t query_of_all) {
    int64_t top = d->view->wish.top;
    json_t *list = json_array();
    for (int64_t i = query_of_all * top; i < (query_of_all + 1) * top && d->found->top_index[i] >= 0; i++) {
        json_t *entry = json_object();
        put(d, entry, "key", json_integer(d->found->top_index[i]));
        put(d, entry, "token", token(d, d->found->top_index[i]));
        put(d, entry, "weight", number(d->found->top_weight[i]));
        append(d, list, entry);
    }
    return list;
}

static json_t *top(document *d, int64_t head) {
    json_t *list = json_array();
    for (int64_t query = 0; query < d->work->tokens; query++) {
        int64_t query_of_all = head * d->work->tokens + query;
        json_t *entry = json_object();
        put(d, entry, "query", json_integer(query));
        put(d, entry, "token", token(d, query));
        put(d, entry, "keys", heaviest_keys(d, query_of_all));
        put(d, entry, "rest", number(d->found->top_rest[query_of_all]));
        append(d, list, entry);
    }
    return list;
}

static json_t *keys_seen(document *d) {
    json_t *list = json_array();
    for (int64_t query = 0; query < d->work->tokens; query++)
        append(d, list, json_integer(look_keys_seen(d->work, query)));
    return list;
}

static json_t *one_head(document *d, int64_t head) {
    int64_t tokens = d->work->tokens;
    json_t *object = json_object();
    put(d, object, "head", json_integer(head + 1));
    if (d->found->grid != NULL)
        put(d, object, "weights", grid(d, head));
    if (d->found->row_weights != NULL)
        put(d, object, "rows", rows(d, head));
    if (d->found->top_index != NULL)
        put(d, object, "top", top(d, head));
    if (d->found->entropy != NULL) {
        put(d, object, "entropy", numbers(d, d->found->entropy + head * tokens, tokens));
        put(d, object, "keys_seen", keys_seen(d));
    }
    if (d->found->received != NULL)
        put(d, object, "received", numbers(d, d->found->received + head * tokens, tokens));
    return object;
}

static json_t *one_work(document *d, int index) {
    json_t *object = json_object(), *tokens = json_array(), *heads = json_array();
    d->work = d->view->works[index];
    d->found = &d->view->found[index];
    for (int64_t i = 0; i < d->work->tokens; i++)
        append(d, tokens, token(d, i));
    int64_t first = look_first_head(d->view), count = look_head_count(d->view);
    for (int64_t head = first; head < first + count; head++)
        append(d, heads, one_head(d, head));
    put(d, object, "tokens", tokens);
    put(d, object, "scale", number(d->work->scale));
    put(d, object, "causal", json_boolean(d->work->causal));
    put(d, object, "heads", heads);
    return object;
}

static json_t *both_works(document *d) {
    json_t *object = json_object();
    put(d, object, "full", one_work(d, 0));
    put(d, object, "causal", one_work(d, 1));
    return object;
}

int look_json(FILE *out, const look_view *view) {
    document d = {.view = view};
    json_t *root = view->count > 1 ? both_works(&d) : one_work(&d, 0);
    if (!d.failed)
        d.failed = json_dumpf(root, out, JSON_REAL_PRECISION(17));
    json_decref(root);
    fputc('\n', out);
    return d.failed ? -1 : 0;
}
