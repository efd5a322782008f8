/* memory_peak.h - memory of this process, as Linux counts it. */
#ifndef MEMORY_PEAK_H
#define MEMORY_PEAK_H

#include <stdint.h>

/* Bytes that are resident now; the most since the last memory_peak_reset.  -1 where the system does not say. */
int64_t memory_resident(void);
int64_t memory_peak(void);
void memory_peak_reset(void);

#endif
