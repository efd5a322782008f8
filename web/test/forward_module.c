/* forward_module.c - attend_forward in WebAssembly, for web/test/forward.test.ts and bench/peers/web: the page has no use for
   it yet. */
#include <stdlib.h>

#include "attend/attend.h"

#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>
#endif

#define EXPORT(name) __attribute__((export_name(#name))) name

static attend_ctx *ctx;
static attend_problem problem;
static float *numbers; /* q (H, T, D), k (G, T, D), v (G, T, D), o (H, T, D) */

/* Whether the multiply-add of this machine rounds once: (1 + u)(1 - u) - 1 is -u^2 then, and 0 else. */
int EXPORT(forward_is_fused)(float one_more, float one_less);
int forward_is_fused(float one_more, float one_less) {
#ifdef __wasm_relaxed_simd__
    v128_t product =
        wasm_f32x4_relaxed_madd(wasm_f32x4_splat(one_more), wasm_f32x4_splat(one_less), wasm_f32x4_splat(-1));
    return wasm_f32x4_extract_lane(product, 0) != 0;
#else
    (void)one_more;
    (void)one_less;
    return 1; /* plain C says how */
#endif
}

/* Room for q, k, v and o, one behind the other. */
float *EXPORT(forward_begin)(int heads, int kv_heads, int tokens, int width, int causal);
float *forward_begin(int heads, int kv_heads, int tokens, int width, int causal) {
    attend_config config = attend_config_init();
    config.threads = 1;
    attend_ctx_destroy(ctx);
    if (attend_ctx_create(&config, &ctx) != ATTEND_OK)
        return NULL;
    free(numbers);
    numbers = malloc((size_t)(2 * heads + 2 * kv_heads) * (size_t)tokens * (size_t)width * sizeof *numbers);
    problem = attend_problem_init();
    problem.flags = causal ? ATTEND_CAUSAL : 0;
    problem.batch = 1;
    problem.heads = heads;
    problem.kv_heads = kv_heads;
    problem.queries = problem.keys = tokens;
    problem.head_width = width;
    return numbers;
}

/* The status of attend_forward, by the readable path or by the fast one. */
int EXPORT(forward_run)(int readable);
int forward_run(int readable) {
    int64_t width = problem.head_width, tokens = problem.keys, of_heads = problem.heads * tokens * width;
    int64_t of_keys = problem.kv_heads * tokens * width, shape[4] = {1, problem.heads, tokens, width};
    int64_t key_shape[4] = {1, problem.kv_heads, tokens, width};
    attend_problem call = problem;
    call.flags |= readable ? ATTEND_READABLE : 0u;
    attend_in q = attend_in_dense(numbers, ATTEND_F32, 4, shape);
    attend_in k = attend_in_dense(numbers + of_heads, ATTEND_F32, 4, key_shape);
    attend_in v = attend_in_dense(numbers + of_heads + of_keys, ATTEND_F32, 4, key_shape);
    attend_out o = attend_out_dense(numbers + of_heads + 2 * of_keys, ATTEND_F32, 4, shape);
    return (int)attend_forward(ctx, &call, &q, &k, &v, NULL, &o, NULL);
}

#ifdef __wasm_relaxed_simd__
/* So many steps of multiply-adds that do not wait for each other: how many operations a step has. */
int EXPORT(forward_peak)(int steps);
int forward_peak(int steps) {
    enum { SUMS = 12 };
    v128_t sum[SUMS], factor = wasm_f32x4_splat((float)steps), total = wasm_f32x4_splat(0);
    for (int i = 0; i < SUMS; i++)
        sum[i] = wasm_f32x4_splat((float)i);
    for (int n = 0; n < steps; n++)
#pragma clang loop unroll(full)
        for (int i = 0; i < SUMS; i++)
            sum[i] = wasm_f32x4_relaxed_madd(factor, factor, sum[i]);
    for (int i = 0; i < SUMS; i++)
        total = wasm_f32x4_add(total, sum[i]);
    return 2 * 4 * SUMS + (wasm_f32x4_extract_lane(total, 0) < 0); /* never below 0, which the compiler does not know */
}
#endif
