/* bench_data.h - made-up tensors for `attend bench`, in memory of large pages where the system has them. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench_shapes.h"

enum { BENCH_BLOCKS = 64 };

typedef struct bench_data {
    void *block[BENCH_BLOCKS];
    size_t size[BENCH_BLOCKS];
    int count;
} bench_data;

/* Zeros, or NULL after a message. */
void *bench_block(bench_data *data, size_t size);
/* A dense tensor of zeros, or of random numbers with a mean square of 1; CLI_DONE, or CLI_FAILED after a message. */
int bench_zeros(bench_data *data, attend_dtype dtype, int32_t rank, const int64_t *tensor_shape, attend_out *made);
int bench_random(bench_data *data, attend_dtype dtype, int32_t rank, const int64_t *tensor_shape, attend_in *made);
/* q, k, v of these sizes and content. */
int bench_tensors(bench_data *data, const shape *sizes, bench_content content, attend_in made[3]);
/* The mask, bias or slopes that the content asks for. */
int bench_extra(bench_data *data, const attend_problem *problem, bench_content content, attend_extra *extra);
void bench_data_free(bench_data *data);

#endif
