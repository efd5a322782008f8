/* server.h - one page over HTTP, for this machine alone.

   The server says nothing but that page: nothing in a request is a file name, and no file is read.  It runs on one
   thread.  A request has 10 seconds to arrive and its answer 60 to be taken; 64 connections are open at most, of 32
   KiB each.  docs/cli/serve.md says what is refused. */
#ifndef SERVER_H
#define SERVER_H

#include <stddef.h>

typedef struct server_page {
    const char *text; /* HTML in UTF-8; it stays the caller's and must outlive the server */
    size_t length;
    const char *policy; /* its Content-Security-Policy */
} server_page;

typedef struct server server;

/* Listens on 127.0.0.1, and on ::1 where that is there; port 0: a free one.  From here on SIGINT and SIGTERM wait for
   server_run.  Returns 0, or what errno said: EADDRINUSE when the port is taken. */
int server_open(const server_page *page, int port, server **opened);
int server_port(const server *opened);
/* Answers until SIGINT or SIGTERM.  Returns 0, or what errno said. */
int server_run(server *opened);
void server_close(server *opened);

#endif
