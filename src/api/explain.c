/* What a problem gets, in the words of those who decide it: src/fused/plan.c and src/kernel/select.c. */
#include <string.h>

#include "base/check.h"
#include "base/context.h"
#include "base/parallel.h"
#include "fused/fast.h"

static void explain_readable(const attend_ctx *ctx, const at_problem *problem, attend_explanation *result) {
    result->path = "readable";
    result->block_heads = result->block_queries = result->block_most = 1;
    result->task_blocks = problem->queries < INT32_MAX ? (int32_t)problem->queries : INT32_MAX;
    result->tasks = problem->batch * problem->heads;
    result->splits = 1;
    result->not_split = "each row is summed from its first key to its last";
    result->threads = at_parallel_lanes(ctx, result->tasks);
}

/* An older caller has room for fewer fields. */
static void hand_over(const attend_explanation *result, attend_explanation *explanation) {
    uint32_t given = explanation->struct_size;
    memcpy(explanation, result, given < sizeof *result ? given : sizeof *result);
    explanation->struct_size = given;
}

attend_status attend_explain(attend_ctx *ctx, const attend_problem *problem, const attend_in *q, const attend_in *k,
                             const attend_in *v, const attend_extra *extra, attend_dtype o,
                             attend_explanation *explanation) {
    at_arguments arguments;
    at_problem resolved;
    attend_in query, key, value;
    attend_out output = {.dtype = (int32_t)o};
    at_taps taps = {.top = 0};
    attend_explanation result = attend_explanation_init(), given;
    at_fused call = {&resolved, &query, &key, &value, &output, &taps, NULL, NULL};
    AT_TRY(at_begin(ctx));
    at_arguments_begin(&arguments, ctx);
    AT_TRY(at_problem_import(&arguments, problem, extra, &resolved));
    AT_TRY(at_problem_query(&arguments, &resolved, q, &query));
    AT_TRY(at_problem_key(&arguments, &resolved, k, &key));
    AT_TRY(at_problem_value(&arguments, &resolved, v, &value));
    AT_TRY(at_argument_type(ctx, "o", (int32_t)o, AT_NUMBERS));
    if (explanation == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "explanation is NULL");
    AT_TRY(at_import(ctx, "explanation", explanation, &given, sizeof given));
    result.isa = (int32_t)ctx->isa;
    result.path = "fast";
    result.not_fast = at_fast_of(&call)->refusal(&call);
    if (result.not_fast == NULL)
        at_fast_of(&call)->explain(ctx, &call, &result);
    else
        explain_readable(ctx, &resolved, &result);
    hand_over(&result, explanation);
    return ATTEND_OK;
}
