#include <attend/attend.h>
#include <stdio.h>

/* Four tokens come one by one; each asks what the tokens so far, itself included, have to say. */
int main(void) {
    float q[] = {2, 0}, k[] = {0, 1, 2, 0, 1, 1, 0, 2}, v[] = {1, 0, 4, 0, 0, 2, 1, 1}, o[2];
    const int64_t one[] = {1, 1, 1, 2}; // one token: (B, H, Tq, D), and (B, G, T, D) and (B, G, T, E)
    attend_in query = attend_in_dense(q, ATTEND_F32, 4, one);
    attend_out output = attend_out_dense(o, ATTEND_F32, 4, one);
    attend_cache_config config = attend_cache_config_init();
    attend_problem problem = attend_problem_init();
    attend_ctx *ctx;
    attend_cache *cache;
    config.batch = config.kv_heads = problem.batch = problem.heads = problem.queries = 1;
    config.head_width = problem.head_width = 2, config.capacity = 4; // f32; key_dtype and value_dtype say otherwise
    if (attend_ctx_create(NULL, &ctx) || attend_cache_create(ctx, &config, &cache))
        return 1;
    for (int t = 0; t < 4; t++) {
        attend_in key = attend_in_dense(k + 2 * t, ATTEND_F32, 4, one),
                  value = attend_in_dense(v + 2 * t, ATTEND_F32, 4, one);
        if (attend_cache_append(ctx, cache, &key, &value, NULL) ||
            attend_decode(ctx, &problem, &query, cache, NULL, &output, NULL))
            return fprintf(stderr, "%s\n", attend_message(ctx)), 1;
        printf("after %lld: [%.3f, %.3f]\n", (long long)attend_cache_length(cache, 0), o[0], o[1]);
    }
    attend_cache_destroy(cache);
    attend_ctx_destroy(ctx);
}
