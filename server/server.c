#define _GNU_SOURCE // accept4
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answers.h"
#include "judge.h"
#include "listen.h"
#include "visitors.h"

/* A visitor who was sent away keeps its connection until libmicrohttpd notices: hence twice the places. */
enum { MEMORY_MAX = 32 << 10, CONNECTIONS_MAX = 2 * VISITORS_MAX, SILENCE_SECONDS = 15, LOOK_MILLISECONDS = 200 };

struct server {
    const server_page *page;
    int port;
    int signals; /* from which SIGINT and SIGTERM are read */
    int sockets[LISTEN_SOCKETS];
    struct MHD_Daemon *daemon;
    struct MHD_Response *answer; /* the page */
    visitors present;
};

/* ---- saying no ---------------------------------------------------------------------------------------------- */

/* What does not fit at once into the empty buffer of a socket is dropped with the connection. */
static void refuse(const server *s, int socket, const refusal *why, bool with_text) {
    char text[ANSWERS_REFUSAL_MAX];
    size_t length = answers_refusal(s->page, why, with_text, text);
    send(socket, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* libmicrohttpd sees the end of the connection and closes it. */
static void send_away(const server *s, visitor *who, const refusal *why) {
    if (!who->answered)
        refuse(s, who->socket, why, true);
    shutdown(who->socket, SHUT_RDWR);
    who->connection = NULL;
}

/* ---- requests ----------------------------------------------------------------------------------------------- */

/* A path is compared as it was sent: "%2e" is not ".", and "%00" ends nothing. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    return strlen(text);
}

/* Called when the headers are complete.  A refusal is written here and the connection closed, so that no body is
   waited for. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *body, size_t *body_size, void **request) {
    server *s = context;
    visitor *who = visitors_find(connection);
    (void)body, (void)body_size, (void)request;
    if (who == NULL)
        return MHD_NO;
    const refusal *why = judge_request(connection, s->port, method, path, version);
    if (why != NULL)
        refuse(s, who->socket, why, strcmp(method, "HEAD") != 0);
    visitors_answer(who);
    return why == NULL ? MHD_queue_response(connection, MHD_HTTP_OK, s->answer) : MHD_NO;
}

/* ---- connections -------------------------------------------------------------------------------------------- */

/* Who comes when it is full takes the place of the one that has waited longest without asking for anything. */
static void admit(server *s, int socket) {
    bool full;
    visitor *oldest = visitors_oldest(&s->present, &full);
    if (oldest != NULL)
        send_away(s, oldest, &judge_crowded);
    if (oldest != NULL || !full) {
        MHD_add_connection(s->daemon, socket, NULL, 0);
        return;
    }
    refuse(s, socket, &judge_crowded, true);
    close(socket);
}

static void let_in(server *s, int listening) {
    int socket = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0)
        admit(s, socket);
}

static void send_late_away(server *s) {
    for (visitor *who; (who = visitors_late(&s->present)) != NULL;)
        send_away(s, who, &judge_late);
}

/* How long to wait when nobody writes. */
static struct timeval patience(const server *s) {
    MHD_UNSIGNED_LONG_LONG wait = LOOK_MILLISECONDS;
    if (MHD_get_timeout(s->daemon, &wait) != MHD_YES || wait > LOOK_MILLISECONDS)
        wait = LOOK_MILLISECONDS;
    return (struct timeval){.tv_usec = (suseconds_t)wait * 1000};
}

typedef struct waits {
    fd_set readable, writable, strange;
    int last;
} waits;

static void wait_for(waits *all, int descriptor) {
    if (descriptor < 0)
        return;
    FD_SET(descriptor, &all->readable);
    if (descriptor > all->last)
        all->last = descriptor;
}

/* Waits until there is something to do; *all tells what.  Returns 0, or what errno said. */
static int wait_for_work(server *s, waits *all) {
    FD_ZERO(&all->readable);
    FD_ZERO(&all->writable);
    FD_ZERO(&all->strange);
    all->last = s->signals;
    MHD_get_fdset(s->daemon, &all->readable, &all->writable, &all->strange, &all->last);
    wait_for(all, s->signals);
    for (int i = 0; i < LISTEN_SOCKETS; i++)
        wait_for(all, s->sockets[i]);
    struct timeval wait = patience(s);
    bool forever = !visitors_any(&s->present);
    return select(all->last + 1, &all->readable, &all->writable, &all->strange, forever ? NULL : &wait) < 0 ? errno : 0;
}

int server_run(server *s) {
    waits all;
    for (;;) {
        int error = wait_for_work(s, &all);
        if (error != 0 || FD_ISSET(s->signals, &all.readable))
            return error;
        MHD_run_from_select(s->daemon, &all.readable, &all.writable, &all.strange);
        for (int i = 0; i < LISTEN_SOCKETS; i++)
            if (s->sockets[i] >= 0 && FD_ISSET(s->sockets[i], &all.readable))
                let_in(s, s->sockets[i]);
        send_late_away(s);
    }
}

/* ---- beginning and end -------------------------------------------------------------------------------------- */

static int take_signals(server *s) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN); // who leaves in the middle of an answer
    s->signals = signalfd(-1, &ends, SFD_CLOEXEC);
    return s->signals < 0 ? errno : 0;
}

static int start_daemon(server *s) {
    s->answer = answers_page(s->page);
    s->daemon = MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, answer, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_MAX,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SILENCE_SECONDS, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_NOTIFY_CONNECTION,
        visitors_notice, &s->present, MHD_OPTION_END);
    return s->answer == NULL || s->daemon == NULL ? ENOMEM : 0;
}

int server_open(const server_page *page, int port, server **opened) {
    server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return ENOMEM;
    *s = (server){.page = page, .signals = -1};
    int error = listen_on_loopback(port, s->sockets, &s->port);
    if (error == 0)
        error = take_signals(s);
    if (error == 0)
        error = start_daemon(s);
    if (error != 0)
        server_close(s);
    *opened = error == 0 ? s : NULL;
    return error;
}

int server_port(const server *s) {
    return s->port;
}

void server_close(server *s) {
    if (s->daemon != NULL)
        MHD_stop_daemon(s->daemon);
    if (s->answer != NULL)
        MHD_destroy_response(s->answer);
    if (s->signals >= 0)
        close(s->signals);
    listen_end(s->sockets);
    free(s);
}
