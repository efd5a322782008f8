#define _POSIX_C_SOURCE 200809L /* stat */

#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MESSAGE_MAX = 4096 };

/* Bytes of the well-formed UTF-8 character at text that a terminal may be shown; 0 for anything else. */
static size_t printable(const unsigned char *text) {
    if (text[0] >= 0x20 && text[0] < 0x7f)
        return 1;
    size_t length = text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] >= 0xf5 || (text[0] == 0xc2 && text[1] < 0xa0))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* File names and words of the caller may hold anything; none of it may drive the terminal. */
static void print_escaped(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at != 0) {
        size_t length = printable(at);
        if (length == 0)
            fprintf(stderr, "\\x%02x", *at++);
        else
            at += fwrite(at, 1, length, stderr);
    }
}

__attribute__((format(printf, 2, 0))) static void print_line(const char *start, const char *format, va_list arguments) {
    char text[MESSAGE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    fputs(start, stderr);
    print_escaped(text);
    fputc('\n', stderr);
}

int cli_usage_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("attend: error: ", format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_failure(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("attend: error: ", format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_library_error(const attend_ctx *ctx, attend_status status) {
    const char *message = ctx == NULL ? attend_status_name(status) : attend_message(ctx);
    return status >= ATTEND_ARGUMENT && status < ATTEND_MEMORY ? cli_usage_error("%s", message)
                                                               : cli_failure("%s", message);
}

void cli_hint(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("hint: ", format, arguments);
    va_end(arguments);
}

void cli_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("attend: note: ", format, arguments);
    va_end(arguments);
}

int cli_help(const char *text) {
    fputs(text, stdout);
    return CLI_DONE;
}

int cli_finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return cli_failure("standard output: %s", strerror(errno));
}

bool cli_same_file(const char *a, const char *b) {
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}
