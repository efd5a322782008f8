/* Small valid files cut at every length and changed at every byte: each result opens and can be read fully, or
   fails with a status of a reader and a message.  A sanitizer build sees any access outside the file. */
#include "files_support.h"

#include <time.h>

static bytes seeds[8];
static int seed_count;

static void add_array(const char *descr, const char *order, const char *shape, size_t size) {
    make_array(&seeds[seed_count++], descr, order, shape, size);
}

static int make_seeds(void **state) {
    (void)state;
    add_array("<f4", "False", "(2, 3)", 24);
    add_array(">i8", "True", "(2, 1)", 16);
    add_array("|b1", "False", "()", 1);
    make_npy(&seeds[seed_count++], 3, "{'descr': '<V2', 'fortran_order': False, 'shape': (0, 2), }  \n", 0);
    make_safetensors(&seeds[seed_count++],
                     "{\"__metadata__\":{\"a\":\"b\"},\"q\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
                     "\"k\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[8,16]}}  ",
                     16);
    make_safetensors(&seeds[seed_count++], "{\"\xc3\xa9\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", 1);
    make_safetensors(&seeds[seed_count++], "{}", 0);
    return 0;
}

/* ---- What must hold of any bytes ----------------------------------------------------------- */

/* Reads the first and the last byte of a tensor that was found: the corners of its memory. */
static unsigned touch(const attend_in *tensor) {
    int64_t last = 0;
    int64_t count = 1;
    for (int axis = 0; axis < tensor->rank; axis++) {
        count *= tensor->shape[axis];
        last += (tensor->shape[axis] - 1) * tensor->stride[axis];
    }
    if (count == 0)
        return 0;
    size_t size = attend_dtype_size((attend_dtype)tensor->dtype);
    const unsigned char *data = tensor->data;
    return (unsigned)data[0] + data[(size_t)(last + 1) * size - 1];
}

static bool is_status_of_a_reader(attend_status status) {
    return status == ATTEND_FORMAT || status == ATTEND_UNSUPPORTED || status == ATTEND_TOO_LARGE;
}

static void read_all(attend_ctx *ctx, attend_file *file) {
    for (int64_t i = 0; i < attend_file_count(file); i++) {
        attend_in tensor;
        attend_status status = attend_file_find(ctx, file, attend_file_name(file, i), &tensor);
        assert_true(status == ATTEND_OK || status == ATTEND_UNSUPPORTED);
        assert_true(status != ATTEND_OK || (tensor.data != NULL && touch(&tensor) < 512));
    }
}

/* 1 when the bytes were accepted. */
static int try_bytes(attend_ctx *ctx, const unsigned char *data, size_t size) {
    attend_file *file = NULL;
    attend_status status = at_file_from_bytes(ctx, "f", data, size, &file);
    if (status == ATTEND_OK)
        read_all(ctx, file);
    else
        assert_true(is_status_of_a_reader(status) && strncmp(attend_message(ctx), "f: ", 3) == 0 && file == NULL);
    attend_file_close(file);
    return status == ATTEND_OK;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_every_truncation(void **state) {
    for (int seed = 0; seed < seed_count; seed++)
        for (size_t size = 0; size <= seeds[seed].size; size++) {
            bytes cut = {size, {0}};
            memcpy(cut.data, seeds[seed].data, size);
            unsigned char *copy = exact_copy(&cut);
            int accepted = try_bytes(*state, copy, size);
            assert_int_equal(accepted, size == seeds[seed].size);
        }
}

static void test_every_byte_changed_to_every_value(void **state) {
    clock_t begin = clock();
    for (int seed = 0; seed < seed_count; seed++) {
        unsigned char *copy = exact_copy(&seeds[seed]);
        int accepted = 0;
        for (size_t at = 0; at < seeds[seed].size; at++) {
            for (int value = 0; value < 256; value++) {
                copy[at] = (unsigned char)value;
                accepted += try_bytes(*state, copy, seeds[seed].size);
            }
            copy[at] = seeds[seed].data[at];
        }
        assert_true(accepted >= (int)seeds[seed].size); /* one value in 256 is the valid one */
    }
    assert_true((clock() - begin) / CLOCKS_PER_SEC < 100);
}

static void test_every_pair_of_neighbours_swapped_or_removed(void **state) {
    for (int seed = 0; seed < seed_count; seed++)
        for (size_t at = 0; at + 1 < seeds[seed].size; at++) {
            bytes changed = seeds[seed];
            changed.data[at] = seeds[seed].data[at + 1];
            changed.data[at + 1] = seeds[seed].data[at];
            unsigned char *copy = exact_copy(&changed);
            try_bytes(*state, copy, changed.size);
            memmove(copy + at, copy + at + 1, changed.size - at - 1);
            try_bytes(*state, copy, changed.size - 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_truncation),
        TEST(test_every_byte_changed_to_every_value),
        TEST(test_every_pair_of_neighbours_swapped_or_removed),
    };
    return cmocka_run_group_tests(tests, make_seeds, NULL);
}
