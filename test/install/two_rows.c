/* What an installed copy must serve: one program for C and C++, with or without the second library. */
#include <attend/attend.h>
#include <stdio.h>

#ifdef WITH_MODEL
#include <attend/files.h>
static const char text[] = "{\"tokens\": [\"a\"], \"q\": [[1]], \"k\": [[1]], \"v\": [[1]]}";
#endif

static int average(attend_ctx *ctx) {
    const int64_t shape[] = {1, 1, 2, 1};    /* (B, H, T, D) */
    const double x[] = {0, 1}, v[] = {1, 3}; /* (B, H, T, D) */
    double o[2] = {0, 0};                    /* (B, H, T, D) */
    attend_in query = attend_in_dense(x, ATTEND_F64, 4, shape), value = attend_in_dense(v, ATTEND_F64, 4, shape);
    attend_out output = attend_out_dense(o, ATTEND_F64, 4, shape);
    attend_problem problem = attend_problem_init();
    if (attend_problem_from(ctx, &query, &query, &value, &problem) ||
        attend_forward(ctx, &problem, &query, &query, &value, NULL, &output, NULL))
        return 1;
    printf("[%.3f, %.3f]\n", o[0], o[1]);
    return 0;
}

int main(void) {
    attend_ctx *ctx = NULL;
    int failed = attend_ctx_create(NULL, &ctx) != ATTEND_OK || average(ctx);
#ifdef WITH_MODEL
    attend_example *example = NULL;
    failed |= attend_example_parse(ctx, "text", text, sizeof text - 1, &example) != ATTEND_OK;
    attend_example_close(example);
#endif
    attend_ctx_destroy(ctx);
    return failed;
}
