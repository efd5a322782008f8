#include "check_report.h"

#include <jansson.h>
#include <math.h>

/* How near to its bound, 1 at it; where none is allowed, any error is past it. */
static double share(double error, double allowed) { return error == 0 ? 0 : error / allowed; }

void tally_add(tally *sum, const finding *found, int64_t number, const char *text) {
    if (!found->compared)
        return;
    sum->cases++;
    sum->failed += found->error > found->allowed;
    if (sum->cases > 1 && share(found->error, found->allowed) <= share(sum->error, sum->allowed))
        return;
    sum->error = found->error;
    sum->allowed = found->allowed;
    sum->number = number;
    snprintf(sum->text, sizeof sum->text, "%s", text);
}

static json_t *describe(const check_report *report, int index) {
    const tally *sum = &report->tallies[index];
    json_t *made = json_pack("{s:s, s:s, s:b, s:I, s:I}", "name", check_comparisons[index].name, "what",
                             check_comparisons[index].what, "exact", check_comparisons[index].exact, "cases",
                             sum->cases, "failed", sum->failed);
    if (sum->cases == 0)
        return made;
    json_object_set_new(made, "worst", isfinite(sum->error) ? json_real(sum->error) : json_null());
    json_object_set_new(made, "allowed", json_real(sum->allowed));
    if (report->random)
        json_object_set_new(made, "case", json_integer(sum->number));
    json_object_set_new(made, "problem", json_string(sum->text));
    return made;
}

static void print_json(const check_report *report) {
    json_t *comparisons = json_array();
    for (int index = 0; index < check_comparisons_count; index++)
        json_array_append_new(comparisons, describe(report, index));
    json_t *all = json_pack("{s:o, s:I, s:s, s:i, s:o}", "seed",
                            report->random ? json_integer((json_int_t)report->seed) : json_null(), "cases",
                            report->cases, "isa", attend_isa_name(attend_ctx_isa(report->ctx)), "threads",
                            attend_ctx_threads(report->ctx), "comparisons", comparisons);
    json_dumpf(all, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(all);
}

static void print_row(const check_report *report, int index) {
    const comparison *way = &check_comparisons[index];
    const tally *sum = &report->tallies[index];
    char worst[16] = "0", allowed[16] = "same bits";
    if (sum->error > 0)
        snprintf(worst, sizeof worst, "%.1e", sum->error);
    if (!way->exact)
        snprintf(allowed, sizeof allowed, "%.1e", sum->allowed);
    if (sum->cases == 0)
        printf("%-9s      0        -          -  %s\n", way->name, way->what);
    else
        printf("%-9s %6lld  %7s  %9s  %s\n", way->name, (long long)sum->cases, worst, allowed, way->what);
    if (report->random && sum->error > 0)
        printf("          case %lld: %s\n", (long long)sum->number, sum->text);
}

static void print_text(const check_report *report) {
    if (report->random)
        printf("random problems: %lld, seed %llu\n", (long long)report->cases, (unsigned long long)report->seed);
    else
        printf("the given problem\n");
    printf("%-9s %6s  %7s  %9s\n", "compared", "cases", "worst", "allowed");
    for (int index = 0; index < check_comparisons_count; index++)
        print_row(report, index);
}

static int complain(const check_report *report, int index) {
    const tally *sum = &report->tallies[index];
    int status = cli_failure("%s: %lld of %lld cases differ by more than allowed, at worst by %.3g (allowed %.3g)",
                             check_comparisons[index].name, (long long)sum->failed, (long long)sum->cases, sum->error,
                             sum->allowed);
    if (report->random)
        cli_hint("attend check --seed %llu --case %lld repeats the worst", (unsigned long long)report->seed,
                 (long long)sum->number);
    return status;
}

int check_report_print(const check_report *report, bool json) {
    int status = CLI_DONE;
    if (json)
        print_json(report);
    else
        print_text(report);
    for (int index = 0; index < check_comparisons_count; index++)
        if (report->tallies[index].failed > 0)
            status = complain(report, index);
    return status;
}
