/* real_test.h - what the tests of the kernels, for floats and for doubles, share: the bits of a number, and memory that
   ends at a page that may not be touched.  Included after cmocka.h. */
#ifndef REAL_TEST_H
#define REAL_TEST_H

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/kernel.h"

#ifdef AT_DOUBLE
typedef uint64_t real_bits;
#else
typedef uint32_t real_bits;
#endif

static real_bits bits_of(at_real x) {
    real_bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

typedef struct guarded {
    at_real *data;
    void *map;
    size_t size;
} guarded;

/* count floats that end (or begin) right at a page that may not be touched. */
static guarded guard(size_t count, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * sizeof(at_real);
    size_t inner = (bytes + page - 1) / page * page;
    guarded block = {NULL, NULL, inner + 2 * page};
    block.map = mmap(NULL, block.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block.map != MAP_FAILED);
    assert_int_equal(mprotect(block.map, page, PROT_NONE), 0);
    assert_int_equal(mprotect((char *)block.map + page + inner, page, PROT_NONE), 0);
    block.data = (at_real *)(void *)((char *)block.map + page + (at_end ? inner - bytes : 0));
    return block;
}

static void unguard(guarded block) { munmap(block.map, block.size); }

static void same_bits(const at_real *a, const at_real *b, int64_t count) {
    for (int64_t n = 0; n < count; n++)
        if (bits_of(a[n]) != bits_of(b[n]) && !(isnan(a[n]) && isnan(b[n])))
            fail_msg("element %lld of %lld: %a and %a", (long long)n, (long long)count, (double)a[n], (double)b[n]);
}

/* Rows before their first key. */
static inline void begin_rows(at_rows *rows) {
    memset(rows, 0, sizeof *rows);
    for (int i = 0; i < AT_LANES; i++) {
        rows->shift[i] = AT_SHIFT_NONE;
        rows->highest[i] = -INFINITY;
    }
}

static inline void same_rows(const at_rows *a, const at_rows *b, int32_t rows) {
    same_bits(a->shift, b->shift, rows);
    same_bits(a->sum, b->sum, rows);
    same_bits(a->highest, b->highest, rows);
}

#endif
