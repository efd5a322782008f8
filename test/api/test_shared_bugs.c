/* Faults reported in public against other attention implementations, through the library: with the strides of the
   report, in other layouts, and with what each case says about company, parts and memory. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "shared_case.h"

#include <sys/mman.h>

/* (T, heads, width) of a packed batch as (1, heads, T, width). */
static attend_in unpack(attend_in tensor) {
    attend_in view = {{1, tensor.shape[1], tensor.shape[0], tensor.shape[2]},
                      {0, tensor.stride[1], tensor.stride[0], tensor.stride[2]},
                      tensor.dtype,
                      4,
                      tensor.data};
    return view;
}

/* Whether the last query stands on the last key, rather than the first on the first. */
static bool is_aligned_last(const shared_case *with) {
    return strcmp(json_string_value(shared_attribute(with, "causal_align")), "bottom-right") == 0;
}

static void set_window(const shared_case *with, attend_problem *p) {
    double left = shared_number(with, "window_left", -1), right = shared_number(with, "window_right", -1);
    bool causal = shared_number(with, "is_causal", 0) != 0;
    if (causal || right >= 0)
        p->flags |= ATTEND_LIMIT_AHEAD;
    p->ahead = causal ? 0 : (int64_t)right;
    if (left >= 0)
        p->flags |= ATTEND_LIMIT_BACK;
    p->back = (int64_t)left;
    p->query_offset = is_aligned_last(with) ? p->keys - p->queries : 0;
}

/* Lengths of a cache, and where its last query then stands. */
static void set_lengths(const shared_case *with, random_call *call) {
    attend_in lengths = shared_integers(shared_tensor(with, "inputs", "kv_len"));
    if (lengths.data == NULL)
        return;
    attend_out offsets = test_tensor(ATTEND_I32, lengths.shape[0], -1, -1, -1);
    for (int64_t b = 0; b < lengths.shape[0]; b++)
        test_set(&offsets, b, 0, 0, 0, test_get(&lengths, b, 0, 0, 0) - (double)call->problem.queries);
    call->extra.key_count = lengths;
    if (is_aligned_last(with))
        call->extra.query_offsets = attend_read(offsets);
}

static void set_extra(const shared_case *with, random_call *call) {
    attend_in mask = shared_tensor(with, "inputs", "mask");
    const json_t *slopes = shared_attribute(with, "alibi_slopes");
    if (mask.data != NULL)
        *(mask.dtype == ATTEND_U8 ? &call->extra.mask : &call->extra.bias) = mask;
    call->extra.sinks = shared_tensor(with, "inputs", "sinks");
    call->extra.query_starts = shared_tensor(with, "inputs", "cu_seqlens_q");
    call->extra.key_starts = shared_tensor(with, "inputs", "cu_seqlens_k");
    if (slopes != NULL) {
        attend_out list = test_tensor(ATTEND_F64, (int64_t)json_array_size(slopes), -1, -1, -1);
        for (size_t h = 0; h < json_array_size(slopes); h++)
            test_set(&list, (int64_t)h, 0, 0, 0, json_number_value(json_array_get(slopes, h)));
        call->extra.slopes = attend_read(list);
    }
}

static random_call make_call(const shared_case *with) {
    random_call call = {.problem = attend_problem_init(), .extra = attend_extra_init()};
    attend_in past = shared_tensor(with, "inputs", "past_k");
    call.q = shared_tensor(with, "inputs", "q");
    call.k = shared_tensor(with, "inputs", "k");
    call.v = shared_tensor(with, "inputs", "v");
    if (past.data != NULL) {
        call.k = shared_concatenate(past, call.k, 2);
        call.v = shared_concatenate(shared_tensor(with, "inputs", "past_v"), call.v, 2);
    }
    if (call.q.rank == 3) {
        call.q = unpack(call.q);
        call.k = unpack(call.k);
        call.v = unpack(call.v);
    }
    assert_works(with->ctx, attend_problem_from(with->ctx, &call.q, &call.k, &call.v, &call.problem));
    set_window(with, &call.problem);
    set_lengths(with, &call);
    set_extra(with, &call);
    call.problem.softcap = shared_number(with, "softcap", 0);
    if (shared_is_given(with, "scale")) {
        call.problem.flags |= ATTEND_EXACT_SCALE;
        call.problem.scale = shared_number(with, "scale", 0);
    }
    return call;
}

typedef struct result {
    attend_status status;
    attend_in o, lse; /* (B, H, Tq, E) (B, H, Tq) in f64 */
} result;

static result run(attend_ctx *ctx, const random_call *call) {
    const attend_problem *p = &call->problem;
    attend_out o = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, call->v.shape[3]);
    attend_taps taps = attend_taps_init();
    taps.lse = test_tensor(ATTEND_F64, p->batch, p->heads, p->queries, -1);
    attend_status status = attend_forward(ctx, p, &call->q, &call->k, &call->v, &call->extra, &o, &taps);
    return (result){status, attend_read(o), attend_read(taps.lse)};
}

/* As the case stores it: packed results have their tokens in front. */
static attend_in as_stored(const shared_case *with, attend_in tensor) {
    static const int32_t tokens_first[] = {2, 0, 1, 3};
    return shared_entry(with, "inputs", "cu_seqlens_q") ? attend_permute(tensor, tokens_first) : tensor;
}

static void check_results(const shared_case *with, const result *got) {
    const json_t *out = shared_entry(with, "outputs", "out"), *lse = shared_entry(with, "outputs", "lse");
    attend_in want = shared_tensor(with, "outputs", "out"), o = as_stored(with, got->o);
    attend_in sums = as_stored(with, got->lse);
    shared_assert_close(out, &o, &want);
    if (lse != NULL) {
        want = shared_tensor(with, "outputs", "lse");
        shared_assert_close(lse, &sums, &want);
    }
    const json_t *faulty = json_object_get(json_object_get(with->root, "faulty_result"), "file");
    if (faulty != NULL) { /* a test that cannot tell the fault from the right answer is none */
        want = shared_load(with, json_string_value(faulty));
        assert_false(shared_is_close(out, &o, &want));
    }
}

static void assert_same_results(const result *got, const result *want) {
    assert_int_equal(got->status, ATTEND_OK);
    assert_same_bits(&got->o, &want->o);
    assert_same_bits(&got->lse, &want->lse);
}

/* ---- The strides of the report ---- */

typedef struct mapping {
    void *block;
    size_t size;
} mapping;

static const json_t *view_of(const shared_case *with, const char *name) {
    return json_object_get(shared_entry(with, "inputs", name), "view");
}

/* Memory of so many elements that nobody touches, but for the numbers of dense at the strides. */
static attend_in map_sparse(attend_in dense, const json_t *view, mapping *mapped) {
    size_t element = attend_dtype_size((attend_dtype)dense.dtype);
    mapped->size = (size_t)json_integer_value(json_object_get(view, "sparse_elements")) * element;
    int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    mapped->block = mmap(NULL, mapped->size, PROT_READ | PROT_WRITE, kind, -1, 0);
    assert_true(mapped->block != MAP_FAILED);
    attend_out sparse = attend_out_dense(mapped->block, (attend_dtype)dense.dtype, 4, dense.shape);
    for (int32_t axis = 0; axis < 4; axis++)
        sparse.stride[axis] = json_integer_value(json_array_get(json_object_get(view, "strides"), (size_t)axis));
    for (int64_t n = 0; n < test_count(&dense); n++) {
        int64_t d = n % dense.shape[3], c = n / dense.shape[3] % dense.shape[2];
        int64_t b = n / (dense.shape[3] * dense.shape[2]) % dense.shape[1];
        int64_t a = n / (test_count(&dense) / dense.shape[0]);
        test_set(&sparse, a, b, c, d, test_get(&dense, a, b, c, d));
    }
    return attend_read(sparse);
}

/* A tensor of the call seen through its view; dense when it has none. */
static attend_in through_view(const shared_case *with, const char *name, attend_in dense, mapping *mapped) {
    const json_t *view = view_of(with, name), *buffer = json_object_get(view, "buffer");
    if (json_object_get(view, "sparse_elements"))
        return map_sparse(dense, view, mapped);
    if (buffer == NULL)
        return dense;
    attend_in tensor = dense, whole = shared_load(with, json_string_value(buffer));
    int64_t offset = json_integer_value(json_object_get(view, "offset"));
    tensor.data = (const char *)whole.data + offset * (int64_t)attend_dtype_size((attend_dtype)dense.dtype);
    for (int32_t axis = 0; axis < dense.rank; axis++)
        tensor.stride[axis] = json_integer_value(json_array_get(json_object_get(view, "strides"), (size_t)axis));
    return tensor;
}

static void check_views(const shared_case *with, const random_call *call, const result *want) {
    random_call viewed = *call;
    mapping mapped[4] = {{NULL, 0}};
    attend_in *tensors[] = {&viewed.q, &viewed.k, &viewed.v,
                            viewed.extra.mask.data ? &viewed.extra.mask : &viewed.extra.bias};
    static const char *const names[] = {"q", "k", "v", "mask"};
    for (int n = 0; n < 4; n++)
        *tensors[n] = through_view(with, names[n], *tensors[n], &mapped[n]);
    result got = run(with->ctx, &viewed);
    assert_same_results(&got, want);
    for (int n = 0; n < 4; n++)
        if (mapped[n].block != NULL)
            munmap(mapped[n].block, mapped[n].size);
}

/* The numbers in another layout: the base one element off its alignment, rows of an odd pitch, axes reversed. */
static attend_in displaced(const attend_in *from) {
    if (from->data == NULL || from->rank < 2)
        return *from;
    size_t element = attend_dtype_size((attend_dtype)from->dtype);
    attend_out to = attend_out_dense(NULL, (attend_dtype)from->dtype, from->rank, from->shape);
    int64_t span = 1, size[4];
    for (int32_t axis = 0; axis < 4; axis++)
        size[axis] = axis < from->rank ? from->shape[axis] : 1;
    for (int32_t axis = 0; axis < from->rank; axis++) {
        to.stride[axis] = span;
        span = span * size[axis] + (span * size[axis]) % 2 + 1;
    }
    to.data = (char *)test_block((size_t)(span + 1) * element) + element;
    for (int64_t n = 0; n < test_count(from); n++) {
        int64_t d = n % size[3], c = n / size[3] % size[2], b = n / (size[3] * size[2]) % size[1];
        int64_t a = n / (size[3] * size[2] * size[1]);
        test_set(&to, a, b, c, d, test_get(from, a, b, c, d));
    }
    return attend_read(to);
}

static void check_layouts(const shared_case *with, const random_call *call, const result *want) {
    random_call moved = *call;
    attend_in *tensors[] = {&moved.q, &moved.k, &moved.v, &moved.extra.mask, &moved.extra.bias};
    for (size_t n = 0; n < COUNT_OF(tensors); n++)
        *tensors[n] = displaced(tensors[n]);
    result got = run(with->ctx, &moved);
    assert_same_results(&got, want);
}

/* ---- What a case says beside its numbers ---- */

static random_call part_of(const random_call *call, int64_t batch, int64_t first_key, int64_t keys) {
    random_call part = *call;
    part.problem.batch = 1;
    part.problem.keys = keys;
    part.q = test_slice(call->q, 0, batch, 1);
    part.k = test_slice(test_slice(call->k, 0, batch, 1), 2, first_key, keys);
    part.v = test_slice(test_slice(call->v, 0, batch, 1), 2, first_key, keys);
    if (call->extra.mask.data != NULL)
        part.extra.mask = test_slice(call->extra.mask, 3, first_key, keys);
    return part;
}

/* Case 115: each batch row alone, and the first n queries with the first n keys, with 1 and 2 threads. */
static void check_company(const shared_case *with, const random_call *call, const result *whole) {
    attend_ctx *contexts[] = {test_context(1), test_context(2)};
    for (int64_t b = 0; b < call->problem.batch; b++)
        for (int64_t n = 1; n <= call->problem.queries; n++)
            for (size_t c = 0; c < COUNT_OF(contexts); c++) {
                random_call few = part_of(call, b, 0, n);
                few.problem.queries = n;
                few.problem.query_offset = 0;
                few.q = test_slice(few.q, 2, 0, n);
                result got = run(contexts[c], &few);
                result want = {ATTEND_OK, test_slice(test_slice(whole->o, 0, b, 1), 2, 0, n),
                               test_slice(test_slice(whole->lse, 0, b, 1), 2, 0, n)};
                assert_same_results(&got, &want);
            }
    (void)with;
}

/* Case 121: keys 0-3 and keys 4-7 joined by their lse. */
static void check_parts(const shared_case *with, const random_call *call) {
    random_call low = part_of(call, 0, 0, 4), high = part_of(call, 0, 4, 4);
    result a = run(with->ctx, &low), b = run(with->ctx, &high);
    attend_out o = test_tensor(ATTEND_F64, 1, a.o.shape[1], a.o.shape[2], a.o.shape[3]);
    attend_out lse = test_tensor(ATTEND_F64, 1, a.o.shape[1], a.o.shape[2], -1);
    assert_works(with->ctx, attend_join(with->ctx, &a.o, &a.lse, &b.o, &b.lse, &o, &lse));
    result joined = {ATTEND_OK, attend_read(o), attend_read(lse)};
    check_results(with, &joined);
}

static void check_property(const shared_case *with, const random_call *call, const result *whole) {
    const char *property = shared_text(with, "property");
    if (strstr(property, "batch entry alone"))
        check_company(with, call, whole);
    else if (strstr(property, "keys 0-3 and keys 4-7"))
        check_parts(with, call);
    else if (strstr(property, "two runs give identical bits")) {
        result again = run(with->ctx, call);
        assert_same_results(&again, whole);
    } else
        assert_string_equal(property, ""); /* a property that nobody checks here */
}

static void check_case(const shared_case *with) {
    random_call call = make_call(with);
    result got = run(with->ctx, &call);
    if (strcmp(shared_text(with, "expect"), "error") == 0) {
        assert_in_range(got.status, 10, 19); /* the call is wrong */
        assert_true(strlen(attend_message(with->ctx)) > 0);
        return;
    }
    assert_works(with->ctx, got.status);
    check_results(with, &got);
    check_views(with, &call, &got);
    check_layouts(with, &call, &got);
    check_property(with, &call, &got);
}

int main(void) { return shared_cases_run("bugs", 63, check_case); }
