/* The tests of test_kernels.c for the kernels of doubles. */
#define AT_DOUBLE
#include "test_kernels.c" /* NOLINT(bugprone-suspicious-include) */
