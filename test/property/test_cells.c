/* A grid with a cell for each pair is written without gathering: it has the bits of the rows in full, and the counts of the
   readable path, whatever hides the pairs, and with threads that share a head or not. */
#include "random_call.h"

enum { ROUNDS = 60 };

static attend_taps taps_of(const attend_problem *p, attend_dtype dtype) {
    attend_taps taps = attend_taps_init();
    attend_out *grids[] = {&taps.grid_sum, &taps.grid_max, &taps.grid_count};
    for (size_t n = 0; n < COUNT_OF(grids); n++)
        *grids[n] = test_tensor(dtype, p->batch, p->heads, p->queries, p->keys);
    taps.rows = test_range(p->queries);
    taps.row_weights = test_tensor(dtype, p->batch, p->heads, p->queries, p->keys);
    return taps;
}

static attend_taps look(attend_ctx *ctx, const random_call *call, attend_dtype dtype) {
    random_call fresh = *call;
    const attend_problem *p = &call->problem;
    fresh.o = test_tensor((attend_dtype)call->o.dtype, p->batch, p->heads, p->queries, p->value_width);
    attend_taps taps = taps_of(p, dtype);
    assert_works(ctx, random_call_forward(ctx, &fresh, &taps));
    return taps;
}

static void assert_grid_is(const attend_taps *taps, const attend_out *counts) {
    attend_in weights = attend_read(taps->row_weights), sum = attend_read(taps->grid_sum);
    attend_in most = attend_read(taps->grid_max), count = attend_read(taps->grid_count), want = attend_read(*counts);
    assert_same_bits(&sum, &weights);
    assert_same_bits(&most, &weights);
    assert_same_bits(&count, &want);
}

static void compare_paths(attend_ctx *one, attend_ctx *many, test_random *rng, unsigned may) {
    random_call call = random_call_make(rng, may);
    random_call readable = call;
    readable.problem.flags |= ATTEND_READABLE;
    attend_dtype sums = call.q.dtype == ATTEND_F64 || call.k.dtype == ATTEND_F64 || call.v.dtype == ATTEND_F64 ||
                                call.o.dtype == ATTEND_F64
                            ? ATTEND_F64
                            : ATTEND_F32;
    call.problem.value_width = call.v.shape[3], readable.problem.value_width = call.v.shape[3];
    attend_taps want = look(one, &readable, sums), got = look(one, &call, sums), shared = look(many, &call, sums);
    assert_grid_is(&got, &want.grid_count);
    assert_grid_is(&shared, &want.grid_count);
}

static void test_every_option(void **state) {
    (void)state;
    test_random rng = test_seed(131);
    attend_ctx *one = test_context(1), *many = test_context(8);
    for (int n = 0; n < ROUNDS; n++)
        compare_paths(one, many, &rng, MAY_BE_FAST | (MAY_ALL & ~MAY_BE_EMPTY));
    for (int n = 0; n < ROUNDS / 4; n++)
        compare_paths(one, many, &rng,
                      MAY_BE_FAST | MAY_BE_LONG | MAY_WINDOW | MAY_MASK | MAY_COUNT | MAY_PACK | MUST_BE_SHORT_FLOATS |
                          (n % 3 ? 0 : MAY_BE_WILD));
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_every_option)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
