/* explain_report.h - what `attend explain` says. */
#ifndef EXPLAIN_REPORT_H
#define EXPLAIN_REPORT_H

#include "inputs.h"

typedef struct explain_report {
    const inputs *given;
    attend_dtype dtype; /* of the output */
    const attend_explanation *found;
    size_t scratch; /* bytes, at most */
} explain_report;

int explain_report_text(const explain_report *report);
int explain_report_json(const explain_report *report);

#endif
