/* No memory, at every point: the n-th allocation fails, once for our own allocator and once for jansson's.  Each
   time the status says so, nothing leaks, and the context works afterwards. */
#include "folder_support.h"

#include <jansson.h>

/* ---- An allocator that counts -------------------------------------------------------------- */

typedef struct counter {
    int    calls;   /* so far */
    int    fail_at; /* the call that fails, counted from 1; 0: none */
    size_t bytes;   /* allocated and not released */
} counter;

static bool fails(counter *count) { return ++count->calls == count->fail_at; }

static void *count_allocate(void *user, size_t size, size_t alignment) {
    counter *count = user;
    if (fails(count))
        return NULL;
    count->bytes += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *user, void *block, size_t size) {
    ((counter *)user)->bytes -= size;
    free(block);
}

/* jansson's functions carry no user pointer. */
static counter of_jansson;

static void *jansson_allocate(size_t size) {
    if (fails(&of_jansson))
        return NULL;
    of_jansson.bytes++;
    return malloc(size);
}

static void jansson_release(void *block) {
    of_jansson.bytes -= block != NULL;
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

static attend_ctx *counted_context(counter *count) {
    attend_ctx *ctx = NULL;
    attend_config config = attend_config_init();
    config.allocator.allocate = count_allocate;
    config.allocator.release = count_release;
    config.allocator.user = count;
    assert_int_equal(attend_ctx_create(&config, &ctx), ATTEND_OK);
    return ctx;
}

static void every_point(operation run) {
    counter count = {0, 0, 0};
    attend_ctx *ctx = counted_context(&count);
    size_t before = count.bytes;
    attend_status status = ATTEND_MEMORY;
    int point = 0;
    while (status == ATTEND_MEMORY) {
        count.calls = 0;
        count.fail_at = ++point;
        status = run(ctx);
        assert_int_equal(count.bytes, before);
        if (status == ATTEND_MEMORY)
            assert_non_null(strstr(attend_message(ctx), "no memory for"));
        assert_true(files_in(&place) <= 2); /* no temporary file is left */
    }
    expect_status(ctx, status, ATTEND_OK, "");
    assert_true(point > 1 && count.calls < point); /* the last run had all its allocations */
    attend_ctx_destroy(ctx);
    assert_int_equal(count.bytes, 0);
}

static void test_our_allocations(void **state) {
    (void)state;
    for (int i = 0; i < OPERATIONS; i++)
        every_point(operations[i]);
}

/* jansson may call a failed allocation a fault of the text: then the status is that of a reader. */
static void every_point_of_jansson(attend_ctx *ctx, operation run) {
    int point = 0;
    do {
        of_jansson = (counter){0, ++point, 0};
        attend_status status = run(ctx);
        bool failed = of_jansson.calls >= point;
        assert_true(failed ? status == ATTEND_MEMORY || status == ATTEND_FORMAT : status == ATTEND_OK);
        assert_int_equal(of_jansson.bytes, 0);
        assert_true(files_in(&place) <= 2);
    } while (of_jansson.calls >= point);
}

static void test_allocations_of_jansson(void **state) {
    attend_ctx *ctx = NULL;
    (void)state;
    assert_int_equal(attend_ctx_create(NULL, &ctx), ATTEND_OK);
    json_set_alloc_funcs(jansson_allocate, jansson_release);
    for (int i = 0; i < OPERATIONS; i++)
        every_point_of_jansson(ctx, operations[i]);
    json_set_alloc_funcs(malloc, free);
    attend_ctx_destroy(ctx);
}

/* What one context fails at leaves the other alone. */
static void test_two_contexts(void **state) {
    counter count = {0, 0, 0};
    attend_ctx *poor = counted_context(&count);
    attend_ctx *rich = NULL;
    attend_file *file = NULL;
    (void)state;
    assert_int_equal(attend_ctx_create(NULL, &rich), ATTEND_OK);
    assert_int_equal(at_file_from_bytes(rich, "f", array.data, array.size, &file), ATTEND_OK);
    count.calls = 0;
    count.fail_at = 1;
    assert_int_equal(read_array(poor), ATTEND_MEMORY);
    assert_string_equal(attend_message(rich), "");
    assert_true(find_tensor(rich, file, "").rank == 1);
    expect_status(poor, read_array(poor), ATTEND_OK, "");
    attend_ctx_destroy(poor);
    assert_true(find_tensor(rich, file, "").rank == 1);
    attend_file_close(file);
    attend_ctx_destroy(rich);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_allocations),
        cmocka_unit_test(test_allocations_of_jansson),
        cmocka_unit_test(test_two_contexts),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
