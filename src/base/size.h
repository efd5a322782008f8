/* size.h - arithmetic on sizes that says when it does not fit.  All sizes of tensors, files and scratch
   pass through here: never compute a product and then test it. */
#ifndef AT_SIZE_H
#define AT_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each stores the result and returns true, or returns false when it does not fit. */
static inline bool at_size_mul(size_t a, size_t b, size_t *result) { return !__builtin_mul_overflow(a, b, result); }
static inline bool at_size_add(size_t a, size_t b, size_t *result) { return !__builtin_add_overflow(a, b, result); }
static inline bool at_i64_mul(int64_t a, int64_t b, int64_t *result) { return !__builtin_mul_overflow(a, b, result); }
static inline bool at_i64_add(int64_t a, int64_t b, int64_t *result) { return !__builtin_add_overflow(a, b, result); }

#endif
