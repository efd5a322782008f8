#include "example_source.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "examples_embedded.h"
#include "worked.h"

enum { EMBEDDED_COUNT = sizeof embedded_examples / sizeof embedded_examples[0] };

static const embedded_example *find(const char *name) {
    for (size_t i = 0; i < EMBEDDED_COUNT; i++)
        if (strcmp(embedded_examples[i].name, name) == 0)
            return &embedded_examples[i];
    return NULL;
}

static int unknown_example(const char *name) {
    char names[256] = "";
    for (size_t i = 0; i < EMBEDDED_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", embedded_examples[i].name);
    }
    return cli_usage_error("--example: there is no example \"%s\"; there are: %s", name, names);
}

static attend_status open_source(attend_ctx *ctx, const embedded_example *embedded, const char *path,
                                 attend_example **example) {
    if (embedded == NULL)
        return attend_example_open(ctx, path, example);
    return attend_example_parse(ctx, embedded->name, embedded->text, strlen(embedded->text), example);
}

int example_load(attend_ctx *ctx, const char *name, const char *path, attend_example **example) {
    *example = NULL;
    const embedded_example *embedded = name == NULL ? NULL : find(name);
    if (name != NULL && embedded == NULL)
        return unknown_example(name);
    attend_status status = open_source(ctx, embedded, path, example);
    if (status != ATTEND_OK)
        return cli_library_error(ctx, status);
    return 0;
}

int example_failure(const attend_ctx *ctx, attend_status status) {
    const char *message = worked_message(ctx, status);
    return status == ATTEND_TOO_LARGE ? cli_usage_error("%s", message) : cli_failure("%s", message);
}
