/* cmd_page.c - attend page: the page as one file. */
#include <string.h>

#include "cli.h"
#include "embedded_page.h"
#include "help_page.h"
#include "whole_file.h"

static int write_page(const char *path) {
    const server_page *page = embedded_page();
    if (page == NULL)
        return CLI_FAILED;
    int error = whole_file_write(path, page->text, page->length);
    return error == 0 ? CLI_DONE : cli_failure("%s: %s", path, strerror(error));
}

int cmd_page(int argc, char **argv) {
    cli_options options = {
        .argc = argc, .argv = argv, .letters = help_page_short, .table = help_page_options, .letter = help_page_letter};
    const char *path = NULL;
    for (int id; (id = cli_options_next(&options)) != CLI_OPTIONS_END;) {
        if (id == OPTION_PAGE_HELP)
            return cli_help(help_page_text);
        if (id == CLI_OPTIONS_WRONG)
            return CLI_USAGE;
        path = options.value;
    }
    if (cli_options_rest() < argc)
        return cli_usage_error("page takes no argument (found \"%s\"): the file is given with -o",
                               argv[cli_options_rest()]);
    if (path == NULL || *path == 0)
        return cli_usage_error("page needs -o FILE, the file to write");
    return write_page(path);
}
