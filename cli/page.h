/* page.h - a page of headings, sentences, formulas, tables and sums, written as text, markdown or LaTeX.
   trace_page.c and trace_row.c say what stands on the page; page_text.c, page_markdown.c and page_latex.c say how it
   looks. */
#ifndef PAGE_H
#define PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "number_text.h"

/* Some columns of a table, with a title over them. */
typedef struct page_block {
    const char *title;     /* NULL: none */
    char *const *labels;   /* of the columns; NULL: 1, 2, 3, ... */
    const double *numbers; /* (rows, columns) */
    int64_t columns;
    int digits; /* decimals */
    int causal; /* cells right of the diagonal are hidden */
} page_block;

enum { PAGE_BLOCKS_MAX = 8 };

typedef struct page_table {
    const char *corner;      /* over the row labels; NULL: nothing */
    char *const *row_labels; /* NULL: 1, 2, 3, ... */
    int64_t rows;
    int block_count;
    page_block blocks[PAGE_BLOCKS_MAX];
} page_table;

/* "label = expression = result", or "label: expression = result" with results in a column. */
typedef struct page_equation {
    char *label;
    char *expression; /* numbers, + * / ( ), exp and sqrt */
    char *result;
} page_equation;

typedef struct page_formula {
    const char *text;
    const char *latex; /* in math mode */
} page_formula;

typedef struct page_output page_output;

typedef struct page_writer {
    void (*begin)(page_output *page);
    void (*heading)(page_output *page, int level, const char *text); /* 1 the page, 2 a part, 3 a step */
    void (*sentence)(page_output *page, const char *text);
    void (*formula)(page_output *page, const page_formula *formula);
    void (*table)(page_output *page, const page_table *table);
    void (*equations)(page_output *page, const page_equation *equations, int64_t count, int in_columns);
    void (*end)(page_output *page);
} page_writer;

/* What stands last on the page: most parts are set apart by an empty line, sentences run on. */
typedef enum page_part { PAGE_NOTHING, PAGE_TITLE, PAGE_SENTENCE, PAGE_BLOCK } page_part;

struct page_output {
    const page_writer *writer;
    FILE *stream;
    int digits; /* decimals of numbers that are not whole */
    int colour; /* text only */
    int failed; /* there was no memory for some part */
    page_part last;
};

extern const page_writer page_text_writer, page_markdown_writer, page_latex_writer;

/* The formatted text, to be freed; NULL when there is no memory, and then the page has failed. */
__attribute__((format(printf, 2, 3))) char *page_format(page_output *page, const char *format, ...);
__attribute__((format(printf, 3, 4))) void page_heading(page_output *page, int level, const char *format, ...);
__attribute__((format(printf, 2, 3))) void page_say(page_output *page, const char *format, ...);
/* For writers: an empty line when part needs one after what stands last. */
void page_part_begin(page_output *page, page_part part);

void page_table_add(page_table *table, page_block block);
/* Whether any block has a title. */
int page_table_titled(const page_table *table);

/* For writers: label of a row or column (number is room for one that is counted), and text of a cell, NULL when it is
   hidden. */
const char *page_label(char *const *labels, int64_t index, char number[NUMBER_TEXT_MAX]);
const char *page_cell(const page_block *block, int64_t row, int64_t column, char text[NUMBER_TEXT_MAX]);

#endif
