#include "explain_report.h"

#include <jansson.h>
#include <string.h>

enum { ISA_MOST = 32 };

/* The instruction sets from the best one down. */
static int ladder(attend_isa isa[ISA_MOST]) {
    int count = 0;
    while (count + 1 < ISA_MOST && strcmp(attend_isa_name((attend_isa)(count + 1)), "unknown") != 0)
        count++;
    for (int i = 0; i < count; i++)
        isa[i] = (attend_isa)(count - i);
    return count;
}

/* Why the kernels of isa are not those that run; NULL when they are. */
static const char *passed_over(const explain_report *report, attend_isa isa) {
    const char *refusal = attend_isa_refusal(isa);
    attend_isa chosen = (attend_isa)report->found->isa;
    if (isa == chosen || refusal != NULL)
        return refusal;
    if (isa > attend_ctx_isa(report->given->ctx))
        return "another one was asked for";
    return isa > chosen ? "it has none of its own for f64" : "a better one runs here";
}

static const char *why_not_readable(const attend_explanation *found) {
    return found->not_fast == NULL ? "the fast path takes the problem" : NULL;
}

static bool is_fast(const attend_explanation *found) { return found->not_fast == NULL; }

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void print_not(const char *name, const char *why) {
    if (why != NULL)
        printf("          not %s, because %s\n", name, why);
}

static void print_problem(const explain_report *report) {
    const attend_problem *problem = &report->given->call.problem;
    printf("problem   %s, batch %lld, %lld query heads, %lld key heads, %lld queries, %lld keys, width %lld",
           attend_dtype_name((attend_dtype)report->given->call.q.dtype), (long long)problem->batch,
           (long long)problem->heads, (long long)problem->kv_heads, (long long)problem->queries,
           (long long)problem->keys, (long long)problem->head_width);
    if (problem->value_width != problem->head_width)
        printf(" and %lld", (long long)problem->value_width);
    if (problem->flags & ATTEND_LIMIT_AHEAD)
        printf(", sees %lld ahead", (long long)problem->ahead);
    if (problem->flags & ATTEND_LIMIT_BACK)
        printf(", sees %lld back", (long long)problem->back);
    printf("\n");
}

static void print_kernels(const explain_report *report) {
    const attend_explanation *found = report->found;
    attend_isa isa[ISA_MOST];
    int count = ladder(isa);
    if (!is_fast(found))
        printf("kernels   none: plain loops in double\n");
    else
        printf("kernels   %s, %s and %s\n", attend_isa_name((attend_isa)found->isa), found->compare, found->combine);
    if (is_fast(found) && report->given->call.q.dtype == ATTEND_BF16)
        print_not("compare_pairs", found->not_pairs);
    for (int i = 0; i < count && is_fast(found); i++)
        print_not(attend_isa_name(isa[i]), passed_over(report, isa[i]));
}

static void print_panel(const char *name, const char *converted) {
    if (converted == NULL)
        printf("%-9s read where they lie\n", name);
    else
        printf("%-9s converted, a chunk at a time\n", name);
    print_not("read where they lie", converted);
}

static void print_tiles(const explain_report *report) {
    const attend_explanation *found = report->found;
    printf("block     %d %s of %d %s: %d of %d rows\n", (int)found->block_queries,
           found->block_queries == 1 ? "query" : "queries", (int)found->block_heads,
           found->block_heads == 1 ? "head" : "heads", (int)(found->block_heads * found->block_queries),
           (int)found->block_most);
    printf("chunks    %lld of at most %d keys\n", (long long)found->chunks, (int)found->chunk);
    print_panel("keys", found->keys_converted);
    print_panel("values", found->values_converted);
}

static void print_tasks(const explain_report *report) {
    const attend_explanation *found = report->found;
    printf("tasks     %lld of %d %s, on %d %s\n", (long long)found->tasks, (int)found->task_blocks,
           found->task_blocks == 1 ? "block" : "blocks", (int)found->threads,
           found->threads == 1 ? "thread" : "threads");
    if (found->splits > 1)
        printf("split     the chunks of a task into %lld parts\n", (long long)found->splits);
    else
        printf("split     none\n");
    print_not("split", found->not_split);
    printf("scratch   at most %zu bytes\n", report->scratch);
}

int explain_report_text(const explain_report *report) {
    print_problem(report);
    printf("path      %s\n", report->found->path);
    print_not("fast", report->found->not_fast);
    print_not("readable", why_not_readable(report->found));
    print_kernels(report);
    if (is_fast(report->found))
        print_tiles(report);
    print_tasks(report);
    return CLI_DONE;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *isa_table(const explain_report *report) {
    attend_isa isa[ISA_MOST];
    int count = ladder(isa);
    json_t *table = json_object();
    for (int i = 0; i < count; i++) {
        const char *why = passed_over(report, isa[i]);
        json_object_set_new(table, attend_isa_name(isa[i]), why == NULL ? json_null() : json_string(why));
    }
    return table;
}

static json_t *problem_table(const explain_report *report) {
    const forward_call *call = &report->given->call;
    const attend_problem *problem = &call->problem;
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "dtype",
                     attend_dtype_name((attend_dtype)call->q.dtype), "output", attend_dtype_name(report->dtype),
                     "batch", problem->batch, "heads", problem->heads, "kv_heads", problem->kv_heads, "queries",
                     problem->queries, "keys", problem->keys, "head_width", problem->head_width, "value_width",
                     problem->value_width);
}

int explain_report_json(const explain_report *report) {
    const attend_explanation *found = report->found;
    json_t *all = json_pack(
        "{s:o, s:s, s:{s:s?, s:s?}, s:s, s:o, s:s?, s:s?, s:{s:i, s:i, s:i}, s:i, s:I, s:s?, s:s?, s:I, s:i, s:i, s:I, "
        "s:s?, s:I, s:s?}",
        "problem", problem_table(report), "path", found->path, "not_path", "fast", found->not_fast, "readable",
        why_not_readable(found), "isa", attend_isa_name((attend_isa)found->isa), "not_isa", isa_table(report),
        "compare", found->compare, "combine", found->combine, "block", "heads", found->block_heads, "queries",
        found->block_queries, "rows_most", found->block_most, "chunk", found->chunk, "chunks", found->chunks,
        "keys_converted", found->keys_converted, "values_converted", found->values_converted, "tasks", found->tasks,
        "task_blocks", found->task_blocks, "threads", found->threads, "splits", found->splits, "not_split",
        found->not_split, "scratch_bytes", (json_int_t)report->scratch, "not_pairs", found->not_pairs);
    if (all == NULL)
        return cli_failure("no memory for the report");
    json_dumpf(all, stdout, JSON_INDENT(2));
    json_decref(all);
    printf("\n");
    return CLI_DONE;
}
