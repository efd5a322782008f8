/* check_report.h - the worst of each comparison over all cases, as text and as JSON. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "check_compare.h"
#include "check_random.h"

/* What one comparison found over all cases. */
typedef struct tally {
    int64_t cases;         /* in which it applied */
    int64_t failed;        /* in which it passed its bound */
    double error, allowed; /* of the worst case: the one nearest to its bound, or farthest past it */
    int64_t number;        /* of that case */
    char text[RANDOM_TEXT_MAX];
} tally;

typedef struct check_report {
    attend_ctx *ctx;
    bool random; /* else one given problem */
    uint64_t seed;
    int64_t cases;
    tally *tallies; /* (check_comparisons_count) */
} check_report;

void tally_add(tally *sum, const finding *found, int64_t number, const char *text);
/* Prints it; CLI_DONE, or CLI_FAILED when any comparison failed, after a message for each that did. */
int check_report_print(const check_report *report, bool json);

#endif
