/* page_text.c - the page for a terminal: aligned columns, hidden cells as "-". */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "text_width.h"

enum { PAGE_WIDTH = 78, MARGIN = 2, COLUMN_GAP = 2, BLOCK_GAP = 4 };

static const char *const hidden_mark = "-";

static void spaces(page_output *page, int count) {
    if (count > 0)
        fprintf(page->stream, "%*s", count, "");
}

static void put_left(page_output *page, const char *text, int width) {
    fputs(text, page->stream);
    spaces(page, width - text_width(text));
}

static void put_right(page_output *page, const char *text, int width) {
    spaces(page, width - text_width(text));
    fputs(text, page->stream);
}

static void style(page_output *page, const char *code) {
    if (page->colour)
        fprintf(page->stream, "\033[%sm", code);
}

static int larger(int a, int b) { return a > b ? a : b; }

/* ---- headings and sentences ------------------------------------------------------------------ */

static void begin(page_output *page) { (void)page; }

static void end(page_output *page) { (void)page; }

static void heading(page_output *page, int level, const char *text) {
    page_part_begin(page, level == 1 ? PAGE_TITLE : PAGE_BLOCK);
    style(page, "1");
    fputs(text, page->stream);
    style(page, "0");
    fputc('\n', page->stream);
    if (level == 3)
        return;
    for (int i = 0; i < text_width(text) && i < PAGE_WIDTH; i++)
        fputc(level == 1 ? '=' : '-', page->stream);
    fputc('\n', page->stream);
}

/* Words, broken into lines of PAGE_WIDTH. */
static void sentence(page_output *page, const char *text) {
    int used = 0;
    page_part_begin(page, PAGE_SENTENCE);
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        int width = text_width(text) - text_width(text + length);
        if (used > 0 && used + 1 + width > PAGE_WIDTH) {
            fputc('\n', page->stream);
            used = 0;
        }
        int gap = used > 0 ? 1 : MARGIN;
        spaces(page, gap);
        fwrite(text, 1, length, page->stream);
        used += gap + width;
        text += length + (text[length] == ' ');
    }
    fputc('\n', page->stream);
}

static void formula(page_output *page, const page_formula *formula) {
    page_part_begin(page, PAGE_BLOCK);
    fprintf(page->stream, "%*s%s\n", 2 * MARGIN, "", formula->text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct text_layout {
    int labels;  /* columns of the terminal that the row labels take */
    int *widths; /* ... and each column of each block */
} text_layout;

static int label_width(const page_table *table) {
    char number[NUMBER_TEXT_MAX];
    int width = table->corner == NULL ? 0 : text_width(table->corner);
    for (int64_t row = 0; row < table->rows; row++)
        width = larger(width, text_width(page_label(table->row_labels, row, number)));
    return width;
}

static int column_width(const page_table *table, const page_block *block, int64_t column) {
    char text[NUMBER_TEXT_MAX];
    int width = text_width(page_label(block->labels, column, text));
    for (int64_t row = 0; row < table->rows; row++) {
        const char *cell = page_cell(block, row, column, text);
        width = larger(width, (int)strlen(cell == NULL ? hidden_mark : cell));
    }
    return width;
}

static int block_width(const page_block *block, const int *widths) {
    int width = 0;
    for (int64_t column = 0; column < block->columns; column++)
        width += widths[column] + (column > 0 ? COLUMN_GAP : 0);
    return width;
}

/* Widths of one block; a title longer than its columns widens the first. */
static void measure_block(const page_table *table, const page_block *block, int *widths) {
    for (int64_t column = 0; column < block->columns; column++)
        widths[column] = column_width(table, block, column);
    int title = block->title == NULL ? 0 : text_width(block->title);
    widths[0] += larger(0, title - block_width(block, widths));
}

static int make_layout(const page_table *table, text_layout *made) {
    int64_t columns = 0;
    for (int b = 0; b < table->block_count; b++)
        columns += table->blocks[b].columns;
    made->labels = label_width(table);
    made->widths = malloc((size_t)columns * sizeof *made->widths);
    int *widths = made->widths;
    for (int b = 0; widths != NULL && b < table->block_count; b++) {
        measure_block(table, &table->blocks[b], widths);
        widths += table->blocks[b].columns;
    }
    return made->widths != NULL;
}

static void put_titles(page_output *page, const page_table *table, const text_layout *layout) {
    if (!page_table_titled(table))
        return;
    const int *widths = layout->widths;
    int pending = MARGIN + layout->labels; /* spaces that a next title would need before it */
    for (int b = 0; b < table->block_count; b++) {
        const page_block *block = &table->blocks[b];
        pending += BLOCK_GAP;
        if (block->title != NULL) {
            spaces(page, pending);
            fputs(block->title, page->stream);
            pending = -text_width(block->title);
        }
        pending += block_width(block, widths);
        widths += block->columns;
    }
    fputc('\n', page->stream);
}

static void put_heads(page_output *page, const page_table *table, const text_layout *layout) {
    char number[NUMBER_TEXT_MAX];
    const int *width = layout->widths;
    spaces(page, MARGIN);
    put_left(page, table->corner == NULL ? "" : table->corner, layout->labels);
    for (int b = 0; b < table->block_count; b++)
        for (int64_t column = 0; column < table->blocks[b].columns; column++) {
            spaces(page, column > 0 ? COLUMN_GAP : BLOCK_GAP);
            put_right(page, page_label(table->blocks[b].labels, column, number), *width++);
        }
    fputc('\n', page->stream);
}

static void put_cell(page_output *page, const char *cell, int width) {
    if (cell != NULL) {
        put_right(page, cell, width);
        return;
    }
    style(page, "2");
    put_right(page, hidden_mark, width);
    style(page, "0");
}

static void put_row(page_output *page, const page_table *table, const text_layout *layout, int64_t row) {
    char text[NUMBER_TEXT_MAX];
    const int *width = layout->widths;
    spaces(page, MARGIN);
    put_left(page, page_label(table->row_labels, row, text), layout->labels);
    for (int b = 0; b < table->block_count; b++)
        for (int64_t column = 0; column < table->blocks[b].columns; column++) {
            spaces(page, column > 0 ? COLUMN_GAP : BLOCK_GAP);
            put_cell(page, page_cell(&table->blocks[b], row, column, text), *width++);
        }
    fputc('\n', page->stream);
}

static void table(page_output *page, const page_table *table) {
    text_layout layout;
    if (!make_layout(table, &layout)) {
        page->failed = 1;
        return;
    }
    page_part_begin(page, PAGE_BLOCK);
    put_titles(page, table, &layout);
    put_heads(page, table, &layout);
    for (int64_t row = 0; row < table->rows; row++)
        put_row(page, table, &layout, row);
    free(layout.widths);
}

/* ---- equations ------------------------------------------------------------------------------- */

static void equations(page_output *page, const page_equation *equations, int64_t count, int in_columns) {
    int label = 0, expression = 0, result = 0;
    for (int64_t i = 0; i < count; i++) {
        label = larger(label, text_width(equations[i].label));
        expression = larger(expression, text_width(equations[i].expression));
        result = larger(result, text_width(equations[i].result));
    }
    page_part_begin(page, PAGE_BLOCK);
    for (int64_t i = 0; i < count; i++) {
        spaces(page, 2 * MARGIN);
        put_right(page, equations[i].label, label);
        fputs(in_columns ? ": " : " = ", page->stream);
        put_right(page, equations[i].expression, in_columns ? expression : 0);
        fputs(" = ", page->stream);
        put_right(page, equations[i].result, in_columns ? result : 0);
        fputc('\n', page->stream);
    }
}

const page_writer page_text_writer = {begin, heading, sentence, formula, table, equations, end};
