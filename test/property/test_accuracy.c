/* How exact the fast path is: no worse than the formula written plainly in the same type, better where rows are long,
   and within one unit in the last place of a 16-bit output nearly always.  The readable path, in double, says what is right. */
#include <float.h>

#include "test_support.h"

#include "base/half.h"

enum { HEADS = 2, SEEDS = 2 };

typedef struct plain_shape {
    int64_t queries, keys, width;
    double size; /* numbers of q and k lie from -size to size */
    bool
        long_rows; /* sums over the keys are where the error comes from; else rounding of the products is, alike in both */
} plain_shape;

static const plain_shape SHAPES[] = {
    {5, 7, 2, 1, false},     {48, 64, 16, 1, false},  {16, 260, 576, 1, false},
    {33, 400, 80, 3, false}, {40, 500, 64, 4, false}, {30, 300, 64, 1, true},
    {64, 1000, 64, 1, true}, {1, 3000, 64, 1, true},  {20, 700, 128, 1, true},
};

/* softmax(q k^T / sqrt(D)) v for one head, as one writes it in float: q (Tq, D), k (Tk, D), v (Tk, D) -> o (Tq, D). */
static void plain_formula(const plain_shape *shape, const float *q, const float *k, const float *v, float *o) {
    int64_t width = shape->width;
    float *scores = test_block((size_t)shape->keys * sizeof *scores); // (Tk)
    float root = sqrtf((float)width);
    for (int64_t i = 0; i < shape->queries; i++) {
        float highest = -INFINITY, total = 0;
        for (int64_t j = 0; j < shape->keys; j++) {
            float sum = 0;
            for (int64_t d = 0; d < width; d++)
                sum += q[i * width + d] * k[j * width + d];
            scores[j] = sum / root;
            highest = fmaxf(highest, scores[j]);
        }
        for (int64_t j = 0; j < shape->keys; j++)
            total += scores[j] = expf(scores[j] - highest);
        for (int64_t e = 0; e < width; e++) {
            float sum = 0;
            for (int64_t j = 0; j < shape->keys; j++)
                sum += scores[j] / total * v[j * width + e];
            o[i * width + e] = sum;
        }
    }
}

typedef struct call_tensors {
    attend_problem problem;
    attend_in q, k, v; // (1, HEADS, Tq, D) (1, HEADS, Tk, D) twice
} call_tensors;

static attend_in scaled_tensor(test_random *rng, attend_dtype dtype, int64_t tokens, int64_t width, double size) {
    attend_in wide = test_random_tensor(rng, ATTEND_F64, 1, HEADS, tokens, width);
    for (int64_t n = 0; n < test_count(&wide); n++)
        ((double *)(uintptr_t)wide.data)[n] *= size;
    return test_copy(&wide, dtype);
}

static call_tensors make_call(attend_ctx *ctx, test_random *rng, attend_dtype dtype, const plain_shape *shape) {
    call_tensors call = {.problem = attend_problem_init()};
    call.q = scaled_tensor(rng, dtype, shape->queries, shape->width, shape->size);
    call.k = scaled_tensor(rng, dtype, shape->keys, shape->width, shape->size);
    call.v = scaled_tensor(rng, dtype, shape->keys, shape->width, 1);
    assert_works(ctx, attend_problem_from(ctx, &call.q, &call.k, &call.v, &call.problem));
    return call;
}

static attend_in forward(attend_ctx *ctx, const call_tensors *call, attend_dtype dtype, uint32_t flags) {
    attend_problem problem = call->problem;
    problem.flags |= flags;
    attend_out o = test_tensor(dtype, 1, HEADS, problem.queries, problem.value_width);
    assert_works(ctx, attend_forward(ctx, &problem, &call->q, &call->k, &call->v, NULL, &o, NULL));
    return attend_read(o);
}

typedef struct error_sum {
    double largest, squares;
} error_sum;

static void add_errors(error_sum *sum, const float *got, const double *right, int64_t count) {
    for (int64_t n = 0; n < count; n++) {
        double error = fabs(got[n] - right[n]);
        sum->largest = fmax(sum->largest, error);
        sum->squares += error * error;
    }
}

static void test_no_worse_than_the_plain_formula(void **state) {
    for (size_t s = 0; s < COUNT_OF(SHAPES); s++) {
        const plain_shape *shape = &SHAPES[s];
        int64_t queries = shape->queries * shape->width, keys = shape->keys * shape->width;
        error_sum fast_error = {0, 0}, plain_error = {0, 0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            test_random rng = {seed};
            call_tensors call = make_call(*state, &rng, ATTEND_F32, shape);
            attend_in right = forward(*state, &call, ATTEND_F64, ATTEND_READABLE);
            attend_in fast = forward(*state, &call, ATTEND_F32, 0);
            assert_string_equal(attend_ctx_path(*state), "fast");
            attend_out plain = test_tensor(ATTEND_F32, 1, HEADS, shape->queries, shape->width);
            for (int64_t h = 0; h < HEADS; h++)
                plain_formula(shape, (const float *)call.q.data + h * queries, (const float *)call.k.data + h * keys,
                              (const float *)call.v.data + h * keys, (float *)plain.data + h * queries);
            add_errors(&fast_error, fast.data, right.data, HEADS * queries);
            add_errors(&plain_error, plain.data, right.data, HEADS * queries);
        }
        if (shape->long_rows)
            assert_true(fast_error.largest <= plain_error.largest && fast_error.squares <= plain_error.squares);
        else
            assert_true(fast_error.squares <= 1.25 * plain_error.squares);
    }
}

/* The distance between neighbours of the type at x. */
static double unit_at(attend_dtype dtype, double x) {
    int digits = dtype == ATTEND_F16 ? 11 : 8, least = dtype == ATTEND_F16 ? -24 : -133, exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - digits > least ? exponent - digits : least);
}

static void test_short_outputs_are_within_one_unit(void **state) {
    const attend_dtype types[] = {ATTEND_F16, ATTEND_BF16};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        int64_t outside = 0, all = 0;
        for (size_t s = 0; s < COUNT_OF(SHAPES); s++) {
            test_random rng = {s};
            call_tensors call = make_call(*state, &rng, types[t], &SHAPES[s]);
            attend_in right = forward(*state, &call, ATTEND_F64, ATTEND_READABLE);
            attend_in fast = forward(*state, &call, types[t], 0), wide = test_copy(&fast, ATTEND_F64);
            const double *want = right.data, *got = wide.data;
            for (int64_t n = 0; n < test_count(&right); n++, all++)
                outside += !(fabs(got[n] - want[n]) <= unit_at(types[t], want[n]));
        }
        assert_true(outside * 1000 <= all);
    }
}

/* Why weights are not rounded to bf16 on their way into the output, as dot products of bf16 would have it: with values
   of both signs, many elements would then be further than one unit off. */
static double rounded_to_bf16(double x) { return at_half_from_bf16(at_half_to_bf16(x)); }

static void test_rounded_weights_would_be_further_off(void **state) {
    const plain_shape shape = {8, 1000, 64, 1, true};
    test_random rng = {5};
    call_tensors call = make_call(*state, &rng, ATTEND_BF16, &shape);
    attend_in right = forward(*state, &call, ATTEND_F64, ATTEND_READABLE);
    attend_out weights = test_tensor(ATTEND_F64, 1, HEADS, shape.queries, shape.keys);
    attend_taps taps = attend_taps_init();
    taps.rows = test_list(ATTEND_I32, shape.queries, (const double[]){0, 1, 2, 3, 4, 5, 6, 7});
    taps.row_weights = weights;
    attend_out o = test_tensor(ATTEND_F64, 1, HEADS, shape.queries, shape.width);
    call.problem.flags |= ATTEND_READABLE;
    assert_works(*state, attend_forward(*state, &call.problem, &call.q, &call.k, &call.v, NULL, &o, &taps));
    attend_in given = attend_read(weights);
    int64_t outside = 0, all = 0;
    for (int64_t h = 0; h < HEADS; h++)
        for (int64_t i = 0; i < shape.queries; i++)
            for (int64_t e = 0; e < shape.width; e++, all++) {
                double sum = 0, total = 0, want = test_get(&right, 0, h, i, e);
                for (int64_t j = 0; j < shape.keys; j++) {
                    double weight = rounded_to_bf16(test_get(&given, 0, h, i, j));
                    total += weight;
                    sum += weight * test_get(&call.v, 0, h, j, e);
                }
                outside += !(fabs(rounded_to_bf16(sum / total) - want) <= unit_at(ATTEND_BF16, want));
            }
    print_message("weights in bf16: %.1f %% of %d elements are within one unit\n",
                  100 - 100 * (double)outside / (double)all, (int)all);
    assert_true(outside * 20 > all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_no_worse_than_the_plain_formula),
        TEST(test_short_outputs_are_within_one_unit),
        TEST(test_rounded_weights_would_be_further_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
