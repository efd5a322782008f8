/* page_markdown.c - the page in markdown with tables (GitHub's kind). */
#include "page.h"

#include <string.h>

static void begin(page_output *page) { (void)page; }

static void end(page_output *page) { (void)page; }

/* Tokens come from a file and may hold whatever markdown or HTML would obey. */
static void put_escaped(page_output *page, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_{}[]<>#|~&$", *text) != NULL)
            fputc('\\', page->stream);
        fputc(*text, page->stream);
    }
}

static void heading(page_output *page, int level, const char *text) {
    page_part_begin(page, PAGE_BLOCK);
    fprintf(page->stream, "%.*s ", level, "###");
    put_escaped(page, text);
    fputc('\n', page->stream);
}

static void sentence(page_output *page, const char *text) {
    page_part_begin(page, PAGE_SENTENCE);
    put_escaped(page, text);
    fputc('\n', page->stream);
}

static void formula(page_output *page, const page_formula *formula) {
    page_part_begin(page, PAGE_BLOCK);
    fprintf(page->stream, "    %s\n", formula->text);
}

/* ---- tables: an empty column between two blocks, as markdown has no other way to part them ---- */

static void put_titles(page_output *page, const page_table *table) {
    fputs("| |", page->stream);
    for (int b = 0; b < table->block_count; b++) {
        const page_block *block = &table->blocks[b];
        fputs(b > 0 ? " | |" : "", page->stream);
        fputc(' ', page->stream);
        put_escaped(page, block->title == NULL ? "" : block->title);
        for (int64_t column = 0; column < block->columns; column++)
            fputs(column > 0 ? " |" : "", page->stream);
    }
    fputs(" |\n", page->stream);
}

static void put_heads(page_output *page, const page_table *table) {
    char number[NUMBER_TEXT_MAX];
    fputs("| ", page->stream);
    put_escaped(page, table->corner == NULL ? "" : table->corner);
    for (int b = 0; b < table->block_count; b++) {
        fputs(b > 0 ? " |" : "", page->stream);
        for (int64_t column = 0; column < table->blocks[b].columns; column++) {
            fputs(" | ", page->stream);
            put_escaped(page, page_label(table->blocks[b].labels, column, number));
        }
    }
    fputs(" |\n", page->stream);
}

static void put_rule(page_output *page, const page_table *table) {
    fputs("|:--", page->stream);
    for (int b = 0; b < table->block_count; b++) {
        fputs(b > 0 ? "|---" : "", page->stream);
        for (int64_t column = 0; column < table->blocks[b].columns; column++)
            fputs("|--:", page->stream);
    }
    fputs("|\n", page->stream);
}

static void put_row(page_output *page, const page_table *table, int64_t row) {
    char text[NUMBER_TEXT_MAX];
    fputs("| ", page->stream);
    put_escaped(page, page_label(table->row_labels, row, text));
    for (int b = 0; b < table->block_count; b++) {
        fputs(b > 0 ? " |" : "", page->stream);
        for (int64_t column = 0; column < table->blocks[b].columns; column++) {
            const char *cell = page_cell(&table->blocks[b], row, column, text);
            fprintf(page->stream, " | %s", cell == NULL ? "-" : cell);
        }
    }
    fputs(" |\n", page->stream);
}

static void table(page_output *page, const page_table *table) {
    page_part_begin(page, PAGE_BLOCK);
    if (page_table_titled(table)) {
        put_titles(page, table);
        put_rule(page, table);
        put_heads(page, table);
    } else {
        put_heads(page, table);
        put_rule(page, table);
    }
    for (int64_t row = 0; row < table->rows; row++)
        put_row(page, table, row);
}

/* Indented by four: a block of code, in which nothing needs to be escaped. */
static void equations(page_output *page, const page_equation *equations, int64_t count, int in_columns) {
    page_part_begin(page, PAGE_BLOCK);
    for (int64_t i = 0; i < count; i++)
        fprintf(page->stream, "    %s%s%s = %s\n", equations[i].label, in_columns ? ": " : " = ",
                equations[i].expression, equations[i].result);
}

const page_writer page_markdown_writer = {begin, heading, sentence, formula, table, equations, end};
