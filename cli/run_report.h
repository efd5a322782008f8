/* run_report.h - what `attend run` says it did. */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "outputs.h"

/* JSON on standard output. */
int run_report_json(const inputs *given, const outputs *made, double seconds);
/* Notes on standard error. */
void run_report_notes(const inputs *given, const outputs *made, double seconds);

#endif
