/* check_bits.h - `attend check --bits`: one problem in every circumstance that must not change a bit. */
#ifndef CHECK_BITS_H
#define CHECK_BITS_H

#include "inputs.h"

/* Prints a line for each circumstance; CLI_DONE, or CLI_FAILED when any changed a bit. */
int check_bits_of(const inputs *given, bool json);

#endif
