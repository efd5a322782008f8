#include "memory_peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line "VmHWM:   1234 kB" of /proc/self/status. */
static int64_t status_line(const char *key) {
    char line[256];
    int64_t bytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && bytes < 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            bytes = strtoll(line + strlen(key), NULL, 10) * 1024;
    if (file != NULL)
        fclose(file);
    return bytes;
}

int64_t memory_resident(void) { return status_line("VmRSS:"); }
int64_t memory_peak(void) { return status_line("VmHWM:"); }

/* 5 resets the peak (proc(5)). */
void memory_peak_reset(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL)
        return;
    fputs("5", file);
    fclose(file);
}
