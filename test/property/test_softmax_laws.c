/* What is true of attention whatever the numbers. */
#include "random_call.h"
#include "reference.h"

enum { ROUNDS = 200 };

static double weight_at(const attend_in *weights, int64_t b, int64_t h, int64_t i, int64_t j) {
    return test_get(weights, b, h, i, j);
}

/* Each row sums to 1; with a sink to 1 - exp(sink - lse); without a key to 0.  No weight is negative. */
static void test_rows_sum_to_one(void **state) {
    test_random rng = {21};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
        const attend_problem *p = &call.problem;
        attend_in weights = random_call_weights(*state, &call);
        reference r = reference_attention(p, &call.q, &call.k, &call.v, &call.extra);
        for (int64_t b = 0; b < p->batch; b++)
            for (int64_t h = 0; h < p->heads; h++)
                for (int64_t i = 0; i < p->queries; i++) {
                    double sum = 0;
                    bool seen = false;
                    for (int64_t j = 0; j < p->keys; j++) {
                        double weight = weight_at(&weights, b, h, i, j);
                        assert_true(weight >= 0 && weight <= 1);
                        assert_true(r.seen[reference_pair(&r, b, h, i, j)] || weight == 0);
                        seen = seen || r.seen[reference_pair(&r, b, h, i, j)];
                        sum += weight;
                    }
                    assert_close(sum, seen ? 1 - r.sink_mass[reference_query(&r, b, h, i)] : 0, 1e-12);
                }
    }
}

/* A constant on all scores of a row moves lse by it, and nothing else. */
static void test_adding_a_constant(void **state) {
    test_random rng = {22};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_MASK | MAY_SLOPES | MAY_COUNT | MAY_CAP | MAY_SCALE);
        const attend_problem *p = &call.problem;
        attend_in before = random_call_output(*state, &call);
        double shift = 100 * random_real(&rng);
        call.extra.bias = test_tensor_of(ATTEND_F64, -1, -1, -1, -1, &shift);
        attend_in after = random_call_output(*state, &call);
        assert_tensors_close(&after, &before, 1e-12);
        attend_taps taps = attend_taps_init();
        taps.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
        attend_in shifted = attend_read(taps.lse);
        assert_works(*state, random_call_forward(*state, &call, &taps));
        reference r = reference_attention(p, &call.q, &call.k, &call.v, &call.extra);
        assert_rounded(&shifted, r.lse, 1e-12);
    }
}

static void pick_order(test_random *rng, int64_t count, int64_t *order) {
    for (int64_t n = 0; n < count; n++)
        order[n] = n;
    for (int64_t n = count - 1; n > 0; n--) {
        int64_t other = random_pick(rng, 0, n), kept = order[n];
        order[n] = order[other];
        order[other] = kept;
    }
}

/* Axis `axis` of a rank-4 tensor in another order. */
static attend_in reorder(const attend_in *from, int axis, const int64_t *order) {
    attend_out to =
        test_tensor((attend_dtype)from->dtype, from->shape[0], from->shape[1], from->shape[2], from->shape[3]);
    for (int64_t a = 0; a < from->shape[0]; a++)
        for (int64_t b = 0; b < from->shape[1]; b++)
            for (int64_t c = 0; c < from->shape[2]; c++)
                for (int64_t d = 0; d < from->shape[3]; d++)
                    test_set(&to, a, b, c, d, test_get(from, a, b, axis == 2 ? order[c] : c, axis == 3 ? order[d] : d));
    return attend_read(to);
}

/* A mask of full shape, so that keys of it can be reordered. */
static void give_full_mask(test_random *rng, random_call *call) {
    const attend_problem *p = &call->problem;
    attend_out mask = test_tensor(ATTEND_U8, p->batch, p->heads, p->queries, p->keys);
    for (int64_t n = 0; n < p->batch * p->heads * p->queries * p->keys; n++)
        ((unsigned char *)mask.data)[n] = random_chance(rng, 70);
    call->extra.mask = attend_read(mask);
}

/* A set of keys has no order: the mask goes with them. */
static void test_permuting_keys_with_their_values(void **state) {
    test_random rng = {23};
    for (int n = 0; n < ROUNDS; n++) {
        int64_t order[16];
        random_call call = random_call_make(&rng, MAY_SINKS | MAY_CAP | MAY_SCALE);
        give_full_mask(&rng, &call);
        attend_in before = random_call_output(*state, &call);
        pick_order(&rng, call.problem.keys, order);
        call.k = reorder(&call.k, 2, order);
        call.v = reorder(&call.v, 2, order);
        call.extra.mask = reorder(&call.extra.mask, 3, order);
        attend_in after = random_call_output(*state, &call);
        assert_tensors_close(&after, &before, 1e-12);
    }
}

/* Attention alone sees a bag of words: shuffled tokens give shuffled outputs. */
static void test_permuting_tokens(void **state) {
    test_random rng = {24};
    for (int n = 0; n < ROUNDS; n++) {
        int64_t order[16], tokens = random_pick(&rng, 1, 9);
        random_call call = random_call_make(&rng, MAY_CAP | MAY_SINKS);
        attend_problem *p = &call.problem;
        p->queries = p->keys = tokens;
        call.q = test_random_tensor(&rng, ATTEND_F64, p->batch, p->heads, tokens, p->head_width);
        call.k = test_random_tensor(&rng, ATTEND_F64, p->batch, p->kv_heads, tokens, p->head_width);
        call.v = test_random_tensor(&rng, ATTEND_F64, p->batch, p->kv_heads, tokens, call.o.shape[3]);
        call.o.shape[2] = tokens;
        attend_in before = random_call_output(*state, &call);
        pick_order(&rng, tokens, order);
        call.q = reorder(&call.q, 2, order);
        call.k = reorder(&call.k, 2, order);
        call.v = reorder(&call.v, 2, order);
        attend_in after = random_call_output(*state, &call), want = reorder(&before, 2, order);
        assert_tensors_close(&after, &want, 1e-12);
    }
}

/* The first row is [1, 0, 0, ...] exactly, and the last that of the full grid. */
static void test_ends_of_a_causal_grid(void **state) {
    test_random rng = {25};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_CAP | MAY_SCALE | MAY_TYPE);
        attend_problem *p = &call.problem;
        p->keys = p->queries;
        call.k = test_random_tensor(&rng, ATTEND_F32, p->batch, p->kv_heads, p->keys, p->head_width);
        call.v = test_random_tensor(&rng, ATTEND_F32, p->batch, p->kv_heads, p->keys, call.o.shape[3]);
        attend_in full = random_call_weights(*state, &call);
        p->flags |= ATTEND_CAUSAL;
        attend_in causal = random_call_weights(*state, &call);
        int64_t last = p->queries - 1;
        for (int64_t b = 0; b < p->batch; b++)
            for (int64_t h = 0; h < p->heads; h++)
                for (int64_t j = 0; j < p->keys; j++) {
                    assert_true(weight_at(&causal, b, h, 0, j) == (j == 0));
                    assert_true(weight_at(&causal, b, h, last, j) == weight_at(&full, b, h, last, j));
                }
    }
}

/* A weighted average cannot leave the range of what it averages; with a sink that includes 0. */
static void test_output_between_the_values_seen(void **state) {
    test_random rng = {26};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~(MAY_BE_EMPTY | MAY_TYPE));
        const attend_problem *p = &call.problem;
        attend_in output = random_call_output(*state, &call);
        reference r = reference_attention(p, &call.q, &call.k, &call.v, &call.extra);
        for (int64_t row = 0; row < p->batch * p->heads * p->queries; row++)
            for (int64_t e = 0; e < r.E; e++) {
                int64_t b = row / (p->heads * p->queries), h = row / p->queries % p->heads, i = row % p->queries;
                double low = INFINITY, high = -INFINITY, got = test_get(&output, b, h, i, e);
                for (int64_t j = 0; j < p->keys; j++)
                    if (r.seen[reference_pair(&r, b, h, i, j)]) {
                        low = fmin(low, test_get(&call.v, b, h / (r.H / r.G), j, e));
                        high = fmax(high, test_get(&call.v, b, h / (r.H / r.G), j, e));
                    }
                if (low > high || r.sink_mass[row] > 0) {
                    low = fmin(low, 0);
                    high = fmax(high, 0);
                }
                assert_true(got >= low - 1e-14 && got <= high + 1e-14);
            }
    }
}

/* Sharing keys and values among query heads is the same, to the bit, as giving each head a copy. */
static void test_grouped_heads_equal_repeated_keys(void **state) {
    test_random rng = {27};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_ALL & ~MAY_BE_EMPTY);
        attend_problem *p = &call.problem;
        attend_in grouped = random_call_output(*state, &call);
        attend_out k = test_tensor(ATTEND_F64, p->batch, p->heads, p->keys, p->head_width);
        attend_out v = test_tensor(ATTEND_F64, p->batch, p->heads, p->keys, call.o.shape[3]);
        for (int64_t b = 0; b < p->batch; b++)
            for (int64_t h = 0; h < p->heads; h++)
                for (int64_t j = 0; j < p->keys; j++) {
                    int64_t g = h / (p->heads / p->kv_heads);
                    for (int64_t d = 0; d < p->head_width; d++)
                        test_set(&k, b, h, j, d, test_get(&call.k, b, g, j, d));
                    for (int64_t e = 0; e < call.o.shape[3]; e++)
                        test_set(&v, b, h, j, e, test_get(&call.v, b, g, j, e));
                }
        call.k = attend_read(k);
        call.v = attend_read(v);
        p->kv_heads = random_chance(&rng, 50) ? 0 : p->heads;
        attend_in repeated = random_call_output(*state, &call);
        assert_same_bits(&repeated, &grouped);
    }
}

/* Scale 0, written as such: all keys that are seen weigh the same. */
static void test_scale_zero_is_the_mean(void **state) {
    test_random rng = {28};
    for (int n = 0; n < ROUNDS; n++) {
        random_call call = random_call_make(&rng, MAY_WINDOW | MAY_MASK | MAY_COUNT);
        call.problem.scale = 0;
        call.problem.flags |= ATTEND_EXACT_SCALE;
        attend_in weights = random_call_weights(*state, &call);
        reference r = reference_attention(&call.problem, &call.q, &call.k, &call.v, &call.extra);
        for (int64_t row = 0; row < r.B * r.H * r.Tq; row++) {
            int64_t seen = 0;
            for (int64_t j = 0; j < r.Tk; j++)
                seen += r.seen[row * r.Tk + j];
            for (int64_t j = 0; j < r.Tk; j++)
                assert_close(((const double *)weights.data)[row * r.Tk + j],
                             r.seen[row * r.Tk + j] ? 1 / (double)seen : 0, 1e-15);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_rows_sum_to_one),
        TEST(test_adding_a_constant),
        TEST(test_permuting_keys_with_their_values),
        TEST(test_permuting_tokens),
        TEST(test_ends_of_a_causal_grid),
        TEST(test_output_between_the_values_seen),
        TEST(test_grouped_heads_equal_repeated_keys),
        TEST(test_scale_zero_is_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
