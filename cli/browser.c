#define _POSIX_C_SOURCE 200809L // posix_spawn
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

/* What this process does with signals must not be handed down: only what it ignores and blocks is. */
static void reset_signals(posix_spawnattr_t *attributes) {
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGCHLD);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &ignored);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* No shell comes near the address. */
int browser_open(const char *address) {
    char program[] = "xdg-open";
    char *const words[] = {program, (char *)address, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t child;
    signal(SIGCHLD, SIG_IGN); // nobody waits for it: the system forgets it when it ends
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO); // a browser is noisy, and outlives us
    posix_spawnattr_init(&attributes);
    reset_signals(&attributes);
    int error = posix_spawnp(&child, program, &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}
