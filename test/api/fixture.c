#include "fixture.h"

enum { MEMORY = 1 << 15, ALIGNMENT = 64 };

attend_out fixture_out(fixture *f, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t shape[] = {a, b, c, d};
    int32_t rank = 0;
    size_t bytes = attend_dtype_size(dtype);
    while (rank < ATTEND_RANK_MAX && shape[rank] >= 0)
        bytes *= (size_t)shape[rank++];
    attend_out tensor = attend_out_dense(f->memory + f->used, dtype, rank, shape);
    f->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert_true(f->used <= f->size);
    return tensor;
}

attend_in fixture_in(fixture *f, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    return attend_read(fixture_out(f, dtype, a, b, c, d));
}

attend_in fixture_list(fixture *f, int64_t count, const int32_t *values) {
    attend_out list = fixture_out(f, ATTEND_I32, count, -1, -1, -1);
    memcpy(list.data, values, (size_t)count * sizeof *values);
    memcpy(f->before + ((unsigned char *)list.data - f->memory), values, (size_t)count * sizeof *values);
    return attend_read(list);
}

/* Every tensor full of ones, which is a number in all float types when read as f32. */
static void fill(fixture *f) {
    for (size_t n = 0; n < f->size / sizeof(float); n++)
        ((float *)(void *)f->memory)[n] = 1;
    memcpy(f->before, f->memory, f->size);
}

fixture fixture_make(attend_ctx *ctx) {
    fixture f = {.ctx = ctx,
                 .problem = attend_problem_init(),
                 .extra = attend_extra_init(),
                 .taps = attend_taps_init(),
                 .memory = test_block(MEMORY),
                 .before = test_block(MEMORY),
                 .size = MEMORY,
                 .has_problem = true,
                 .has_q = true,
                 .has_k = true,
                 .has_v = true,
                 .has_o = true};
    fill(&f);
    f.problem.batch = FIXTURE_B;
    f.problem.heads = FIXTURE_H;
    f.problem.kv_heads = FIXTURE_G;
    f.problem.queries = FIXTURE_TQ;
    f.problem.keys = FIXTURE_TK;
    f.problem.head_width = FIXTURE_D;
    f.problem.value_width = FIXTURE_E;
    f.q = fixture_in(&f, ATTEND_F32, FIXTURE_B, FIXTURE_H, FIXTURE_TQ, FIXTURE_D);
    f.k = fixture_in(&f, ATTEND_F32, FIXTURE_B, FIXTURE_G, FIXTURE_TK, FIXTURE_D);
    f.v = fixture_in(&f, ATTEND_F32, FIXTURE_B, FIXTURE_G, FIXTURE_TK, FIXTURE_E);
    f.o = fixture_out(&f, ATTEND_F32, FIXTURE_B, FIXTURE_H, FIXTURE_TQ, FIXTURE_E);
    return f;
}

attend_status fixture_forward(const fixture *f) {
    return attend_forward(f->ctx, f->has_problem ? &f->problem : NULL, f->has_q ? &f->q : NULL, f->has_k ? &f->k : NULL,
                          f->has_v ? &f->v : NULL, &f->extra, f->has_o ? &f->o : NULL, &f->taps);
}

void fixture_refused(const fixture *f, attend_status got, attend_status status, const char *text) {
    assert_fails(f->ctx, got, status, text);
    assert_memory_equal(f->memory, f->before, f->size);
    fixture right = fixture_make(f->ctx);
    assert_works(f->ctx, fixture_forward(&right));
}

void fixture_refuses(const fixture *f, attend_status status, const char *text) {
    fixture_refused(f, fixture_forward(f), status, text);
}
