/* The conformance cases of ONNX's Attention (opset 23 to 25), RotaryEmbedding and FlexAttention through the library.
   What each attribute means is said in the operator's text; attend's options are set here accordingly. */
#include "shared_case.h"

typedef struct onnx_call {
    random_call call; /* o is a view of y */
    attend_out y;     /* as the operator gives it: (B, H, Tq, E) or (B, Tq, H * E) */
} onnx_call;

/* Float masks that are too short: the operator hides the keys past them. */
static attend_in pad_mask(attend_in mask, int64_t keys) {
    int32_t last = mask.rank - 1;
    bool is_bias = mask.dtype != ATTEND_U8;
    if (mask.shape[last] >= keys || mask.shape[last] == 1)
        return mask;
    int64_t shape[4], length = mask.shape[last];
    for (int32_t axis = 0; axis < 4; axis++)
        shape[axis] = axis < mask.rank ? mask.shape[axis] : -1;
    shape[last] = keys;
    attend_out padded = test_tensor((attend_dtype)mask.dtype, shape[0], shape[1], shape[2], shape[3]);
    int64_t rows = test_count(&mask) / length;
    attend_in flat_from = {{rows, length, 1, 1}, {length, 1, 0, 0}, mask.dtype, 2, mask.data};
    attend_out flat_to = {{rows, keys, 1, 1}, {keys, 1, 0, 0}, mask.dtype, 2, padded.data};
    for (int64_t row = 0; row < rows; row++)
        for (int64_t j = 0; j < keys; j++)
            test_set(&flat_to, row, j, 0, 0, j < length ? test_get(&flat_from, row, j, 0, 0) : is_bias ? -INFINITY : 0);
    return attend_read(padded);
}

static void set_window(const shared_case *with, attend_problem *p, int64_t past) {
    double left = shared_number(with, "left_window_size", -1), right = shared_number(with, "right_window_size", -1);
    p->query_offset = past;
    if (shared_number(with, "is_causal", 0) != 0)
        p->flags |= ATTEND_CAUSAL;
    if (right >= 0 && !(p->flags & ATTEND_CAUSAL)) {
        p->flags |= ATTEND_LIMIT_AHEAD;
        p->ahead = (int64_t)right;
    }
    if (left >= 0) {
        p->flags |= ATTEND_LIMIT_BACK;
        p->back = (int64_t)left;
    }
}

/* Keys really present, and then the last query stands on the last of them. */
static void set_counts(attend_in counts, random_call *call) {
    call->extra.key_count = shared_integers(counts);
    if ((call->problem.flags & (ATTEND_LIMIT_AHEAD | ATTEND_LIMIT_BACK)) == 0)
        return;
    attend_out offsets = test_tensor(ATTEND_I32, counts.shape[0], -1, -1, -1);
    for (int64_t b = 0; b < counts.shape[0]; b++)
        test_set(&offsets, b, 0, 0, 0, test_get(&counts, b, 0, 0, 0) - (double)call->problem.queries);
    call->extra.query_offsets = attend_read(offsets);
}

static void set_tensors(const shared_case *with, onnx_call *onnx) {
    random_call *call = &onnx->call;
    const json_t *shape = json_object_get(shared_entry(with, "outputs", "Y"), "shape");
    int64_t size[4];
    call->q = shared_tensor(with, "inputs", "Q");
    call->k = shared_tensor(with, "inputs", "K");
    call->v = shared_tensor(with, "inputs", "V");
    for (size_t axis = 0; axis < 4; axis++)
        size[axis] = axis < json_array_size(shape) ? json_integer_value(json_array_get(shape, axis)) : -1;
    onnx->y = test_tensor((attend_dtype)call->q.dtype, size[0], size[1], size[2], size[3]);
    call->o = onnx->y;
    if (call->q.rank == 3) {
        int64_t heads = (int64_t)shared_number(with, "q_num_heads", 0);
        int64_t kv_heads = (int64_t)shared_number(with, "kv_num_heads", 0);
        call->q = shared_split_heads(call->q, heads);
        call->k = shared_split_heads(call->k, kv_heads);
        call->v = shared_split_heads(call->v, kv_heads);
        call->o = shared_split_heads_out(onnx->y, heads);
    }
}

static onnx_call make_call(const shared_case *with) {
    onnx_call onnx = {.call = {.problem = attend_problem_init(), .extra = attend_extra_init()}};
    random_call *call = &onnx.call;
    set_tensors(with, &onnx);
    attend_in past = shared_tensor(with, "inputs", "past_key"), mask = shared_tensor(with, "inputs", "attn_mask");
    attend_in counts = shared_tensor(with, "inputs", "nonpad_kv_seqlen");
    if (past.data != NULL) {
        call->k = shared_concatenate(past, call->k, 2);
        call->v = shared_concatenate(shared_tensor(with, "inputs", "past_value"), call->v, 2);
    }
    assert_works(with->ctx, attend_problem_from(with->ctx, &call->q, &call->k, &call->v, &call->problem));
    call->problem.scale = shared_number(with, "scale", 0);
    call->problem.softcap = shared_number(with, "softcap", 0);
    set_window(with, &call->problem, past.data ? past.shape[2] : 0);
    if (counts.data != NULL)
        set_counts(counts, call);
    if (mask.data != NULL)
        *(mask.dtype == ATTEND_U8 ? &call->extra.mask : &call->extra.bias) = pad_mask(mask, call->problem.keys);
    return onnx;
}

/* qk_matmul_output_mode: 0 the scaled scores, 1 capped, 2 with what is added, 3 the weights; of all pairs. */
static void check_scores(const shared_case *with, const random_call *call) {
    const json_t *entry = shared_entry(with, "outputs", "qk_matmul_output");
    int mode = (int)shared_number(with, "qk_matmul_output_mode", 0);
    if (entry == NULL)
        return;
    attend_in want = shared_tensor(with, "outputs", "qk_matmul_output"), got;
    attend_problem problem = call->problem;
    attend_steps steps = attend_steps_init();
    attend_out grid = test_tensor(ATTEND_F32, want.shape[0], want.shape[1], want.shape[2], want.shape[3]);
    if (mode == 0)
        problem.softcap = 0;
    *(mode < 2 ? &steps.scale : mode == 2 ? &steps.mask : &steps.normalize) = grid;
    const attend_extra *extra = mode < 2 ? NULL : &call->extra;
    assert_works(with->ctx, attend_chain(with->ctx, &problem, &call->q, &call->k, &call->v, extra, &steps));
    got = attend_read(grid);
    shared_assert_close(entry, &got, &want);
}

static void check_attention(const shared_case *with) {
    onnx_call onnx = make_call(with);
    attend_in want = shared_tensor(with, "outputs", "Y"), got = attend_read(onnx.y);
    assert_works(with->ctx, random_call_forward(with->ctx, &onnx.call, NULL));
    shared_assert_close(shared_entry(with, "outputs", "Y"), &got, &want);
    check_scores(with, &onnx.call);
}

/* Rows of a cache (N, w/2) that position_ids (B, T) name; without ids the cache is (B, T, w/2) already. */
static attend_in gather(attend_in cache, attend_in ids) {
    if (ids.data == NULL)
        return cache;
    attend_out table = test_tensor((attend_dtype)cache.dtype, ids.shape[0], ids.shape[1], cache.shape[1], -1);
    for (int64_t b = 0; b < ids.shape[0]; b++)
        for (int64_t t = 0; t < ids.shape[1]; t++)
            for (int64_t m = 0; m < cache.shape[1]; m++)
                test_set(&table, b, t, m, 0, test_get(&cache, (int64_t)test_get(&ids, b, t, 0, 0), m, 0, 0));
    return attend_read(table);
}

static void check_rotary(const shared_case *with) {
    attend_in x = shared_tensor(with, "inputs", "X"), ids = shared_tensor(with, "inputs", "position_ids");
    attend_in cosine = gather(shared_tensor(with, "inputs", "cos_cache"), ids);
    attend_in sine = gather(shared_tensor(with, "inputs", "sin_cache"), ids);
    attend_in want = shared_tensor(with, "outputs", "Y");
    attend_out y = test_tensor((attend_dtype)x.dtype, x.shape[0], x.shape[1], x.shape[2], x.rank > 3 ? x.shape[3] : -1);
    attend_out split = y;
    attend_in got = attend_read(y);
    bool neighbours = shared_number(with, "interleaved", 0) != 0;
    if (x.rank == 3) {
        int64_t heads = (int64_t)shared_number(with, "num_heads", 0);
        x = shared_split_heads(x, heads);
        split = shared_split_heads_out(y, heads);
    }
    attend_place_kind kind = neighbours ? ATTEND_PLACE_ROTATE_NEIGHBOURS : ATTEND_PLACE_ROTATE_HALVES;
    assert_works(with->ctx, attend_rotate(with->ctx, kind, &x, &cosine, &sine, &split));
    shared_assert_close(shared_entry(with, "outputs", "Y"), &got, &want);
}

static void check_case(const shared_case *with) {
    const char *operator= shared_text(with, "op");
    if (shared_attribute(with, "score_mod") || shared_attribute(with, "prob_mod"))
        shared_case_skip(); /* a function of the user's in the middle */
    if (strcmp(operator, "RotaryEmbedding") == 0) {
        check_rotary(with);
        return;
    }
    assert_true(strcmp(operator, "Attention") == 0 || strcmp(operator, "FlexAttention") == 0);
    check_attention(with);
}

int main(void) {
    int onnx = shared_cases_run("onnx", 48, check_case);
    int flex = shared_cases_run("flex", 6, check_case);
    return onnx || flex;
}
