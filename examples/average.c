#include <attend/attend.h>
#include <stdio.h>

int main(void) {
    float q[] = {2, 0}, k[] = {0, 1, 2, 0, 1, 1, 0, 2}, v[] = {1, 0, 4, 0, 0, 2, 1, 1}, o[2];
    attend_in query = attend_in_dense(q, ATTEND_F32, 4, (int64_t[]){1, 1, 1, 2}); // (B, H, Tq, D)
    attend_in key = attend_in_dense(k, ATTEND_F32, 4, (int64_t[]){1, 1, 4, 2});   // (B, G, Tk, D)
    attend_in value = attend_in_dense(v, ATTEND_F32, 4, (int64_t[]){1, 1, 4, 2}); // (B, G, Tk, E)
    attend_out output = attend_out_dense(o, ATTEND_F32, 4, (int64_t[]){1, 1, 1, 2});
    attend_problem problem = attend_problem_init();
    attend_ctx *ctx;
    if (attend_ctx_create(NULL, &ctx) || attend_problem_from(ctx, &query, &key, &value, &problem) ||
        attend_forward(ctx, &problem, &query, &key, &value, NULL, &output, NULL))
        return 1;
    printf("sat mixes [%.3f, %.3f]\n", o[0], o[1]); // sat mixes [3.025, 0.401]
    attend_ctx_destroy(ctx);
}
