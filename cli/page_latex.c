/* page_latex.c - the page as a LaTeX document of its own. */
#include "page.h"

#include <string.h>

static void begin(page_output *page) {
    fputs("\\documentclass{article}\n"
          "\\usepackage[utf8]{inputenc}\n"
          "\\usepackage[T1]{fontenc}\n"
          "\\usepackage{amsmath}\n"
          "\\usepackage[margin=2cm]{geometry}\n"
          "\\setlength{\\parindent}{0pt}\n"
          "\\begin{document}\n",
          page->stream);
}

static void end(page_output *page) { fputs("\\end{document}\n", page->stream); }

static const char *escaped(char character) {
    switch (character) {
    case '\\': return "\\textbackslash{}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "\\textquotedbl{}";
    case '-': return "-{}"; /* two in a row would become a dash */
    case '&': return "\\&";
    case '%': return "\\%";
    case '$': return "\\$";
    case '#': return "\\#";
    case '_': return "\\_";
    case '{': return "\\{";
    case '}': return "\\}";
    default: return NULL;
    }
}

static void put_escaped(page_output *page, const char *text) {
    for (; *text != '\0'; text++)
        if (escaped(*text) != NULL)
            fputs(escaped(*text), page->stream);
        else
            fputc(*text, page->stream);
}

static void put_label(page_output *page, const char *text) {
    if (text[0] == '\0')
        return;
    fputs("\\text{", page->stream);
    put_escaped(page, text);
    fputc('}', page->stream);
}

static void heading(page_output *page, int level, const char *text) {
    static const char *const commands[] = {"section", "subsection", "subsubsection"};
    fprintf(page->stream, "\n\\%s*{", commands[level - 1]);
    put_escaped(page, text);
    fputs("}\n", page->stream);
}

static void sentence(page_output *page, const char *text) {
    put_escaped(page, text);
    fputc('\n', page->stream);
}

static void formula(page_output *page, const page_formula *formula) {
    fprintf(page->stream, "\\[ %s \\]\n", formula->latex);
}

/* ---- tables: arrays with the tokens beside and above, blocks parted by lines ------------------ */

static void put_columns(page_output *page, const page_table *table) {
    fputs("\\[\n\\begin{array}{l", page->stream);
    for (int b = 0; b < table->block_count; b++) {
        fputc('|', page->stream);
        for (int64_t column = 0; column < table->blocks[b].columns; column++)
            fputc('r', page->stream);
    }
    fputs("}\n", page->stream);
}

static void put_titles(page_output *page, const page_table *table) {
    for (int b = 0; b < table->block_count; b++) {
        const char *rule = b + 1 < table->block_count ? "|" : "";
        fprintf(page->stream, " & \\multicolumn{%lld}{c%s}{", (long long)table->blocks[b].columns, rule);
        put_label(page, table->blocks[b].title == NULL ? "" : table->blocks[b].title);
        fputc('}', page->stream);
    }
    fputs(" \\\\\n", page->stream);
}

static void put_heads(page_output *page, const page_table *table) {
    char number[NUMBER_TEXT_MAX];
    put_label(page, table->corner == NULL ? "" : table->corner);
    for (int b = 0; b < table->block_count; b++)
        for (int64_t column = 0; column < table->blocks[b].columns; column++) {
            fputs(" & ", page->stream);
            put_label(page, page_label(table->blocks[b].labels, column, number));
        }
    fputs(" \\\\ \\hline\n", page->stream);
}

static void put_cell(page_output *page, const char *cell) {
    const char *exponent = cell == NULL ? NULL : strchr(cell, 'e');
    if (cell == NULL)
        fputs(" & \\text{-}", page->stream);
    else if (strpbrk(cell, "nf") != NULL)
        fprintf(page->stream, " & \\text{%s}", cell);
    else if (exponent != NULL)
        fprintf(page->stream, " & %.*s \\cdot 10^{%s}", (int)(exponent - cell), cell, exponent + 1);
    else
        fprintf(page->stream, " & %s", cell);
}

static void put_row(page_output *page, const page_table *table, int64_t row) {
    char text[NUMBER_TEXT_MAX];
    put_label(page, page_label(table->row_labels, row, text));
    for (int b = 0; b < table->block_count; b++)
        for (int64_t column = 0; column < table->blocks[b].columns; column++)
            put_cell(page, page_cell(&table->blocks[b], row, column, text));
    fputs(" \\\\\n", page->stream);
}

static void table(page_output *page, const page_table *table) {
    put_columns(page, table);
    if (page_table_titled(table))
        put_titles(page, table);
    put_heads(page, table);
    for (int64_t row = 0; row < table->rows; row++)
        put_row(page, table, row);
    fputs("\\end{array}\n\\]\n", page->stream);
}

/* ---- equations ------------------------------------------------------------------------------- */

/* The few words that expressions are made of; all else stands for itself. */
static const struct {
    const char *text, *latex;
} words[] = {{"*", " \\cdot "}, {"exp(", "\\exp("}, {"sqrt(", "\\surd("}};

static void put_expression(page_output *page, const char *text) {
    while (*text != '\0') {
        size_t length = 0;
        for (size_t i = 0; i < sizeof words / sizeof words[0] && length == 0; i++)
            if (strncmp(text, words[i].text, strlen(words[i].text)) == 0) {
                fputs(words[i].latex, page->stream);
                length = strlen(words[i].text);
            }
        if (length == 0)
            fputc(*text, page->stream);
        text += length == 0 ? 1 : length;
    }
}

static void equations(page_output *page, const page_equation *equations, int64_t count, int in_columns) {
    fputs("\\begin{align*}\n", page->stream);
    for (int64_t i = 0; i < count; i++) {
        put_label(page, equations[i].label);
        fputs(in_columns ? "\\colon\\; & " : " & = ", page->stream);
        put_expression(page, equations[i].expression);
        fputs(" = ", page->stream);
        put_expression(page, equations[i].result);
        fputs(i + 1 < count ? " \\\\\n" : "\n", page->stream);
    }
    fputs("\\end{align*}\n", page->stream);
}

const page_writer page_latex_writer = {begin, heading, sentence, formula, table, equations, end};
