/* trace.h - the parts of `attend trace`: the page of all steps, the story of one row, and JSON. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

#include "page.h"
#include "trace_facts.h"
#include "worked.h"

enum { TRACE_WORKS_MAX = 2 };

/* One example, worked out once or, with --compare-causal, twice: full and causal. */
typedef struct trace_view {
    int count;
    worked *works[TRACE_WORKS_MAX];
    trace_facts *facts[TRACE_WORKS_MAX];
    char **labels; /* T texts: the tokens */
    int64_t row;   /* whose story is told; -1: the whole page */
} trace_view;

void trace_page(page_output *page, const trace_view *view);
void trace_row(page_output *page, const trace_view *view);
/* 1 when not all could be written, else 0. */
int trace_json(FILE *stream, const trace_view *view);

/* Shared by page and row. Why exponentials are shifted. */
extern const char *const trace_shift_reason;
/* What raw scores are divided by or multiplied with, "/ sqrt(2)" or "* 0.5". */
void trace_scale_text(const worked *work, char text[NUMBER_TEXT_MAX]);

#endif
