/* Each message of the functions beside attend_forward: one call that triggers it, and its exact text. */
#include "fixture.h"

enum { B = FIXTURE_B, H = FIXTURE_H, G = FIXTURE_G, TQ = FIXTURE_TQ, TK = FIXTURE_TK, D = FIXTURE_D, E = FIXTURE_E };
enum { C = 9, N = 3 }; /* model width, vocabulary */

/* fixture_refused of a call made here, with f the fixture and its tensors. */
#define EXPECT(call, status, text) fixture_refused(&f, call, status, text)

static void test_problem_from(void **state) {
    fixture f = fixture_make(*state);
    attend_problem *p = &f.problem;
    EXPECT(attend_problem_from(f.ctx, &f.q, &f.k, &f.v, NULL), ATTEND_ARGUMENT, "problem is NULL");
    EXPECT(attend_problem_from(f.ctx, NULL, &f.k, &f.v, p), ATTEND_ARGUMENT, "q is NULL");
    EXPECT(attend_problem_from(f.ctx, &f.q, NULL, &f.v, p), ATTEND_ARGUMENT, "k is NULL");
    EXPECT(attend_problem_from(f.ctx, &f.q, &f.k, NULL, p), ATTEND_ARGUMENT, "v is NULL");
    attend_in k = f.k;
    k.shape[3] = 6;
    EXPECT(attend_problem_from(f.ctx, &f.q, &k, &f.v, p), ATTEND_SHAPE, "k.shape[3] is 6 but q.shape[3] is 7");
    k = f.k;
    k.shape[0] = 1;
    EXPECT(attend_problem_from(f.ctx, &f.q, &k, &f.v, p), ATTEND_SHAPE, "k.shape[0] is 1 but q.shape[0] is 2");
    attend_in v = f.v;
    v.shape[1] = 2;
    EXPECT(attend_problem_from(f.ctx, &f.q, &f.k, &v, p), ATTEND_SHAPE, "v.shape[1] is 2 but k.shape[1] is 3");
    v = f.v;
    v.shape[2] = 4;
    EXPECT(attend_problem_from(f.ctx, &f.q, &f.k, &v, p), ATTEND_SHAPE, "v.shape[2] is 4 but k.shape[2] is 5");
    v.rank = 2;
    EXPECT(attend_problem_from(f.ctx, &f.q, &f.k, &v, p), ATTEND_SHAPE, "v.rank is 2 but must be 4");
}

static void test_scratch_size(void **state) {
    fixture f = fixture_make(*state);
    size_t bytes;
    EXPECT(attend_scratch_size(f.ctx, &f.problem, NULL, NULL), ATTEND_ARGUMENT, "bytes is NULL");
    EXPECT(attend_scratch_size(f.ctx, NULL, NULL, &bytes), ATTEND_ARGUMENT, "problem is NULL");
    EXPECT(attend_reserve(f.ctx, NULL, NULL), ATTEND_ARGUMENT, "problem is NULL");
    f.problem.keys = (int64_t)1 << 59;
    EXPECT(attend_scratch_size(f.ctx, &f.problem, NULL, &bytes), ATTEND_TOO_LARGE,
           "scratch for 576460752303423488 keys, head_width 7 and value_width 8 does not fit");
    EXPECT(attend_reserve(f.ctx, &f.problem, NULL), ATTEND_TOO_LARGE,
           "scratch for 576460752303423488 keys, head_width 7 and value_width 8 does not fit");
}

static attend_status join(fixture *f, attend_in *inputs, attend_out *o, attend_out *lse) {
    return attend_join(f->ctx, &inputs[0], &inputs[1], &inputs[2], &inputs[3], o, lse);
}

static void test_join(void **state) {
    fixture f = fixture_make(*state);
    attend_out o = fixture_out(&f, ATTEND_F32, B, H, TQ, E), lse = fixture_out(&f, ATTEND_F32, B, H, TQ, -1);
    attend_in part = fixture_in(&f, ATTEND_F32, B, H, TQ, E), sum = fixture_in(&f, ATTEND_F32, B, H, TQ, -1);
    const attend_in right[] = {part, sum, part, sum};
    static const char *const missing[] = {"o_a.data is NULL", "lse_a.data is NULL", "o_b.data is NULL",
                                          "lse_b.data is NULL"};
    static const char *const misfit[] = {"lse_a.shape[1] is 6 but o_a.shape[1] is 5",
                                         "lse_a.shape[1] is 5 but o_a.shape[1] is 6",
                                         "o_b.shape[1] is 5 but o_a.shape[1] is 6",
                                         "lse_b.shape[1] is 5 but o_a.shape[1] is 6"};
    for (int n = 0; n < 4; n++) {
        attend_in inputs[4];
        memcpy(inputs, right, sizeof right);
        inputs[n].data = NULL;
        EXPECT(join(&f, inputs, &o, &lse), ATTEND_ARGUMENT, missing[n]);
        inputs[n] = right[n];
        inputs[n].shape[1] = 5;
        EXPECT(join(&f, inputs, &o, &lse), ATTEND_SHAPE, misfit[n]);
    }
    EXPECT(attend_join(f.ctx, NULL, &sum, &part, &sum, &o, &lse), ATTEND_ARGUMENT, "o_a is NULL");
    EXPECT(attend_join(f.ctx, &part, NULL, &part, &sum, &o, &lse), ATTEND_ARGUMENT, "lse_a is NULL");
    EXPECT(attend_join(f.ctx, &part, &sum, NULL, &sum, &o, &lse), ATTEND_ARGUMENT, "o_b is NULL");
    EXPECT(attend_join(f.ctx, &part, &sum, &part, NULL, &o, &lse), ATTEND_ARGUMENT, "lse_b is NULL");
    EXPECT(attend_join(f.ctx, &part, &sum, &part, &sum, NULL, &lse), ATTEND_ARGUMENT, "o is NULL");
    attend_out wrong = o;
    wrong.shape[3] = 7;
    EXPECT(attend_join(f.ctx, &part, &sum, &part, &sum, &wrong, &lse), ATTEND_SHAPE,
           "o.shape[3] is 7 but o_a.shape[3] is 8");
    wrong = lse;
    wrong.data = (void *)(uintptr_t)sum.data;
    EXPECT(attend_join(f.ctx, &part, &sum, &part, &sum, &o, &wrong), ATTEND_ALIAS, "lse overlaps lse_a in memory");
    wrong.data = NULL;
    assert_works(f.ctx, attend_join(f.ctx, &part, &sum, &part, &sum, &o, &wrong)); /* lse is not wanted */
}

static void test_grid_stages(void **state) {
    fixture f = fixture_make(*state);
    attend_problem *p = &f.problem;
    attend_out to = fixture_out(&f, ATTEND_F32, B, H, TQ, TK), none = {.data = NULL}, thin = to;
    attend_in from = fixture_in(&f, ATTEND_F32, B, H, TQ, TK), short_from = from;
    thin.shape[3] = short_from.shape[3] = 4;
    EXPECT(attend_compare(f.ctx, p, NULL, &f.k, &to), ATTEND_ARGUMENT, "q is NULL");
    EXPECT(attend_compare(f.ctx, p, &f.q, NULL, &to), ATTEND_ARGUMENT, "k is NULL");
    EXPECT(attend_compare(f.ctx, p, &f.q, &f.k, NULL), ATTEND_ARGUMENT, "raw is NULL");
    EXPECT(attend_compare(f.ctx, p, &f.q, &f.k, &none), ATTEND_ARGUMENT, "raw.data is NULL");
    EXPECT(attend_compare(f.ctx, p, &f.q, &f.k, &thin), ATTEND_SHAPE, "raw.shape[3] is 4 but keys is 5");
    EXPECT(attend_compare(f.ctx, NULL, &f.q, &f.k, &to), ATTEND_ARGUMENT, "problem is NULL");
    EXPECT(attend_scale(f.ctx, p, NULL, NULL, &to), ATTEND_ARGUMENT, "raw is NULL");
    EXPECT(attend_scale(f.ctx, p, &short_from, NULL, &to), ATTEND_SHAPE, "raw.shape[3] is 4 but keys is 5");
    EXPECT(attend_scale(f.ctx, p, &from, NULL, NULL), ATTEND_ARGUMENT, "scores is NULL");
    EXPECT(attend_scale(f.ctx, p, &from, NULL, &none), ATTEND_ARGUMENT, "scores.data is NULL");
    EXPECT(attend_mask(f.ctx, p, NULL, NULL, &to), ATTEND_ARGUMENT, "scores is NULL");
    EXPECT(attend_mask(f.ctx, p, &short_from, NULL, &to), ATTEND_SHAPE, "scores.shape[3] is 4 but keys is 5");
    EXPECT(attend_mask(f.ctx, p, &from, NULL, NULL), ATTEND_ARGUMENT, "masked is NULL");
    EXPECT(attend_normalize(f.ctx, p, NULL, NULL, &to, NULL), ATTEND_ARGUMENT, "masked is NULL");
    EXPECT(attend_normalize(f.ctx, p, &from, NULL, NULL, NULL), ATTEND_ARGUMENT, "weights is NULL");
    EXPECT(attend_normalize(f.ctx, p, &from, NULL, &to, &to), ATTEND_SHAPE, "lse.rank is 4 but must be 3");
    EXPECT(attend_combine(f.ctx, p, NULL, &f.v, NULL, &f.o), ATTEND_ARGUMENT, "weights is NULL");
    EXPECT(attend_combine(f.ctx, p, &from, NULL, NULL, &f.o), ATTEND_ARGUMENT, "v is NULL");
    EXPECT(attend_combine(f.ctx, p, &from, &f.v, NULL, NULL), ATTEND_ARGUMENT, "o is NULL");
    EXPECT(attend_combine(f.ctx, p, &from, &f.v, NULL, &none), ATTEND_ARGUMENT, "o.data is NULL");
    thin = f.o;
    thin.shape[3] = 7;
    EXPECT(attend_combine(f.ctx, p, &from, &f.v, NULL, &thin), ATTEND_SHAPE, "o.shape[3] is 7 but value_width is 8");
    to.data = (void *)(uintptr_t)from.data;
    EXPECT(attend_scale(f.ctx, p, &from, NULL, &to), ATTEND_ALIAS, "scores overlaps raw in memory");
}

/* Grids of more pairs than memory can count: refused before anything is read. */
static void test_grid_stage_that_does_not_fit(void **state) {
    fixture f = fixture_make(*state);
    const int64_t keys = (int64_t)1 << 60;
    attend_in k = f.k;
    attend_out raw = fixture_out(&f, ATTEND_F16, 1, 1, 1, 1);
    f.problem.batch = f.q.shape[0] = k.shape[0] = f.problem.heads = f.q.shape[1] = f.problem.kv_heads = k.shape[1] = 1;
    f.problem.queries = f.q.shape[2] = 1;
    f.problem.keys = raw.shape[3] = k.shape[2] = keys;
    k.stride[2] = 0;
    f.q.data = k.data = f.memory + f.size - 64; /* far from raw, whose place is all that is known of it */
    raw.data = f.memory + f.size;
    EXPECT(attend_compare(f.ctx, &f.problem, &f.q, &k, &raw), ATTEND_TOO_LARGE,
           "scratch for a row of 1152921504606846976 keys does not fit");
}

static void test_chain(void **state) {
    fixture f = fixture_make(*state);
    attend_steps steps = attend_steps_init();
    steps.compare = fixture_out(&f, ATTEND_F32, B, H, TQ, TK);
    attend_out *grids[] = {&steps.scale, &steps.mask, &steps.normalize};
    static const char *const texts[] = {"steps.scale.shape[3] is 4 but keys is 5",
                                        "steps.mask.shape[3] is 4 but keys is 5",
                                        "steps.normalize.shape[3] is 4 but keys is 5"};
    for (int n = 0; n < 3; n++) {
        *grids[n] = steps.compare;
        grids[n]->shape[3] = 4;
        EXPECT(attend_chain(f.ctx, &f.problem, &f.q, &f.k, &f.v, NULL, &steps), ATTEND_SHAPE, texts[n]);
        grids[n]->data = NULL;
    }
    steps.lse = fixture_out(&f, ATTEND_F32, B, H, TK, -1);
    EXPECT(attend_chain(f.ctx, &f.problem, &f.q, &f.k, &f.v, NULL, &steps), ATTEND_SHAPE,
           "steps.lse.shape[2] is 5 but queries is 4");
    steps.lse.data = NULL;
    steps.combine = fixture_out(&f, ATTEND_F32, B, H, TQ, D);
    EXPECT(attend_chain(f.ctx, &f.problem, &f.q, &f.k, &f.v, NULL, &steps), ATTEND_SHAPE,
           "steps.combine.shape[3] is 7 but value_width is 8");
    steps.combine.data = NULL;
    steps.compare.dtype = ATTEND_U8;
    EXPECT(attend_chain(f.ctx, &f.problem, &f.q, &f.k, &f.v, NULL, &steps), ATTEND_DTYPE,
           "steps.compare.dtype is u8 but must be f32, f16, bf16 or f64");
    EXPECT(attend_chain(f.ctx, &f.problem, NULL, &f.k, &f.v, NULL, &steps), ATTEND_ARGUMENT, "q is NULL");
    EXPECT(attend_chain(f.ctx, &f.problem, &f.q, &f.k, NULL, NULL, &steps), ATTEND_ARGUMENT, "v is NULL");
    assert_works(f.ctx, attend_chain(f.ctx, &f.problem, &f.q, &f.k, &f.v, NULL, NULL)); /* nothing is wanted */
}

static void test_embed(void **state) {
    static const int32_t ids[] = {0, 1, 2, 2, 1, 3}, negative[] = {0, 0, -1, 0, 0, 0};
    fixture f = fixture_make(*state);
    attend_in tokens = fixture_list(&f, 6, ids), table = fixture_in(&f, ATTEND_F32, N, C, -1, -1);
    attend_out x = fixture_out(&f, ATTEND_F32, 2, 3, C, -1), wrong = x;
    const int64_t shape[] = {2, 3};
    tokens = attend_in_dense(tokens.data, ATTEND_I32, 2, shape);
    EXPECT(attend_embed(f.ctx, &tokens, &table, &x), ATTEND_ARGUMENT, "tokens[1,2] is 3 (allowed 0 to 2)");
    tokens = attend_in_dense(fixture_list(&f, 6, negative).data, ATTEND_I32, 2, shape);
    EXPECT(attend_embed(f.ctx, &tokens, &table, &x), ATTEND_ARGUMENT, "tokens[0,2] is -1 (allowed 0 to 2)");
    EXPECT(attend_embed(f.ctx, NULL, &table, &x), ATTEND_ARGUMENT, "tokens is NULL");
    EXPECT(attend_embed(f.ctx, &tokens, NULL, &x), ATTEND_ARGUMENT, "table is NULL");
    EXPECT(attend_embed(f.ctx, &tokens, &table, NULL), ATTEND_ARGUMENT, "x is NULL");
    EXPECT(attend_embed(f.ctx, &table, &table, &x), ATTEND_DTYPE, "tokens.dtype is f32 but must be i32");
    wrong.shape[1] = 2;
    EXPECT(attend_embed(f.ctx, &tokens, &table, &wrong), ATTEND_SHAPE, "x.shape[1] is 2 but tokens.shape[1] is 3");
    wrong = x;
    wrong.shape[2] = 8;
    EXPECT(attend_embed(f.ctx, &tokens, &table, &wrong), ATTEND_SHAPE, "x.shape[2] is 8 but table.shape[1] is 9");
}

static void test_place(void **state) {
    static const int32_t places[] = {0, 1, 2, 3};
    fixture f = fixture_make(*state);
    attend_in positions = fixture_list(&f, TQ, places), few = fixture_list(&f, 3, places), tokens;
    attend_in each = fixture_in(&f, ATTEND_I32, 3, TQ, -1, -1);
    attend_out y = fixture_out(&f, ATTEND_F32, B, H, TQ, D), sum = fixture_out(&f, ATTEND_F32, B, TQ, C, -1);
    tokens = fixture_in(&f, ATTEND_F32, B, TQ, C, -1);
    attend_place_kind turn = ATTEND_PLACE_ROTATE_HALVES;
    EXPECT(attend_place(f.ctx, (attend_place_kind)0, 1e4, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "kind is 0 (allowed 1 to 3)");
    EXPECT(attend_place(f.ctx, (attend_place_kind)4, 1e4, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "kind is 4 (allowed 1 to 3)");
    EXPECT(attend_place(f.ctx, (attend_place_kind)-1, 1e4, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "kind is -1 (allowed 1 to 3)");
    EXPECT(attend_place(f.ctx, turn, 0, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "base is 0 (allowed positive numbers)");
    EXPECT(attend_place(f.ctx, turn, -1.5, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "base is -1.5 (allowed positive numbers)");
    EXPECT(attend_place(f.ctx, turn, INFINITY, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "base is inf (allowed positive numbers)");
    EXPECT(attend_place(f.ctx, turn, 1e4, 0, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "width is 7 (allowed even numbers from 0 to 7)");
    EXPECT(attend_place(f.ctx, turn, 1e4, 8, &f.q, &positions, &y), ATTEND_ARGUMENT,
           "width is 8 (allowed even numbers from 0 to 7)");
    EXPECT(attend_place(f.ctx, ATTEND_PLACE_ADD, 1e4, -2, &tokens, &positions, &sum), ATTEND_ARGUMENT,
           "width is -2 (allowed numbers from 0 to 9)");
    EXPECT(attend_place(f.ctx, ATTEND_PLACE_ADD, 1e4, 10, &tokens, &positions, &sum), ATTEND_ARGUMENT,
           "width is 10 (allowed numbers from 0 to 9)");
    EXPECT(attend_place(f.ctx, ATTEND_PLACE_ADD, 1e4, 0, &f.q, &positions, &y), ATTEND_SHAPE,
           "x.rank is 4 but must be 3");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &tokens, &positions, &y), ATTEND_SHAPE, "x.rank is 3 but must be 4");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, NULL, &positions, &y), ATTEND_ARGUMENT, "x is NULL");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &f.q, NULL, &y), ATTEND_ARGUMENT, "positions is NULL");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &f.q, &positions, NULL), ATTEND_ARGUMENT, "y is NULL");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &f.q, &few, &y), ATTEND_SHAPE,
           "positions.shape[0] is 3 but x.shape[2] is 4");
    EXPECT(attend_place(f.ctx, ATTEND_PLACE_ADD, 1e4, 0, &tokens, &few, &sum), ATTEND_SHAPE,
           "positions.shape[0] is 3 but x.shape[1] is 4");
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &f.q, &each, &y), ATTEND_SHAPE,
           "positions.shape[0] is 3 but x.shape[0] is 2");
    y.shape[1] = 5;
    EXPECT(attend_place(f.ctx, turn, 1e4, 4, &f.q, &positions, &y), ATTEND_SHAPE,
           "y.shape[1] is 5 but x.shape[1] is 6");
}

static void test_rotate(void **state) {
    fixture f = fixture_make(*state);
    attend_in table = fixture_in(&f, ATTEND_F32, TQ, 3, -1, -1), wide = fixture_in(&f, ATTEND_F32, TQ, 4, -1, -1);
    attend_in each = fixture_in(&f, ATTEND_F32, 1, TQ, 3, -1);
    attend_out y = fixture_out(&f, ATTEND_F32, B, H, TQ, D);
    attend_place_kind turn = ATTEND_PLACE_ROTATE_NEIGHBOURS;
    assert_works(f.ctx, attend_rotate(f.ctx, turn, &f.q, &table, &table, &y));
    f = fixture_make(*state);
    table = fixture_in(&f, ATTEND_F32, TQ, 3, -1, -1);
    wide = fixture_in(&f, ATTEND_F32, TQ, 4, -1, -1);
    each = fixture_in(&f, ATTEND_F32, 1, TQ, 3, -1);
    y = fixture_out(&f, ATTEND_F32, B, H, TQ, D);
    EXPECT(attend_rotate(f.ctx, ATTEND_PLACE_ADD, &f.q, &table, &table, &y), ATTEND_ARGUMENT,
           "kind is 1 (allowed 2 to 3)");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &wide, &wide, &y), ATTEND_SHAPE,
           "cosine has 4 pairs but x.shape[3] is 7 channels");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &table, &wide, &y), ATTEND_SHAPE,
           "sine.shape[1] is 4 but the last axis of cosine is 3");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &each, &table, &y), ATTEND_SHAPE,
           "cosine.shape[0] is 1 but x.shape[0] is 2");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, NULL, &table, &y), ATTEND_ARGUMENT, "cosine is NULL");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &table, NULL, &y), ATTEND_ARGUMENT, "sine is NULL");
    EXPECT(attend_rotate(f.ctx, turn, NULL, &table, &table, &y), ATTEND_ARGUMENT, "x is NULL");
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &table, &table, NULL), ATTEND_ARGUMENT, "y is NULL");
    y.data = (void *)(uintptr_t)f.q.data;
    EXPECT(attend_rotate(f.ctx, turn, &f.q, &table, &table, &y), ATTEND_ALIAS, "y overlaps x in memory");
}

static void test_project(void **state) {
    fixture f = fixture_make(*state);
    attend_in x = fixture_in(&f, ATTEND_F32, B, TQ, C, -1), weight = fixture_in(&f, ATTEND_F32, H, D, C, -1), wrong;
    attend_in bias = fixture_in(&f, ATTEND_F32, H, D, -1, -1);
    attend_out y = fixture_out(&f, ATTEND_F32, B, H, TQ, D);
    EXPECT(attend_project(f.ctx, NULL, &weight, &bias, &y), ATTEND_ARGUMENT, "x is NULL");
    EXPECT(attend_project(f.ctx, &x, NULL, &bias, &y), ATTEND_ARGUMENT, "weight is NULL");
    EXPECT(attend_project(f.ctx, &x, &weight, &bias, NULL), ATTEND_ARGUMENT, "y is NULL");
    wrong = weight;
    wrong.shape[2] = 8;
    EXPECT(attend_project(f.ctx, &x, &wrong, &bias, &y), ATTEND_SHAPE, "weight.shape[2] is 8 but x.shape[2] is 9");
    wrong = bias;
    wrong.shape[0] = 5;
    EXPECT(attend_project(f.ctx, &x, &weight, &wrong, &y), ATTEND_SHAPE, "bias.shape[0] is 5 but weight.shape[0] is 6");
    wrong = bias;
    wrong.shape[1] = 6;
    EXPECT(attend_project(f.ctx, &x, &weight, &wrong, &y), ATTEND_SHAPE, "bias.shape[1] is 6 but weight.shape[1] is 7");
    y.shape[1] = 5;
    EXPECT(attend_project(f.ctx, &x, &weight, &bias, &y), ATTEND_SHAPE, "y.shape[1] is 5 but weight.shape[0] is 6");
}

static void test_merge(void **state) {
    fixture f = fixture_make(*state);
    attend_in o = fixture_in(&f, ATTEND_F32, B, H, TQ, E), weight = fixture_in(&f, ATTEND_F32, C, H, E, -1), wrong;
    attend_in bias = fixture_in(&f, ATTEND_F32, C, -1, -1, -1);
    attend_out y = fixture_out(&f, ATTEND_F32, B, TQ, C, -1);
    EXPECT(attend_merge(f.ctx, NULL, &weight, &bias, &y), ATTEND_ARGUMENT, "o is NULL");
    EXPECT(attend_merge(f.ctx, &o, NULL, &bias, &y), ATTEND_ARGUMENT, "weight is NULL");
    EXPECT(attend_merge(f.ctx, &o, &weight, &bias, NULL), ATTEND_ARGUMENT, "y is NULL");
    wrong = weight;
    wrong.shape[1] = 5;
    EXPECT(attend_merge(f.ctx, &o, &wrong, &bias, &y), ATTEND_SHAPE, "weight.shape[1] is 5 but o.shape[1] is 6");
    wrong = weight;
    wrong.shape[2] = 7;
    EXPECT(attend_merge(f.ctx, &o, &wrong, &bias, &y), ATTEND_SHAPE, "weight.shape[2] is 7 but o.shape[3] is 8");
    wrong = bias;
    wrong.shape[0] = 8;
    EXPECT(attend_merge(f.ctx, &o, &weight, &wrong, &y), ATTEND_SHAPE, "bias.shape[0] is 8 but weight.shape[0] is 9");
    y.shape[1] = 3;
    EXPECT(attend_merge(f.ctx, &o, &weight, &bias, &y), ATTEND_SHAPE, "y.shape[1] is 3 but o.shape[2] is 4");
}

/* Without a context there is no message: the status speaks, and nothing else is looked at. */
static void test_no_context(void **state) {
    (void)state;
    assert_int_equal(attend_problem_from(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_reserve(NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_scratch_size(NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_forward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_join(NULL, NULL, NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_embed(NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_place(NULL, ATTEND_PLACE_ADD, 1, 0, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_rotate(NULL, ATTEND_PLACE_ROTATE_HALVES, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_project(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_compare(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_scale(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_mask(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_normalize(NULL, NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_combine(NULL, NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_merge(NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
    assert_int_equal(attend_chain(NULL, NULL, NULL, NULL, NULL, NULL, NULL), ATTEND_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_problem_from),
        TEST(test_scratch_size),
        TEST(test_join),
        TEST(test_grid_stages),
        TEST(test_grid_stage_that_does_not_fit),
        TEST(test_chain),
        TEST(test_embed),
        TEST(test_place),
        TEST(test_rotate),
        TEST(test_project),
        TEST(test_merge),
        TEST(test_no_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
