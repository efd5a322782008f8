/* check_random.h - random calls of attend_forward: every option, type, stride and size; the same for the same seed and
   number on every machine. */
#ifndef CHECK_RANDOM_H
#define CHECK_RANDOM_H

#include "check_memory.h"
#include "inputs.h"

enum { RANDOM_TEXT_MAX = 512 };

/* Fills in the call, whose tensors lie in memory, and text, which says what it has.  False when memory runs out. */
bool random_call(check_memory *memory, uint64_t seed, uint64_t number, forward_call *call, char text[RANDOM_TEXT_MAX]);

#endif
