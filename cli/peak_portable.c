#define PEAK_BYTES 16
#include "peak_loops.inc"

const peak_loops peak_loops_portable = PEAK_LOOPS("vectors of 16 bytes", 0, NULL);
