/* Overlap and nesting against brute force: the set of bytes that a layout touches. */
#include "test_support.h"

#include "tensor/overlap.h"

enum { BYTES = 1024 }; /* the layouts below stay within this many */

static unsigned char arena[BYTES] __attribute__((aligned(64)));

static const attend_dtype dtypes[] = {ATTEND_U8, ATTEND_F16, ATTEND_F32, ATTEND_F64};

/* A small random layout in the first room bytes of the arena; strides of any sign, 0 included. */
static attend_in random_layout(test_random *rng, int64_t stride_max, int64_t room) {
    attend_in tensor = {.rank = (int32_t)random_pick(rng, 0, 4), .dtype = (int32_t)dtypes[random_pick(rng, 0, 3)]};
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor.dtype), low = 0, high = size;
    for (int32_t axis = 0; axis < tensor.rank; axis++) {
        tensor.shape[axis] = random_chance(rng, 5) ? 0 : random_pick(rng, 1, 3);
        tensor.stride[axis] = random_pick(rng, -stride_max, stride_max);
        int64_t span = (tensor.shape[axis] - 1) * tensor.stride[axis] * size;
        if (span < 0)
            low += span;
        else
            high += span;
    }
    int64_t first = random_pick(rng, 0, (room - (high - low)) / size);
    tensor.data = arena + first * size - low / size * size;
    return tensor;
}

/* Marks each byte of each element; returns the largest number of elements that meet in one byte. */
static int mark(const attend_in *tensor, unsigned char *marks) {
    int64_t size = (int64_t)attend_dtype_size((attend_dtype)tensor->dtype), shape[4], most = 0;
    memset(marks, 0, BYTES);
    for (int32_t axis = 0; axis < 4; axis++)
        shape[axis] = axis < tensor->rank ? tensor->shape[axis] : 1;
    for (int64_t n = 0; n < shape[0] * shape[1] * shape[2] * shape[3]; n++) {
        int64_t rest = n, place = (const unsigned char *)tensor->data - arena;
        for (int32_t axis = tensor->rank - 1; axis >= 0; axis--) {
            int64_t inner = 1;
            for (int32_t after = axis + 1; after < 4; after++)
                inner *= shape[after];
            place += rest / inner % shape[axis] * tensor->stride[axis] * size;
        }
        for (int64_t byte = 0; byte < size; byte++)
            most = ++marks[place + byte] > most ? marks[place + byte] : most;
    }
    return (int)most;
}

static void test_overlap_is_exact_for_small_layouts(void **state) {
    (void)state;
    test_random rng = {3};
    unsigned char left[BYTES], right[BYTES];
    int meeting = 0;
    for (int n = 0; n < 200000; n++) {
        int64_t stride_max = random_pick(&rng, 1, 3);
        attend_in a = random_layout(&rng, stride_max, BYTES / 4), b = random_layout(&rng, stride_max, BYTES / 4);
        bool want = false;
        mark(&a, left);
        mark(&b, right);
        for (int byte = 0; byte < BYTES; byte++)
            want = want || (left[byte] && right[byte]);
        meeting += want;
        assert_int_equal(at_overlaps(&a, &b), want);
        assert_int_equal(at_overlaps(&b, &a), want);
    }
    assert_in_range(meeting, 10000, 190000); /* both answers were tried */
}

static void test_extent_is_the_first_and_last_byte(void **state) {
    (void)state;
    test_random rng = {4};
    unsigned char marks[BYTES];
    for (int n = 0; n < 20000; n++) {
        attend_in tensor = random_layout(&rng, 3, BYTES);
        at_extent extent;
        bool empty = mark(&tensor, marks) == 0;
        int64_t first = 0, last = BYTES - 1, data = (const unsigned char *)tensor.data - arena;
        while (!empty && marks[first] == 0)
            first++;
        while (!empty && marks[last] == 0)
            last--;
        assert_true(at_extent_of(&tensor, &extent));
        assert_int_equal(extent.low, empty ? 0 : first - data);
        assert_int_equal(extent.high, empty ? 0 : last + 1 - data);
    }
}

/* The sentence of overlap.h, word by word. */
static bool nests(const attend_in *tensor) {
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] == 0)
            return true;
    for (int32_t axis = 0; axis < tensor->rank; axis++) {
        int64_t span = 0;
        for (int32_t other = 0; other < tensor->rank; other++)
            if (other != axis && tensor->shape[other] > 1 &&
                (llabs(tensor->stride[other]) < llabs(tensor->stride[axis]) ||
                 (llabs(tensor->stride[other]) == llabs(tensor->stride[axis]) && other > axis)))
                span += (tensor->shape[other] - 1) * llabs(tensor->stride[other]);
        if (tensor->shape[axis] > 1 && llabs(tensor->stride[axis]) <= span)
            return false;
        if (tensor->shape[axis] > 1 && tensor->stride[axis] == 0)
            return false;
    }
    return true;
}

static void test_nesting_strides_share_no_byte(void **state) {
    (void)state;
    test_random rng = {5};
    unsigned char marks[BYTES];
    int nesting = 0;
    for (int n = 0; n < 100000; n++) {
        attend_in tensor = random_layout(&rng, 6, BYTES);
        int32_t axis = -1;
        bool nest = at_strides_nest(&tensor, &axis);
        assert_int_equal(nest, nests(&tensor));
        nesting += nest;
        if (nest)
            assert_in_range(mark(&tensor, marks), 0, 1);
        else
            assert_in_range(axis, 0, tensor.rank - 1);
    }
    assert_in_range(nesting, 10000, 90000);
}

static void test_every_dense_and_permuted_layout_nests(void **state) {
    (void)state;
    test_random rng = {6};
    for (int n = 0; n < 10000; n++) {
        int64_t shape[4];
        int32_t axis;
        for (int k = 0; k < 4; k++)
            shape[k] = random_pick(&rng, 0, 4);
        attend_in view = attend_read(test_strided(&rng, ATTEND_F16, 4, shape, false));
        assert_true(at_strides_nest(&view, &axis));
    }
}

/* Slices of one buffer (tokens, q|k|v, heads, width): interleaved, and yet apart. */
static void test_interleaved_slices_are_apart(void **state) {
    (void)state;
    static float buffer[5][3][4][8];
    attend_in slices[3];
    for (int part = 0; part < 3; part++) {
        attend_in slice = {{1, 4, 5, 8}, {480, 8, 96, 1}, ATTEND_F32, 4, buffer[0][part][0]};
        slices[part] = slice;
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            assert_int_equal(at_overlaps(&slices[a], &slices[b]), a == b);
    slices[0].data = &buffer[0][0][0][1]; /* one element to the right: the last column runs into the next slice */
    assert_true(at_overlaps(&slices[0], &slices[1]));
}

/* A layout made to be hard: the search gives up and says what is safe. */
static void test_long_search_answers_true(void **state) {
    (void)state;
    attend_in a = {{4000, 4000, 4000, 4000}, {2 * 30011, 2 * 30013, 2 * 30029, 2 * 30047}, ATTEND_F16, 4, arena};
    attend_in b = a;
    b.data = arena + 2; /* odd against even elements: apart, but only an exhaustive search sees it */
    assert_true(at_overlaps(&a, &b));
}

static void test_sizes_that_do_not_fit(void **state) {
    (void)state;
    const int64_t half = (int64_t)1 << 62;
    const attend_in too_wide[] = {
        {{3, 1, 1, 1}, {half, 0, 0, 0}, ATTEND_U8, 1, arena},
        {{2, 1, 1, 1}, {INT64_MIN, 0, 0, 0}, ATTEND_U8, 1, arena},
        {{2, 1, 1, 1}, {INT64_MAX, 0, 0, 0}, ATTEND_F64, 1, arena},
        {{2, 2, 1, 1}, {half, -half, 0, 0}, ATTEND_U8, 2, arena},
        {{INT64_MAX, 1, 1, 1}, {1, 0, 0, 0}, ATTEND_F16, 1, arena},
        {{2, 2, 2, 1}, {half / 2, half / 2, 1, 0}, ATTEND_U8, 3, arena},
    };
    attend_in small = {{4, 1, 1, 1}, {1, 0, 0, 0}, ATTEND_U8, 1, arena};
    at_extent extent;
    for (size_t n = 0; n < COUNT_OF(too_wide); n++) {
        assert_false(at_extent_of(&too_wide[n], &extent));
        assert_true(at_overlaps(&too_wide[n], &small));
        assert_true(at_overlaps(&small, &too_wide[n]));
    }
}

/* Strides that no element is reached by may hold anything. */
static void test_unused_strides_do_not_matter(void **state) {
    (void)state;
    attend_in one = {{1, 3, 1, 1}, {INT64_MIN, 1, INT64_MAX, INT64_MIN}, ATTEND_F32, 4, arena};
    attend_in none = {{0, 5, 5, 5}, {INT64_MIN, INT64_MIN, INT64_MAX, 0}, ATTEND_F32, 4, arena};
    at_extent extent;
    int32_t axis;
    assert_true(at_extent_of(&one, &extent) && extent.low == 0 && extent.high == 12);
    assert_true(at_extent_of(&none, &extent) && extent.low == 0 && extent.high == 0);
    assert_true(at_strides_nest(&one, &axis));
    assert_true(at_strides_nest(&none, &axis));
    assert_true(at_overlaps(&one, &one));
    assert_false(at_overlaps(&none, &one));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_overlap_is_exact_for_small_layouts),
        TEST(test_extent_is_the_first_and_last_byte),
        TEST(test_nesting_strides_share_no_byte),
        TEST(test_every_dense_and_permuted_layout_nests),
        TEST(test_interleaved_slices_are_apart),
        TEST(test_long_search_answers_true),
        TEST(test_sizes_that_do_not_fit),
        TEST(test_unused_strides_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
