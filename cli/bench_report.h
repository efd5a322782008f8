/* bench_report.h - what `attend bench` prints. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>

#include "bench_run.h"

void bench_report_header(void);
void bench_report_row(const bench_row *row);
json_t *bench_report_json(const bench_row *row);
/* The machine alone. */
void bench_report_machine(json_t *machine);
json_t *bench_machine(int32_t threads);

#endif
