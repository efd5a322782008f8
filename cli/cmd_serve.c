/* cmd_serve.c - attend serve: the page for a browser on this machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "cli.h"
#include "embedded_page.h"
#include "example_source.h"
#include "fragment_text.h"
#include "help_serve.h"

enum { USUAL_PORT = 8017, PORT_MAX = 65535, ANY_PORT = 0 };

typedef struct serve_options {
    int64_t port;     /* -1: the usual one, or another when it is taken */
    const char *file; /* an example to begin with; NULL: none */
    bool open, help;
} serve_options;

static int listen_failure(const serve_options *options, int error) {
    if (error != EADDRINUSE)
        return cli_failure("port %d: %s", (int)options->port, strerror(error));
    cli_failure("port %d is in use", (int)options->port);
    cli_hint("--port 0 takes one that is free");
    return CLI_FAILED;
}

static int open_server(const serve_options *options, const server_page *page, server **opened) {
    int error = server_open(page, options->port < 0 ? USUAL_PORT : (int)options->port, opened);
    if (error == EADDRINUSE && options->port < 0)
        error = server_open(page, ANY_PORT, opened);
    return error == 0 ? CLI_DONE : listen_failure(options, error);
}

/* The one line on standard output, at once: scripts wait for it.  When it cannot be written, main says so. */
static int tell_address(const serve_options *options, const char *address) {
    printf("%s\n", address);
    if (fflush(stdout) != 0)
        return CLI_FAILED;
    int error = options->open ? browser_open(address) : 0;
    if (error != 0)
        cli_note("xdg-open: %s; please open the address yourself", strerror(error));
    return CLI_DONE;
}

/* fragment: what the page begins with, "" for what it likes. */
static int tell_and_run(const serve_options *options, server *opened, const char *fragment) {
    size_t room = sizeof "http://127.0.0.1:65535/" + strlen(fragment);
    char *address = malloc(room);
    if (address == NULL)
        return cli_failure("no memory for the address");
    snprintf(address, room, "http://127.0.0.1:%d/%s", server_port(opened), fragment);
    int status = tell_address(options, address);
    free(address);
    int error = status == CLI_DONE ? server_run(opened) : 0;
    return error == 0 ? status : cli_failure("the server stopped: %s", strerror(error));
}

static int serve(const serve_options *options, const char *fragment) {
    server *opened;
    const server_page *page = embedded_page();
    int status = page == NULL ? CLI_FAILED : open_server(options, page, &opened);
    if (status != CLI_DONE)
        return status;
    status = tell_and_run(options, opened, fragment);
    server_close(opened);
    return status;
}

/* The file is read here, once, and goes to the page in its address: the server has no part in it. */
static int read_fragment(const char *file, char **fragment) {
    attend_ctx *ctx = NULL;
    attend_example *example;
    attend_status created = attend_ctx_create(NULL, &ctx);
    if (created != ATTEND_OK)
        return cli_library_error(NULL, created);
    int status = example_load(ctx, NULL, file, &example);
    *fragment = status == CLI_DONE ? fragment_text(example) : NULL;
    if (status == CLI_DONE && *fragment == NULL)
        status = cli_failure("no memory for the address");
    attend_example_close(example);
    attend_ctx_destroy(ctx);
    return status;
}

static int serve_file(const serve_options *options) {
    char *fragment = NULL;
    int status = read_fragment(options->file, &fragment);
    if (status == CLI_DONE)
        status = serve(options, fragment);
    free(fragment);
    return status;
}

static int set_option(serve_options *options, int id, const char *value) {
    switch (id) {
    case OPTION_SERVE_PORT: return cli_parse_int("--port", value, 0, PORT_MAX, &options->port);
    case OPTION_SERVE_OPEN: options->open = true; return CLI_DONE;
    default: options->help = true; return CLI_DONE;
    }
}

int cmd_serve(int argc, char **argv) {
    cli_options reader = {.argc = argc,
                          .argv = argv,
                          .letters = help_serve_short,
                          .table = help_serve_options,
                          .letter = help_serve_letter};
    serve_options options = {.port = -1};
    for (int id; (id = cli_options_next(&reader)) != CLI_OPTIONS_END;)
        if (id == CLI_OPTIONS_WRONG || set_option(&options, id, reader.value) != CLI_DONE)
            return CLI_USAGE;
    if (options.help)
        return cli_help(help_serve_text);
    if (cli_options_rest() + 1 < argc)
        return cli_usage_error("serve takes one file (found \"%s\" after \"%s\")", argv[argc - 1], argv[argc - 2]);
    options.file = argv[cli_options_rest()];
    return options.file == NULL ? serve(&options, "") : serve_file(&options);
}
