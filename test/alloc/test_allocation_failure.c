/* The allocator says no: at the n-th request, for each n, once and for good.  The call fails with ATTEND_MEMORY,
   nothing is lost, and the same call works when there is memory again. */
#include "random_call.h"

typedef struct operands {
    random_call call;
    attend_taps taps;
    attend_steps steps;
    attend_out grid; /* (B, H, Tq, Tk) */
} operands;

typedef attend_status (*operation)(attend_ctx *ctx, const operands *with);

static attend_status run_forward(attend_ctx *ctx, const operands *with) {
    return random_call_forward(ctx, &with->call, NULL);
}
static attend_status run_taps(attend_ctx *ctx, const operands *with) {
    return random_call_forward(ctx, &with->call, &with->taps);
}
static attend_status run_look(attend_ctx *ctx, const operands *with) {
    const random_call *c = &with->call;
    return attend_look(ctx, &c->problem, &c->q, &c->k, &c->extra, NULL, &with->taps);
}
static attend_status run_chain(attend_ctx *ctx, const operands *with) {
    const random_call *c = &with->call;
    return attend_chain(ctx, &c->problem, &c->q, &c->k, &c->v, &c->extra, &with->steps);
}
static attend_status run_reserve(attend_ctx *ctx, const operands *with) {
    return attend_reserve(ctx, &with->call.problem, &with->taps);
}
static attend_status run_compare(attend_ctx *ctx, const operands *with) {
    return attend_compare(ctx, &with->call.problem, &with->call.q, &with->call.k, &with->grid);
}
static attend_status run_scale(attend_ctx *ctx, const operands *with) {
    attend_in raw = attend_read(with->steps.compare);
    return attend_scale(ctx, &with->call.problem, &raw, &with->call.extra, &with->grid);
}
static attend_status run_mask(attend_ctx *ctx, const operands *with) {
    attend_in scores = attend_read(with->steps.compare);
    return attend_mask(ctx, &with->call.problem, &scores, &with->call.extra, &with->grid);
}
static attend_status run_normalize(attend_ctx *ctx, const operands *with) {
    attend_in masked = attend_read(with->steps.compare);
    return attend_normalize(ctx, &with->call.problem, &masked, &with->call.extra, &with->grid, NULL);
}
static attend_status run_combine(attend_ctx *ctx, const operands *with) {
    attend_in weights = attend_read(with->steps.compare);
    return attend_combine(ctx, &with->call.problem, &weights, &with->call.v, &with->call.extra, &with->call.o);
}
/* These take no memory at all; a count of 0 is part of what they promise. */
static attend_status run_problem_from(attend_ctx *ctx, const operands *with) {
    attend_problem problem = attend_problem_init();
    return attend_problem_from(ctx, &with->call.q, &with->call.k, &with->call.v, &problem);
}
static attend_status run_scratch_size(attend_ctx *ctx, const operands *with) {
    size_t bytes;
    return attend_scratch_size(ctx, &with->call.problem, &with->taps, &bytes);
}
static attend_status run_join(attend_ctx *ctx, const operands *with) {
    attend_in o = with->call.q, lse = test_slice(o, 3, 0, 1);
    attend_out joined = test_tensor(ATTEND_F64, o.shape[0], o.shape[1], o.shape[2], o.shape[3]);
    lse.rank = 3;
    return attend_join(ctx, &o, &lse, &o, &lse, &joined, NULL);
}
static attend_status run_place(attend_ctx *ctx, const operands *with) {
    attend_in x = with->call.q, positions = test_range(x.shape[2]);
    attend_out y = test_tensor(ATTEND_F64, x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    return attend_place(ctx, ATTEND_PLACE_ROTATE_HALVES, 1e4, x.shape[3] / 2 * 2, &x, &positions, &y);
}

static const struct {
    const char *name;
    operation run;
    int64_t allocations;
} operations[] = {
    {"forward", run_forward, 1},
    {"forward with taps", run_taps, 1},
    {"look", run_look, 1},
    {"chain", run_chain, 1},
    {"reserve", run_reserve, 1},
    {"compare", run_compare, 1},
    {"scale", run_scale, 1},
    {"mask", run_mask, 1},
    {"normalize", run_normalize, 1},
    {"combine", run_combine, 1},
    {"problem_from", run_problem_from, 0},
    {"scratch_size", run_scratch_size, 0},
    {"join", run_join, 0},
    {"place", run_place, 0},
};

static operands make_operands(void) {
    test_random rng = {115};
    operands with = {.call = random_call_make(&rng, MAY_MASK | MAY_SINKS),
                     .taps = attend_taps_init(),
                     .steps = attend_steps_init()};
    const attend_problem *p = &with.call.problem;
    assert_true(p->head_width >= 2); /* channels to turn */
    with.grid = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    attend_in compare = test_random_tensor(&rng, ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    with.steps.compare = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, p->keys);
    memcpy(with.steps.compare.data, compare.data, (size_t)test_count(&compare) * sizeof(double));
    with.taps.top_index = test_tensor(ATTEND_I32, p->batch, p->heads, p->queries, 2);
    with.taps.grid_sum = test_tensor(ATTEND_F64, p->batch, p->heads, 2, 2);
    return with;
}

/* Fails request number `request` of the operation; afterwards everything works and nothing is left. */
static void fail_one(size_t n, const operands *with, int64_t request, bool for_good) {
    test_memory memory = {0};
    attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 2, &memory);
    memory.fail_at = memory.calls + request;
    memory.for_good = for_good;
    assert_int_equal(operations[n].run(ctx, with), ATTEND_MEMORY);
    assert_memory_equal(attend_message(ctx), "no memory for ", strlen("no memory for "));
    assert_int_equal(memory.live, 1); /* the context alone */
    if (for_good)
        assert_int_equal(operations[n].run(ctx, with), ATTEND_MEMORY);
    memory.fail_at = 0;
    assert_works(ctx, operations[n].run(ctx, with));
    attend_ctx_destroy(ctx);
    assert_true(memory.live == 0 && memory.bytes == 0);
}

static void test_every_request_of_every_operation(void **state) {
    (void)state;
    operands with = make_operands();
    for (size_t n = 0; n < COUNT_OF(operations); n++) {
        test_memory memory = {0};
        attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 2, &memory);
        assert_works(ctx, operations[n].run(ctx, &with));
        int64_t requests = memory.calls - 1;
        attend_ctx_destroy(ctx);
        if (requests != operations[n].allocations)
            fail_msg("%s asks %d times for memory", operations[n].name, (int)requests);
        for (int64_t request = 1; request <= requests; request++) {
            fail_one(n, &with, request, false);
            fail_one(n, &with, request, true);
        }
    }
}

static void test_context_itself(void **state) {
    (void)state;
    test_memory memory = {.fail_at = 1};
    attend_config config = attend_config_init();
    attend_ctx *ctx = (attend_ctx *)&config;
    config.allocator = test_allocator(&memory);
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_MEMORY);
    assert_null(ctx);
    assert_true(memory.live == 0 && memory.calls == 1);
}

/* A larger call that fails leaves a smaller one reserved as it was. */
static void test_reservation_outlives_a_failure(void **state) {
    (void)state;
    test_memory memory = {0};
    attend_ctx *ctx = test_context_of(ATTEND_ISA_BEST, 2, &memory);
    operands with = make_operands();
    attend_problem larger = with.call.problem;
    larger.keys = 1000000;
    assert_works(ctx, attend_reserve(ctx, &with.call.problem, &with.taps));
    memory.fail_at = memory.calls + 1;
    assert_int_equal(attend_reserve(ctx, &larger, NULL), ATTEND_MEMORY);
    int64_t calls = memory.calls;
    assert_works(ctx, run_taps(ctx, &with));
    assert_int_equal(memory.calls, calls);
    attend_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_request_of_every_operation),
        TEST(test_context_itself),
        TEST(test_reservation_outlives_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
