/* cli.h - what every verb needs: messages, options, strict numbers, the terminal.
   A verb is int cmd_<verb>(int argc, char **argv): argv[0] is the verb, the result is the exit status.
   The program never calls setlocale, so numbers are read and written with "." whatever the locale. */
#ifndef CLI_H
#define CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "attend/attend.h"

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

#define VERB(name, what) int cmd_##name(int argc, char **argv);
#include "verbs.def"
#undef VERB

/* ==== Messages: one line on standard error, control characters escaped ======================== */

/* "attend: error: ..." for the caller's mistake; returns CLI_USAGE. */
__attribute__((format(printf, 1, 2))) int cli_usage_error(const char *format, ...);
/* "attend: error: ..." when the work could not be done; returns CLI_FAILED. */
__attribute__((format(printf, 1, 2))) int cli_failure(const char *format, ...);
/* What the library said of its last call: CLI_USAGE when the call was wrong, else CLI_FAILED. */
int cli_library_error(const attend_ctx *ctx, attend_status status);
/* "hint: ...", the line after an error that says what to do. */
__attribute__((format(printf, 1, 2))) void cli_hint(const char *format, ...);
/* "attend: note: ..." */
__attribute__((format(printf, 1, 2))) void cli_note(const char *format, ...);

/* Prints text (a verb's --help) on standard output; returns CLI_DONE. */
int cli_help(const char *text);
/* Flushes standard output: CLI_FAILED with a message when not all could be written, else status. */
int cli_finish(int status);

/* Are both names those of one file that is there, links included? */
bool cli_same_file(const char *a, const char *b);

/* ==== Options ================================================================================= */

enum { CLI_OPTIONS_END = -1, CLI_OPTIONS_WRONG = -2 };

typedef struct cli_options {
    int argc;
    char **argv;
    const char *letters;        /* getopt's short options */
    const struct option *table; /* ends with a zero entry */
    int (*letter)(int);         /* short letter -> id */
    const char *value;          /* of the option just read, or NULL */
    uint64_t seen[2];           /* one bit for each entry of the table */
} cli_options;

/* The next option's id; CLI_OPTIONS_END; or CLI_OPTIONS_WRONG after a message.  Names are never abbreviated, and
   none may be given twice.  What is no option follows from argv[cli_options_rest()] on. */
int cli_options_next(cli_options *options);
int cli_options_rest(void);
/* "causal": the name of the option with this id. */
const char *cli_options_name(const cli_options *options, int id);

/* The name nearest to word, NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* ==== Strict numbers: the whole text, no blanks; CLI_DONE, or CLI_USAGE after a message ======= */

/* A whole number from least to most.  option is "--threads" as the user writes it. */
int cli_parse_int(const char *option, const char *text, int64_t least, int64_t most, int64_t *value);
/* A finite number from least to most, as 2, -0.5 or 1e-3.  An infinite bound is no bound. */
int cli_parse_real(const char *option, const char *text, double least, double most, double *value);
/* One of the names, whose index goes to *choice; the message lists them. */
int cli_parse_choice(const char *option, const char *text, const char *const *names, int count, int *choice);

/* ==== The terminal, and time ================================================================== */

/* May this stream be coloured?  Not when NO_COLOR is set, TERM is dumb, or it is no terminal. */
bool cli_color(FILE *stream);
/* Columns of the terminal behind stream: COLUMNS when set, else what the terminal says, else 80. */
int cli_columns(FILE *stream);
/* Draws a bar on standard error, when that is a terminal, for done (0..1) of the work; 1 removes it. */
void cli_progress(const char *what, double done);
/* Seconds since some moment in the past. */
double cli_seconds(void);

#endif
