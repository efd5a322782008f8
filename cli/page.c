#include "page.h"

#include <stdarg.h>
#include <stdlib.h>

static char *format_text(page_output *page, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    else
        page->failed = 1;
    va_end(again);
    return text;
}

char *page_format(page_output *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(page, format, arguments);
    va_end(arguments);
    return text;
}

void page_heading(page_output *page, int level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(page, format, arguments);
    va_end(arguments);
    if (text != NULL)
        page->writer->heading(page, level, text);
    free(text);
}

void page_say(page_output *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(page, format, arguments);
    va_end(arguments);
    if (text != NULL)
        page->writer->sentence(page, text);
    free(text);
}

void page_part_begin(page_output *page, page_part part) {
    int runs_on = part == PAGE_SENTENCE && (page->last == PAGE_TITLE || page->last == PAGE_SENTENCE);
    if (page->last != PAGE_NOTHING && !runs_on)
        fputc('\n', page->stream);
    page->last = part;
}

void page_table_add(page_table *table, page_block block) { table->blocks[table->block_count++] = block; }

int page_table_titled(const page_table *table) {
    for (int b = 0; b < table->block_count; b++)
        if (table->blocks[b].title != NULL)
            return 1;
    return 0;
}

const char *page_label(char *const *labels, int64_t index, char number[NUMBER_TEXT_MAX]) {
    if (labels != NULL)
        return labels[index];
    snprintf(number, NUMBER_TEXT_MAX, "%lld", (long long)index + 1);
    return number;
}

const char *page_cell(const page_block *block, int64_t row, int64_t column, char text[NUMBER_TEXT_MAX]) {
    if (block->causal && column > row)
        return NULL;
    number_fixed(text, block->numbers[row * block->columns + column], block->digits);
    return text;
}
