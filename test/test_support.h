/* test_support.h - what the tests of all folders share: a context that counts its memory, random numbers that
   are the same everywhere, tensors that free themselves, comparisons. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attend/attend.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- Random numbers: SplitMix64 (Steele, Lea and Flood 2014), so that a seed means the same on any machine ---- */

typedef struct test_random {
    uint64_t state;
} test_random;

/* The numbers of a seed; ATTEND_TEST_SEED in the environment makes others of it, for as many runs as one likes. */
test_random test_seed(uint64_t seed);
uint64_t random_bits(test_random *rng);
/* A whole number from low to high, both included. */
int64_t random_pick(test_random *rng, int64_t low, int64_t high);
bool random_chance(test_random *rng, int percent);
/* A number from -1 to 1. */
double random_real(test_random *rng);

/* ---- Memory ---- */

/* Zeroed memory of exactly size bytes, so that a sanitizer sees the first byte past it; freed by test_end. */
void *test_block(size_t size);

/* An allocator that counts, and that fails from call fail_at on: once, or for good. */
typedef struct test_memory {
    int64_t calls;   /* allocations asked for                      */
    int64_t live;    /* blocks not released                        */
    size_t bytes;    /* bytes not released                         */
    int64_t fail_at; /* first call that fails, from 1 on; 0: never */
    bool for_good;
} test_memory;

attend_allocator test_allocator(test_memory *memory);

/* ---- Tests: each gets a context of two threads as *state, and fails when memory of it is left ---- */

int test_begin(void **state);
int test_end(void **state);
#define TEST(function) cmocka_unit_test_setup_teardown(function, test_begin, test_end)

/* A context that the caller destroys. */
attend_ctx *test_context_of(int32_t isa, int32_t threads, test_memory *memory);
/* The memory that the context of the running test counts in. */
test_memory *test_context_memory(void);
/* A context of threads threads with the same memory; destroyed by test_end. */
attend_ctx *test_context(int32_t threads);

/* ---- Tensors ---- */

/* Dense, of up to four axes; negative sizes end the list: test_tensor(ATTEND_F32, 2, 3, -1, -1) has rank 2.
   Its bytes are 0xA5, so that an element that nobody wrote is noticed. */
attend_out test_tensor(attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d);
/* The same filled with numbers from -1 to 1. */
attend_in test_random_tensor(test_random *rng, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d);
/* The same from numbers in C order. */
attend_in test_tensor_of(attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d, const double *values);
attend_in test_list(attend_dtype dtype, int64_t count, const double *values);

/* A tensor in a layout of its own: axes in any order, gaps between them, walked backwards here and there; inputs also
   repeat axes when may_repeat.  Its elements are unset. */
attend_out test_strided(test_random *rng, attend_dtype dtype, int32_t rank, const int64_t *shape, bool may_repeat);
/* The numbers of from, converted to dtype. */
attend_in test_copy(const attend_in *from, attend_dtype dtype);

int64_t test_count(const attend_in *tensor);
/* Element of a tensor of any rank; indices past its rank are ignored. */
double test_get(const attend_in *tensor, int64_t a, int64_t b, int64_t c, int64_t d);
void test_set(const attend_out *tensor, int64_t a, int64_t b, int64_t c, int64_t d, double value);
/* The part first .. first + count - 1 of one axis, as a view. */
attend_in test_slice(attend_in tensor, int32_t axis, int64_t first, int64_t count);
attend_out test_slice_out(attend_out tensor, int32_t axis, int64_t first, int64_t count);

/* ---- Comparisons ---- */

/* Whether got is want rounded once to dtype, when want itself is known to error. */
bool test_is_rounded(double got, double want, attend_dtype dtype, double error);
/* Every element of got is want (C order) rounded once. */
void assert_rounded(const attend_in *got, const double *want, double error);
void assert_tensors_close(const attend_in *got, const attend_in *want, double error);
/* Same shape, same bits; every NaN counts as the same. */
void assert_same_bits(const attend_in *got, const attend_in *want);
void assert_close(double got, double want, double error);
/* The call returned status, and the context says exactly text. */
void assert_fails(const attend_ctx *ctx, attend_status got, attend_status want, const char *text);
void assert_works(const attend_ctx *ctx, attend_status got);

#endif
