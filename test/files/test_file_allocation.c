/* No memory, at every point: the n-th allocation fails, once or from then on, in our own allocator and in jansson's.
   Each time the status says so, nothing leaks, and the context works afterwards. */
#include "folder_support.h"

#include <jansson.h>

/* ---- jansson's allocator, whose functions carry no user pointer ---------------------------- */

static test_memory of_jansson;

static void *jansson_allocate(size_t size) {
    if (++of_jansson.calls == of_jansson.fail_at || (of_jansson.for_good && of_jansson.calls > of_jansson.fail_at))
        return NULL;
    of_jansson.live++;
    return malloc(size);
}

static void jansson_release(void *block) {
    of_jansson.live -= block != NULL;
    free(block);
}

/* ---- Operations ---------------------------------------------------------------------------- */

typedef attend_status (*operation)(attend_ctx *ctx);

static bytes array;
static bytes tensors;
static folder place;

static attend_status open_and_read(attend_ctx *ctx, const bytes *content) {
    attend_file *file = NULL;
    attend_in tensor;
    attend_status status = at_file_from_bytes(ctx, "f", content->data, content->size, &file);
    for (int64_t i = 0; status == ATTEND_OK && i < attend_file_count(file); i++)
        status = attend_file_find(ctx, file, attend_file_name(file, i), &tensor);
    attend_file_close(file);
    return status;
}

static attend_status read_array(attend_ctx *ctx) { return open_and_read(ctx, &array); }
static attend_status read_tensors(attend_ctx *ctx) { return open_and_read(ctx, &tensors); }

static attend_status parse_example(attend_ctx *ctx) {
    static const char text[] = "{\"tokens\":[\"a\",\"b\"],\"x\":[[1,2],[3,4]],\"wq\":[[1],[2]],\"wk\":[[1],[2]],"
                               "\"wv\":[[1],[2]],\"wo\":[[5]],\"causal\":true,\"positions\":\"none\"}";
    attend_example *example = NULL;
    attend_status status = attend_example_parse(ctx, "f", text, sizeof text - 1, &example);
    attend_example_close(example);
    return status;
}

static attend_status open_example(attend_ctx *ctx) {
    attend_example *example = NULL;
    attend_status status = attend_example_open(ctx, in_folder(&place, "example"), &example);
    attend_example_close(example);
    return status;
}

static attend_status write_format(attend_ctx *ctx, attend_file_format format) {
    const float data[4] = {1, 2, 3, 4};
    const int64_t shape[2] = {2, 2};
    const char *const names[] = {"a", "b"};
    const attend_in one = attend_in_dense(data, ATTEND_F32, 2, shape);
    const attend_in both[2] = {one, one};
    return attend_file_write(ctx, in_folder(&place, "t"), format, names, both, format == ATTEND_NPY ? 1 : 2);
}

static attend_status write_array(attend_ctx *ctx) { return write_format(ctx, ATTEND_NPY); }
static attend_status write_tensors(attend_ctx *ctx) { return write_format(ctx, ATTEND_SAFETENSORS); }

static const operation operations[] = {read_array,   read_tensors, parse_example,
                                       open_example, write_array,  write_tensors};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- Tests --------------------------------------------------------------------------------- */

static int make_inputs(void **state) {
    (void)state;
    make_array(&array, ">f4", "False", "(2,)", 8);
    make_safetensors(&tensors,
                     "{\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
                     "\"__metadata__\":{\"x\":\"y\"},"
                     "\"b\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[8,10]}}",
                     0);
    append_length(&tensors, 5, 8);
    append_length(&tensors, 6, 2);
    place = make_folder();
    char text[100000]; /* longer than the first block that is read */
    memset(text, ' ', sizeof text);
    static const char example[] = "{\"tokens\":[\"a\"],\"q\":[[1]],\"k\":[[1]],\"v\":[[1]]}";
    memcpy(text, example, sizeof example - 1);
    write_text(in_folder(&place, "example"), text, sizeof text);
    return 0;
}

static int remove_inputs(void **state) {
    (void)state;
    remove_folder(&place, (const char *const[]){"example", "t", NULL});
    return 0;
}

/* Fails at each point in turn until the operation has all the allocations that it asks for. */
static void every_point(attend_ctx *ctx, operation run, bool for_good) {
    test_memory *memory = test_context_memory();
    const test_memory before = *memory;
    attend_status status = ATTEND_MEMORY;
    int64_t point = 0;
    while (status == ATTEND_MEMORY) {
        memory->calls = 0;
        memory->fail_at = ++point;
        memory->for_good = for_good;
        status = run(ctx);
        assert_int_equal(memory->live, before.live);
        assert_int_equal(memory->bytes, before.bytes);
        if (status == ATTEND_MEMORY)
            assert_non_null(strstr(attend_message(ctx), "no memory for"));
        assert_true(files_in(&place) <= 2); /* no temporary file is left */
    }
    memory->fail_at = 0;
    assert_works(ctx, status);
    assert_true(point > 1 && memory->calls < point);
}

static void test_our_allocations(void **state) {
    for (int i = 0; i < 2 * OPERATIONS; i++)
        every_point(*state, operations[i / 2], i % 2 != 0);
}

/* Out of memory, jansson may say that a well-formed token is none: then the status is that of a reader. */
static void every_point_of_jansson(attend_ctx *ctx, operation run, bool for_good) {
    int64_t point = 0;
    do {
        test_memory fresh = {.fail_at = ++point, .for_good = for_good};
        of_jansson = fresh;
        attend_status status = run(ctx);
        bool failed = of_jansson.calls >= point;
        assert_true(failed ? status == ATTEND_MEMORY || status == ATTEND_FORMAT : status == ATTEND_OK);
        assert_int_equal(of_jansson.live, 0);
        assert_true(files_in(&place) <= 2);
    } while (of_jansson.calls >= point);
}

static void test_allocations_of_jansson(void **state) {
    json_set_alloc_funcs(jansson_allocate, jansson_release);
    for (int i = 0; i < 2 * OPERATIONS; i++)
        every_point_of_jansson(*state, operations[i / 2], i % 2 != 0);
    json_set_alloc_funcs(malloc, free);
}

/* What one context fails at leaves the other alone. */
static void test_two_contexts(void **state) {
    attend_ctx *rich = *state;
    attend_ctx *poor = NULL;
    attend_file *file = NULL;
    test_memory memory = {0};
    attend_config config = attend_config_init();
    config.allocator = test_allocator(&memory);
    assert_int_equal(attend_ctx_create(&config, &poor), ATTEND_OK);
    assert_works(rich, at_file_from_bytes(rich, "f", array.data, array.size, &file));
    memory.fail_at = memory.calls + 1;
    assert_int_equal(read_array(poor), ATTEND_MEMORY);
    assert_non_null(strstr(attend_message(poor), "no memory for an open file"));
    assert_string_equal(attend_message(rich), "");
    assert_int_equal(find_tensor(rich, file, "").rank, 1);
    assert_works(poor, read_array(poor));
    attend_ctx_destroy(poor);
    assert_int_equal(memory.live, 0);
    assert_int_equal(find_tensor(rich, file, "").rank, 1);
    attend_file_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_our_allocations),
        TEST(test_allocations_of_jansson),
        TEST(test_two_contexts),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
