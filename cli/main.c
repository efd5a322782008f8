#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "help_attend.h"

typedef struct verb {
    const char *name;
    const char *what;
    int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
#define VERB(name, what) {#name, what, cmd_##name},
#include "verbs.def"
#undef VERB
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const verb *find_verb(const char *name) {
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static int unknown_verb(const char *name) {
    const char *names[VERBS];
    for (size_t i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;
    const char *near = cli_nearest(name, names, VERBS);
    if (near != NULL)
        return cli_usage_error("unknown command \"%s\"; did you mean \"attend %s\"?", name, near);
    return cli_usage_error("unknown command \"%s\"; attend --help lists them", name);
}

static int run_verb(int argc, char **argv) {
    const verb *chosen = find_verb(argv[0]);
    return chosen == NULL ? unknown_verb(argv[0]) : chosen->run(argc, argv);
}

/* attend help [VERB] is attend [VERB] --help. */
static int help(int argc, char **argv) {
    char option[] = "--help";
    char *call[] = {argv[0], option, NULL};
    return argc == 0 ? cli_help(help_attend_text) : run_verb(2, call);
}

static int version(void) {
    printf("attend %s\n", attend_version_text());
    return CLI_DONE;
}

static int dispatch(int argc, char **argv) {
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return help(0, argv);
    if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0)
        return version();
    if (strcmp(argv[0], "help") == 0)
        return help(argc - 1, argv + 1);
    return run_verb(argc, argv);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs(help_attend_text, stderr);
        return CLI_USAGE;
    }
    return cli_finish(dispatch(argc - 1, argv + 1));
}
