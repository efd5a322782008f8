#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */

#include "bench_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check_number.h"

/* Random numbers are made once and repeated; a prime, so that rows of any width differ. */
enum { PERIOD = 1048573 };

void *bench_block(bench_data *data, size_t size) {
    void *block = MAP_FAILED;
    if (data->count < BENCH_BLOCKS)
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        cli_failure("no memory for %zu bytes", size);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    madvise(block, size, MADV_HUGEPAGE); /* small pages are a third slower to read from, and no error */
#endif
    data->block[data->count] = block;
    data->size[data->count++] = size;
    return block;
}

int bench_zeros(bench_data *data, attend_dtype dtype, int32_t rank, const int64_t *tensor_shape, attend_out *made) {
    size_t size = attend_dtype_size(dtype);
    for (int32_t axis = 0; axis < rank; axis++)
        if (__builtin_mul_overflow(size, (size_t)tensor_shape[axis], &size))
            return cli_failure("no memory: the number of bytes of a tensor does not fit");
    void *block = bench_block(data, size);
    *made = attend_out_dense(block, dtype, rank, tensor_shape);
    return block == NULL ? CLI_FAILED : CLI_DONE;
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Rounded towards 0. */
static void put(attend_dtype dtype, char *elements, int64_t index, double value) {
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    char *element = elements + index * (int64_t)attend_dtype_size(dtype);
    if (fraction == 0)
        memset(element, 0, attend_dtype_size(dtype));
    else
        check_number_put(dtype, element, signbit(value) != 0, exponent - 1, (uint64_t)ldexp(2 * fraction - 1, 63) * 2);
}

/* Evenly from -sqrt(3) to sqrt(3). */
static void make_random(attend_dtype dtype, char *elements, int64_t count) {
    static uint64_t state = 1;
    for (int64_t i = 0; i < count; i++)
        put(dtype, elements, i, sqrt(3.0) * ldexp((double)(int64_t)next(&state), -63));
}

int bench_random(bench_data *data, attend_dtype dtype, int32_t rank, const int64_t *tensor_shape, attend_in *made) {
    attend_out tensor;
    int64_t count = 1;
    int status = bench_zeros(data, dtype, rank, tensor_shape, &tensor);
    *made = attend_read(tensor);
    if (status != CLI_DONE)
        return status;
    for (int32_t axis = 0; axis < rank; axis++)
        count *= tensor_shape[axis];
    size_t size = attend_dtype_size(dtype);
    make_random(dtype, tensor.data, count < PERIOD ? count : PERIOD);
    for (int64_t done = PERIOD; done < count; done += PERIOD)
        memcpy((char *)tensor.data + (size_t)done * size, tensor.data,
               (size_t)(count - done < PERIOD ? count - done : PERIOD) * size);
    return CLI_DONE;
}

/* The first number of every query is 4, that of key j is j/4: each score is 1/8 above the one before it for a width of
   64, and so the largest so far is always the last. */
static void make_rise(const shape *sizes, attend_in made[3]) {
    char *q = (char *)(uintptr_t)made[0].data, *k = (char *)(uintptr_t)made[1].data;
    for (int64_t i = 0; i < sizes->batch * sizes->heads * sizes->queries; i++)
        put(sizes->dtype, q, i * sizes->width, 4);
    for (int64_t j = 0; j < sizes->batch * sizes->kv_heads * sizes->keys; j++)
        put(sizes->dtype, k, j * sizes->width, 0.25 * (double)(j % sizes->keys));
}

int bench_tensors(bench_data *data, const shape *sizes, bench_content content, attend_in made[3]) {
    int64_t q[] = {sizes->batch, sizes->heads, sizes->queries, sizes->width};
    int64_t k[] = {sizes->batch, sizes->kv_heads, sizes->keys, sizes->width};
    int64_t v[] = {sizes->batch, sizes->kv_heads, sizes->keys, sizes->value_width};
    const int64_t *shapes[] = {q, k, v};
    int status = CLI_DONE;
    for (int i = 0; i < 3 && status == CLI_DONE; i++)
        status = bench_random(data, sizes->dtype, 4, shapes[i], &made[i]);
    if (status == CLI_DONE && content == CONTENT_RISING)
        make_rise(sizes, made);
    return status;
}

static int make_mask(bench_data *data, const attend_problem *problem, attend_extra *extra) {
    int64_t pairs[] = {problem->queries, problem->keys};
    uint64_t state = 2;
    attend_out mask;
    int status = bench_zeros(data, ATTEND_U8, 2, pairs, &mask);
    for (int64_t n = 0; status == CLI_DONE && n < pairs[0] * pairs[1]; n++)
        ((uint8_t *)mask.data)[n] = (uint8_t)(next(&state) & 1);
    extra->mask = attend_read(mask);
    return status;
}

/* Head h of H: 2^(-8 (h + 1) / H), as in Press et al. 2021, section 3. */
static int make_slopes(bench_data *data, const attend_problem *problem, attend_extra *extra) {
    attend_out slopes;
    int status = bench_zeros(data, ATTEND_F32, 1, &problem->heads, &slopes);
    for (int64_t h = 0; status == CLI_DONE && h < problem->heads; h++)
        ((float *)slopes.data)[h] = exp2f(-8.0f * (float)(h + 1) / (float)problem->heads);
    extra->slopes = attend_read(slopes);
    return status;
}

int bench_extra(bench_data *data, const attend_problem *problem, bench_content content, attend_extra *extra) {
    int64_t pairs[] = {problem->queries, problem->keys};
    switch (content) {
    case CONTENT_MASK: return make_mask(data, problem, extra);
    case CONTENT_BIAS: return bench_random(data, ATTEND_F32, 2, pairs, &extra->bias);
    case CONTENT_ALIBI: return make_slopes(data, problem, extra);
    default: return CLI_DONE;
    }
}

void bench_data_free(bench_data *data) {
    while (data->count > 0) {
        data->count--;
        munmap(data->block[data->count], data->size[data->count]);
    }
}
