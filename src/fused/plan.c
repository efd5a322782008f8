#include "fused/plan.h"

#include <math.h>

#include "base/context.h"
#include "base/parallel.h"
#include "base/size.h"
#include "fused/heaviest.h"
#include "fused/look_pass.h"
#include "fused/panel.h"
#include "kernel/select.h"

/* Bytes of scores that a thread keeps at most: those of a block and 21,845 keys in f32.  There is a most, since memory
   beside the tensors must not grow with them; up to it fetching scores is faster than comparing once more, also from
   beyond the second cache. */
enum { KEPT_MOST = 4 << 20 };

/* Far from the ends of the floats, so that what is made of it does not leave them: 0, or 2^-100 to 2^100. */
static bool is_moderate(double value) { return value == 0 || (fabs(value) >= 0x1p-100 && fabs(value) <= 0x1p100); }

/* One condition a line. */
const char *at_plan_refusal(const at_fused *call) {
    const at_problem *problem = call->problem;
    if (problem->flags & ATTEND_READABLE)
        return "problem.flags has ATTEND_READABLE";
    if (!is_moderate(problem->scale) || !is_moderate(problem->softcap))
        return "scale or softcap is near the ends of f32";
    if (problem->head_width > INT32_MAX / AT_LANES || problem->value_width > INT32_MAX / AT_LANES)
        return "a head is wider than 44,739,242";
    return NULL;
}

static int64_t parts(int64_t count, int64_t size) { return (count + size - 1) / size; }

/* Rows of such numbers as the sums are made of are read where they lie; rows of 16 or 8 bits too when sums are in f32 and
   a block has few rows. */
const char *at_plan_widens(const attend_in *tensor, const at_plan *plan) {
    if (tensor->dtype != AT_PAGED && tensor->stride[3] != 1 && tensor->shape[3] != 1)
        return "the elements of a row are not adjacent";
    if (!at_panel_in_place(tensor) && AT_REAL_DTYPE == ATTEND_F64)
        return "it is not f64, as the sums are";
    if (!at_panel_in_place(tensor) && plan->heads * plan->queries > AT_FEW)
        return "16-bit floats are converted once for the many rows that meet them";
    return NULL;
}

/* Rows of pairs that are adjacent, each pair where a number of 32 bits may lie. */
static bool holds_pairs(const attend_in *tensor) {
    if (tensor->dtype == AT_PAGED)
        return tensor->shape[3] % 2 == 0;
    bool even = tensor->shape[3] % 2 == 0 && (uintptr_t)tensor->data % 4 == 0 && tensor->stride[3] == 1;
    for (int axis = 0; axis < 3; axis++)
        even = even && tensor->stride[axis] % 2 == 0;
    return even;
}

/* Why keys are not compared as pairs of bf16, in words; NULL when they are. One condition a line. */
static const char *not_pairs(const at_fused *call, const at_plan *plan, attend_isa isa) {
    if (call->q->dtype != ATTEND_BF16 || at_panel_stored(call->k) != ATTEND_BF16)
        return "queries or keys are not bf16";
    if (AT_REAL_DTYPE == ATTEND_F64)
        return "sums are in f64";
    if (at_pairs_of(isa) == NULL)
        return "this processor, or the instruction set that was asked for, has no dot products of bf16";
    if (plan->heads * plan->queries <= AT_FEW)
        return "the few rows of a block have kernels of their own";
    if (plan->sign < 0)
        return "the scale is negative";
    if (!holds_pairs(call->q) || !holds_pairs(call->k))
        return "elements of q or k are not adjacent pairs, each at an address that 4 divides";
    return NULL;
}

/* Many queries: one head at a time fills the lanes. Few: the heads of a group stand side by side, so that each key
   is read once for all of them. */
static void cut_blocks(const at_problem *problem, at_plan *plan) {
    plan->queries = problem->queries < AT_LANES ? (int32_t)(problem->queries ? problem->queries : 1) : AT_LANES;
    plan->heads = AT_LANES / plan->queries;
    if (plan->heads > problem->group)
        plan->heads = (int32_t)problem->group;
}

static void count_tasks(const at_problem *problem, at_plan *plan) {
    int64_t heads = problem->batch * problem->kv_heads * plan->head_tasks; /* at most batch * heads, which fits */
    if (!at_i64_mul(heads, plan->query_tasks, &plan->tasks))
        plan->tasks = INT64_MAX; /* only in attend_reserve: no output is that large */
}

/* What is converted is shared by the blocks of a task. */
static void cut_tasks(const at_problem *problem, at_plan *plan) {
    plan->blocks = plan->widen_k || plan->widen_v ? AT_BLOCKS_MAX : 1;
    plan->head_tasks = problem->group ? parts(problem->group, plan->heads) : 0;
    plan->task_queries = (int64_t)plan->queries * plan->blocks;
    plan->query_tasks = parts(problem->queries, plan->task_queries);
    count_tasks(problem, plan);
}

/* Few tasks and many keys, as in decode: the chunks of a task are shared out.  Not when, one condition a line: */
static const char *whole(const at_problem *problem, const at_plan *plan, int32_t threads) {
    if (threads < 2)
        return "there is one thread";
    if (plan->tasks >= 2 * (int64_t)threads)
        return "there are two tasks or more for each thread";
    if (plan->tasks == 0)
        return "there is no task";
    if (plan->query_tasks != 1 || problem->queries > plan->queries)
        return "a task has several blocks of queries";
    if (at_given_in(&problem->query_starts))
        return "sequences are packed";
    if (plan->chunks < 2)
        return "there is one chunk of keys";
    if (plan->tallies)
        return "heaviest keys or segments are wanted";
    return NULL;
}

/* Four parts for each thread, so that none waits long for the last. */
static int64_t splits_of(const at_plan *plan, int32_t threads) {
    if (plan->whole != NULL)
        return 1;
    int64_t splits = parts(4 * (int64_t)threads, plan->tasks);
    return splits < plan->chunks ? splits : plan->chunks;
}

/* Blocks of a thread that can keep their scores. */
static int64_t blocks_kept(const at_problem *problem) {
    const int64_t keys = KEPT_MOST / (AT_LANES * (int64_t)sizeof(at_real));
    return problem->keys > 0 ? keys / problem->keys : AT_BLOCKS_MAX;
}

/* Column sums and the grid are made of scores that are kept until the sum of their row is known, instead of comparing once
   more in a pass of their own (look_pass.h), which gives the same bits.  Not when, one condition a line: */
static bool keeps(const at_fused *call, const at_plan *plan, int32_t threads) {
    const at_problem *problem = call->problem;
    int64_t heads = problem->batch * problem->heads, rounds = parts(heads, threads);
    if (!at_received_wanted(call->taps))
        return false;
    if (call->lse != NULL) /* and so no way to the output */
        return false;
    if (at_given_in(&problem->query_starts)) /* blocks end where a sequence does */
        return false;
    if (plan->heads > 1) /* in a block: there are few queries */
        return false;
    if (rounds < 4 && 4 * heads < 3 * rounds * threads) /* a head is a task: many threads would have nothing to do */
        return false;
    return blocks_kept(problem) > 0;
}

static void keep_scores(const at_problem *problem, at_plan *plan) {
    int64_t most = blocks_kept(problem);
    plan->keeps = true;
    plan->blocks = plan->blocks < most ? plan->blocks : (int32_t)most;
    plan->task_queries = problem->queries;
    plan->query_tasks = 1;
    count_tasks(problem, plan);
}

void at_plan_make(const at_fused *call, attend_isa isa, int32_t threads, at_plan *plan) {
    const at_problem *problem = call->problem;
    plan->kernels = at_kernels_of(isa);
    plan->adjusted = problem->softcap > 0 || at_given_in(&problem->slopes) || at_given_in(&problem->bias);
    plan->sign = problem->scale < 0 ? -1 : 1;
    plan->factor = (at_real)(plan->adjusted ? AT_LOG2_E : fabs(problem->scale) * AT_LOG2_E);
    plan->tallies = at_heaviest_wanted(call->taps);
    cut_blocks(problem, plan);
    plan->widen_k = at_plan_widens(call->k, plan) != NULL;
    plan->widen_v = at_plan_widens(call->v, plan) != NULL;
    plan->pairs = not_pairs(call, plan, isa) == NULL ? at_pairs_of(isa) : NULL;
    plan->swapped = at_panel_stored(call->k) == ATTEND_BF16;
    cut_tasks(problem, plan);
    plan->chunks = parts(problem->keys, AT_CHUNK);
    plan->whole = whole(problem, plan, threads);
    plan->splits = splits_of(plan, threads);
    plan->keeps = false;
    if (plan->splits == 1 && keeps(call, plan, threads))
        keep_scores(problem, plan);
}

/* Converted inputs need more for each thread; inputs in place make more tasks, and so use more threads; and without
   tallies, as in a call without taps, tasks may be split. */
void at_plan_make_largest(const at_fused *call, int32_t threads, bool keeping, at_plan *plan) {
    const at_problem *problem = call->problem;
    at_plan in_place = {.chunks = parts(problem->keys, AT_CHUNK)};
    cut_blocks(problem, &in_place);
    cut_tasks(problem, &in_place);
    *plan = in_place;
    plan->widen_k = plan->widen_v = plan->adjusted = true;
    plan->tallies = at_heaviest_wanted(call->taps);
    cut_tasks(problem, plan);
    plan->tasks = in_place.tasks;
    in_place.whole = whole(problem, &in_place, threads);
    plan->splits = splits_of(&in_place, threads);
    if (keeping && keeps(call, plan, threads))
        keep_scores(problem, plan);
}

/* Of a given log-sum-exp: a whole power of two, and the rest; the rest of a huge one counts from the score itself. */
at_state at_state_given(const at_problem *problem, const at_plan *plan, double lse) {
    at_state state = {AT_SHIFT_NONE, -INFINITY, 0};
    double unit = plan->adjusted ? 1 : fabs(problem->scale), power = lse * AT_LOG2_E;
    if (lse == -INFINITY)
        return state;
    state.highest = (at_real)(unit > 0 ? lse / unit : 0);
    state.shift = (at_real)ceil(fmin(fmax(power, (double)AT_SHIFT_NONE), -(double)AT_SHIFT_NONE));
    bool huge = fabs(power) >= (double)AT_REAL_HUGE;
    state.inverse = (at_real)(huge ? exp((double)state.highest * unit - lse) : exp2((double)state.shift - power));
    return state;
}

static const char *name_of(const attend_in *tensor, bool widened, const char *whole, const char *few) {
    return widened || tensor->dtype == AT_REAL_DTYPE ? whole : few;
}

void at_plan_explain(const attend_ctx *ctx, const at_fused *call, attend_explanation *explanation) {
    at_plan plan;
    at_plan_make(call, ctx->isa, ctx->threads, &plan);
    explanation->isa = (int32_t)(AT_REAL_DTYPE == ATTEND_F64 ? at_kernels_f64_from(ctx->isa) : ctx->isa);
    explanation->chunk = AT_CHUNK;
    explanation->chunks = plan.chunks;
    explanation->block_heads = plan.heads;
    explanation->block_queries = plan.queries;
    explanation->block_most = AT_LANES;
    explanation->task_blocks = plan.blocks;
    explanation->tasks = plan.tasks;
    explanation->splits = plan.splits;
    explanation->not_split = plan.whole;
    explanation->threads = at_parallel_lanes(ctx, plan.tasks * plan.splits);
    explanation->keys_converted = plan.pairs != NULL ? NULL : at_plan_widens(call->k, &plan);
    explanation->not_pairs = not_pairs(call, &plan, ctx->isa);
    explanation->values_converted = at_plan_widens(call->v, &plan);
    explanation->compare =
        plan.pairs != NULL ? "compare_pairs" : name_of(call->k, plan.widen_k, "compare", "compare_few");
    explanation->combine = name_of(call->v, plan.widen_v, "combine", "combine_few");
}
