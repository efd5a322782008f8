#include "check_bits.h"

#include <jansson.h>
#include <string.h>

#include "check_memory.h"
#include "check_part.h"

enum { NAME_MAX_BYTES = 48, ALONE_MOST = 4096 };

/* o (B, H, Tq, E) in the type of q, and lse (B, H, Tq). */
typedef struct bits_result {
    attend_out o, lse;
} bits_result;

typedef struct bits_check {
    const inputs *given;
    check_memory memory;
    bits_result whole; /* one thread, the best instruction set, everything in one call */
    json_t *list;      /* NULL: text */
    bool failed;
} bits_check;

static attend_status compute(bits_check *all, attend_ctx *ctx, const forward_call *call, attend_taps taps,
                             check_memory *memory, bits_result *result) {
    int64_t shape[] = {call->problem.batch, call->problem.heads, call->problem.queries, call->v.shape[3]};
    attend_dtype dtype = (attend_dtype)all->given->call.q.dtype;
    if (!check_memory_tensor(memory, dtype, 4, shape, &result->o) ||
        !check_memory_tensor(memory, ATTEND_F32, 3, shape, &result->lse))
        return ATTEND_MEMORY;
    taps.lse = result->lse;
    return attend_forward(ctx, &call->problem, &call->q, &call->k, &call->v, &call->extra, &result->o, &taps);
}

static int64_t width_of(const attend_in *tensor) { return tensor->rank == 4 ? tensor->shape[3] : 1; }

/* Elements whose bytes differ. */
static int64_t differences(const attend_in *a, const attend_in *b) {
    size_t size = attend_dtype_size((attend_dtype)a->dtype);
    int64_t width = width_of(a), count = 0;
    for (int64_t i = 0; i < a->shape[0]; i++)
        for (int64_t h = 0; h < a->shape[1]; h++)
            for (int64_t t = 0; t < a->shape[2]; t++)
                for (int64_t e = 0; e < width; e++) {
                    int64_t at_a = i * a->stride[0] + h * a->stride[1] + t * a->stride[2] + e;
                    int64_t at_b = i * b->stride[0] + h * b->stride[1] + t * b->stride[2] + e;
                    count += memcmp((const char *)a->data + (size_t)at_a * size,
                                    (const char *)b->data + (size_t)at_b * size, size) != 0;
                }
    return count;
}

/* Computes the part alone, and counts the elements that differ from the whole. */
static attend_status compare_part(bits_check *all, attend_ctx *ctx, const part *wanted, int64_t *count) {
    const forward_call *whole = &all->given->call;
    forward_call call = part_call(whole, wanted);
    check_memory memory = {NULL};
    bits_result alone;
    attend_status status = compute(all, ctx, &call, attend_taps_init(), &memory, &alone);
    if (status == ATTEND_OK) {
        attend_in o = attend_read(alone.o), lse = attend_read(alone.lse);
        attend_in want_o = part_result(whole, wanted, attend_read(all->whole.o));
        attend_in want_lse = part_result(whole, wanted, attend_read(all->whole.lse));
        *count += differences(&o, &want_o) + differences(&lse, &want_lse);
    }
    check_memory_release(&memory);
    return status;
}

static attend_status compare_whole(bits_check *all, attend_ctx *ctx, attend_taps taps, int64_t *count) {
    check_memory memory = {NULL};
    bits_result again;
    attend_status status = compute(all, ctx, &all->given->call, taps, &memory, &again);
    if (status == ATTEND_OK) {
        attend_in o = attend_read(again.o), lse = attend_read(again.lse);
        attend_in want_o = attend_read(all->whole.o), want_lse = attend_read(all->whole.lse);
        *count += differences(&o, &want_o) + differences(&lse, &want_lse);
    }
    check_memory_release(&memory);
    return status;
}

/* ---- Circumstances ----------------------------------------------------------------------------------------------- */

static int report(bits_check *all, const char *name, attend_ctx *ctx, attend_status status, int64_t calls,
                  int64_t count) {
    if (status != ATTEND_OK)
        return cli_library_error(ctx, status);
    all->failed = all->failed || count > 0;
    if (all->list != NULL)
        json_array_append_new(all->list,
                              json_pack("{s:s, s:I, s:I}", "name", name, "calls", calls, "different", count));
    else
        printf("%-24s %8lld  %lld\n", name, (long long)calls, (long long)count);
    return CLI_DONE;
}

static int with_context(bits_check *all, const char *name, int32_t threads, attend_isa isa) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    int64_t count = 0;
    config.threads = threads;
    config.isa = (int32_t)isa;
    attend_status status = attend_ctx_create(&config, &ctx);
    if (status == ATTEND_OK)
        status = compare_whole(all, ctx, attend_taps_init(), &count);
    int result = report(all, name, ctx, status, 1, count);
    attend_ctx_destroy(ctx);
    return result;
}

static int over_threads(bits_check *all) {
    static const int32_t threads[] = {2, 3, 8};
    int status = CLI_DONE;
    for (size_t i = 0; i < sizeof threads / sizeof *threads && status == CLI_DONE; i++) {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "%d threads", (int)threads[i]);
        status = with_context(all, name, threads[i], attend_ctx_isa(all->given->ctx));
    }
    return status;
}

static int over_isas(bits_check *all) {
    int status = CLI_DONE;
    for (int isa = 1; strcmp(attend_isa_name((attend_isa)isa), "unknown") != 0 && status == CLI_DONE; isa++)
        if (attend_isa_refusal((attend_isa)isa) == NULL)
            status = with_context(all, attend_isa_name((attend_isa)isa), 1, (attend_isa)isa);
    return status;
}

/* Each run of length queries of every batch row or sequence, in a call of its own; 0: all of them. */
static int in_pieces(bits_check *all, const char *name, int64_t length, bool heads_alone) {
    const forward_call *whole = &all->given->call;
    int64_t calls = 0, count = 0;
    attend_status status = ATTEND_OK;
    for (int64_t group = 0; group < groups_count(whole); group++) {
        part one = part_of_group(whole, group);
        int64_t queries = one.queries.count, heads = one.heads.count, step = length == 0 ? queries : length;
        for (int64_t h = 0; h < (heads_alone ? heads : 1); h++)
            for (int64_t i = 0; i < queries && status == ATTEND_OK; i += step, calls++) {
                one.queries = (span){i, queries - i < step ? queries - i : step};
                one.heads = heads_alone ? (span){h, 1} : one.heads;
                status = compare_part(all, all->given->ctx, &one, &count);
            }
    }
    return report(all, name, all->given->ctx, status, calls, count);
}

static int over_pieces(bits_check *all) {
    static const int64_t lengths[] = {7, 48, 100, 1000};
    int64_t queries = all->given->call.problem.queries;
    int status = in_pieces(all, "batch rows alone", 0, false);
    if (status == CLI_DONE)
        status = in_pieces(all, "heads alone", 0, true);
    if (status == CLI_DONE && queries <= ALONE_MOST)
        status = in_pieces(all, "token by token", 1, false);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && status == CLI_DONE; i++) {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "chunks of %lld queries", (long long)lengths[i]);
        if (lengths[i] < queries)
            status = in_pieces(all, name, lengths[i], false);
    }
    return status;
}

static int with_taps(bits_check *all) {
    attend_problem problem = all->given->call.problem;
    int64_t numbers[] = {problem.batch, problem.heads, problem.queries}, count = 0;
    attend_taps taps = attend_taps_init();
    if (!check_memory_tensor(&all->memory, ATTEND_F32, 3, numbers, &taps.row_max) ||
        !check_memory_tensor(&all->memory, ATTEND_F32, 3, numbers, &taps.entropy))
        return cli_library_error(NULL, ATTEND_MEMORY);
    attend_status status = compare_whole(all, all->given->ctx, taps, &count);
    return report(all, "taps", all->given->ctx, status, 1, count);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static attend_status compute_first(bits_check *all) {
    attend_config config = attend_config_init();
    attend_ctx *ctx;
    config.threads = 1;
    config.isa = (int32_t)attend_ctx_isa(all->given->ctx);
    attend_status status = attend_ctx_create(&config, &ctx);
    if (status == ATTEND_OK)
        status = compute(all, ctx, &all->given->call, attend_taps_init(), &all->memory, &all->whole);
    attend_ctx_destroy(ctx);
    return status;
}

static int run_all(bits_check *all) {
    int (*const circumstances[])(bits_check *) = {over_threads, over_isas, over_pieces, with_taps};
    int status = CLI_DONE;
    if (all->list == NULL)
        printf("%-24s %8s  %s\n", "circumstance", "calls", "elements that differ");
    for (size_t i = 0; i < sizeof circumstances / sizeof *circumstances && status == CLI_DONE; i++)
        status = circumstances[i](all);
    return status;
}

int check_bits_of(const inputs *given, bool json) {
    bits_check all = {.given = given, .list = json ? json_array() : NULL};
    attend_status first = compute_first(&all);
    int status = first == ATTEND_OK       ? run_all(&all)
                 : first == ATTEND_MEMORY ? cli_library_error(NULL, first)
                                          : inputs_error(given, first);
    if (status == CLI_DONE && json) {
        json_dumpf(all.list, stdout, JSON_INDENT(2));
        printf("\n");
    }
    json_decref(all.list);
    check_memory_release(&all.memory);
    if (status == CLI_DONE && all.failed)
        return cli_failure("the bits of the result depend on how it is computed");
    return status;
}
