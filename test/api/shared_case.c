#include "shared_case.h"

#include <dirent.h>

#include "attend/files.h"

enum { PATH_SIZE = 4096, CASES_MAX = 1000 };

/* ---- Running ---- */

static shared_check running;
static size_t skipped;

void shared_case_skip(void) {
    skipped++;
    skip();
}

/* case.json; Python writes a number that JSON does not have, which is no input of a case and may be null. */
static json_t *load_root(const char *folder) {
    static const char infinity[] = ": Infinity", null[] = ": null    ";
    static char text[1 << 20];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/case.json", folder);
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    for (char *found = text; (found = strstr(found, infinity)) != NULL;)
        memcpy(found, null, sizeof null - 1);
    return json_loads(text, 0, NULL);
}

static int begin_case(void **state) {
    static shared_case with;
    with.folder = *state;
    with.root = load_root(with.folder);
    if (with.root == NULL)
        return -1;
    int status = test_begin(state);
    with.ctx = *state;
    *state = &with;
    return status;
}

static int end_case(void **state) {
    shared_case *with = *state;
    json_decref(with->root);
    return test_end(state);
}

static void run_case(void **state) { running(*state); }

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

/* One test for each folder; their names live until the program ends. */
static size_t list_cases(const char *group_folder, struct CMUnitTest *tests) {
    static char folders[CASES_MAX][PATH_SIZE / 8];
    static size_t used;
    size_t count = 0;
    DIR *group = opendir(group_folder);
    for (const struct dirent *entry; group != NULL && (entry = readdir(group)) != NULL;) {
        if (entry->d_name[0] == '.' || used == CASES_MAX)
            continue;
        int length = snprintf(folders[used], sizeof folders[used], "%s/%s", group_folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof folders[used])
            continue;
        const char *name = strrchr(folders[used], '/') + 1;
        tests[count++] = (struct CMUnitTest){name, run_case, begin_case, end_case, folders[used++]};
    }
    if (group != NULL)
        closedir(group);
    qsort(tests, count, sizeof tests[0], by_name);
    return count;
}

int shared_cases_run(const char *group, size_t expected, shared_check check) {
    static struct CMUnitTest tests[CASES_MAX];
    const char *shared = getenv("ATTEND_SHARED");
    char folder[PATH_SIZE / 16];
    int length = snprintf(folder, sizeof folder, "%s/data/%s", shared ? shared : "", group);
    size_t count = shared && length > 0 && (size_t)length < sizeof folder ? list_cases(folder, tests) : 0;
    if (count == 0) {
        printf("skipped: %zu cases\n", expected);
        return 0;
    }
    running = check;
    skipped = 0;
    int failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    printf("%s: %zu cases ran, %d failed, %zu skipped\n", group, count - skipped, failed, skipped);
    return failed != 0 || count < expected;
}

/* ---- case.json ---- */

const json_t *shared_attribute(const shared_case *with, const char *name) {
    const json_t *value = json_object_get(json_object_get(json_object_get(with->root, "attributes"), name), "value");
    return json_is_null(value) ? NULL : value;
}

double shared_number(const shared_case *with, const char *name, double otherwise) {
    const json_t *value = shared_attribute(with, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

bool shared_is_given(const shared_case *with, const char *name) {
    const json_t *attribute = json_object_get(json_object_get(with->root, "attributes"), name);
    return json_is_true(json_object_get(attribute, "set")) || json_is_true(json_object_get(attribute, "from_model"));
}

const json_t *shared_entry(const shared_case *with, const char *list, const char *name) {
    size_t index;
    const json_t *entry;
    json_array_foreach (json_object_get(with->root, list), index, entry) {
        const json_t *slot = json_object_get(entry, "slot");
        const char *own = json_string_value(slot ? slot : json_object_get(entry, "name"));
        if (own != NULL && strcmp(own, name) == 0)
            return entry;
    }
    return NULL;
}

const char *shared_text(const shared_case *with, const char *key) {
    const char *text = json_string_value(json_object_get(with->root, key));
    return text ? text : "";
}

/* ---- Tensors ---- */

attend_in shared_load(const shared_case *with, const char *file) {
    char path[PATH_SIZE];
    attend_file *open;
    attend_in tensor;
    snprintf(path, sizeof path, "%s/%s", with->folder, file);
    assert_works(with->ctx, attend_file_open(with->ctx, path, &open));
    assert_works(with->ctx, attend_file_find(with->ctx, open, "", &tensor));
    attend_in copy = test_copy(&tensor, (attend_dtype)tensor.dtype);
    attend_file_close(open);
    return copy;
}

/* Numbers that are the bits of bfloat16. */
static attend_in as_bfloat16(attend_in bits) {
    int64_t count = test_count(&bits);
    uint16_t *block = test_block((size_t)count * sizeof *block);
    for (int64_t n = 0; n < count; n++)
        block[n] = (uint16_t)((const int32_t *)bits.data)[n];
    return attend_in_dense(block, ATTEND_BF16, bits.rank, bits.shape);
}

attend_in shared_tensor(const shared_case *with, const char *list, const char *name) {
    const json_t *entry = shared_entry(with, list, name);
    const char *file = json_string_value(json_object_get(entry, "file"));
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    if (file == NULL)
        return (attend_in){.data = NULL};
    attend_in tensor = shared_load(with, file);
    return strcmp(dtype, "bfloat16") == 0 ? as_bfloat16(tensor) : tensor;
}

attend_in shared_integers(attend_in tensor) { return tensor.data ? test_copy(&tensor, ATTEND_I32) : tensor; }

attend_in shared_concatenate(attend_in a, attend_in b, int32_t axis) {
    int64_t shape[4], place[4];
    memcpy(shape, a.shape, sizeof shape);
    shape[axis] += b.shape[axis];
    attend_out both = test_tensor((attend_dtype)a.dtype, shape[0], shape[1], shape[2], shape[3]);
    for (place[0] = 0; place[0] < shape[0]; place[0]++)
        for (place[1] = 0; place[1] < shape[1]; place[1]++)
            for (place[2] = 0; place[2] < shape[2]; place[2]++)
                for (place[3] = 0; place[3] < shape[3]; place[3]++) {
                    int64_t from[4], past = place[axis] - a.shape[axis];
                    memcpy(from, place, sizeof from);
                    from[axis] = past < 0 ? place[axis] : past;
                    test_set(&both, place[0], place[1], place[2], place[3],
                             test_get(past < 0 ? &a : &b, from[0], from[1], from[2], from[3]));
                }
    return attend_read(both);
}

attend_out shared_split_heads_out(attend_out tensor, int64_t heads) {
    int64_t width = heads ? tensor.shape[2] / heads : 0;
    attend_out split = {{tensor.shape[0], heads, tensor.shape[1], width},
                        {tensor.stride[0], width * tensor.stride[2], tensor.stride[1], tensor.stride[2]},
                        tensor.dtype,
                        4,
                        tensor.data};
    return split;
}

attend_in shared_split_heads(attend_in tensor, int64_t heads) {
    attend_out out = attend_out_dense(NULL, (attend_dtype)tensor.dtype, tensor.rank, tensor.shape);
    attend_in split = attend_read(shared_split_heads_out(out, heads));
    split.data = tensor.data;
    return split;
}

/* ---- Comparing ---- */

static bool is_close(double got, double want, double rtol, double atol) {
    if (!isfinite(want))
        return got == want || (isnan(got) && isnan(want));
    return fabs(got - want) <= atol + rtol * fabs(want);
}

/* Element number n of a tensor, counted in C order. */
static double element(const attend_in *tensor, int64_t n) {
    int64_t index[4] = {0, 0, 0, 0};
    for (int32_t axis = tensor->rank - 1; axis >= 0; axis--) {
        index[axis] = n % tensor->shape[axis];
        n /= tensor->shape[axis];
    }
    return test_get(tensor, index[0], index[1], index[2], index[3]);
}

bool shared_is_close(const json_t *entry, const attend_in *got, const attend_in *want) {
    double rtol = json_number_value(json_object_get(entry, "rtol"));
    double atol = json_number_value(json_object_get(entry, "atol"));
    assert_int_equal(test_count(got), test_count(want));
    for (int64_t n = 0; n < test_count(got); n++)
        if (!is_close(element(got, n), element(want, n), rtol, atol))
            return false;
    return true;
}

void shared_assert_close(const json_t *entry, const attend_in *got, const attend_in *want) {
    if (!shared_is_close(entry, got, want))
        fail_msg("%s is off by more than its tolerance", json_string_value(json_object_get(entry, "name")));
}
