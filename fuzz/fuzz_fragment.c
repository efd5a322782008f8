/* Any text as the page's address (cli/fragment.c).  One that is accepted is written again as one that says the same; one
   that is not leaves no example behind, and gets a message, which no text makes anything but a wrong usage. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fragment.h"
#include "fragment_text.h"

static char message[4096]; /* what was said last, "" when nothing was */

static void must(bool holds) {
    if (!holds)
        abort();
}

/* ---- In the place of cli/cli.c: what it would print is kept ---------------------------------- */

int cli_usage_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_failure(const char *format, ...) {
    (void)format;
    abort(); /* there is memory enough here */
}

int cli_library_error(const attend_ctx *ctx, attend_status status) {
    must(status != ATTEND_OK);
    return cli_usage_error("%s", attend_message(ctx));
}

void cli_hint(const char *format, ...) { must(format[0] != 0); }

/* ---- The target ---------------------------------------------------------------------------- */

static attend_ctx *the_context(void) {
    static attend_ctx *ctx;
    attend_config config = attend_config_init();
    config.threads = 1;
    if (ctx == NULL)
        must(attend_ctx_create(&config, &ctx) == ATTEND_OK);
    return ctx;
}

/* What is written is a fixed point: it says everything that was read. */
static void must_survive_writing(const attend_example *example) {
    attend_example *back = NULL;
    int64_t query = 0;
    char *text = fragment_text(example), *again;
    must(text != NULL && fragment_is(text));
    must(fragment_open(the_context(), text, &back, &query) == CLI_DONE && query == -1);
    must(attend_example_tokens(back) == attend_example_tokens(example));
    for (int64_t i = 0; i < attend_example_tokens(back); i++)
        must(strcmp(attend_example_token(back, i), attend_example_token(example, i)) == 0);
    must((again = fragment_text(back)) != NULL && strcmp(text, again) == 0);
    attend_example_close(back);
    free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    attend_example *example = NULL;
    int64_t query = 0;
    char *text = malloc(size + 2);
    must(text != NULL);
    text[0] = '#';
    if (size > 0)
        memcpy(text + 1, data, size);
    text[size + 1] = 0;
    message[0] = 0;
    int status = fragment_open(the_context(), text, &example, &query);
    if (status == CLI_DONE) {
        must(message[0] == 0 && query >= -1 && query < attend_example_tokens(example));
        must_survive_writing(example);
    } else
        must(status == CLI_USAGE && example == NULL && message[0] != 0);
    attend_example_close(example);
    free(text);
    return 0;
}
