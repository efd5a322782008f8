/* listen.h - sockets that only this machine reaches. */
#ifndef LISTEN_H
#define LISTEN_H

enum { LISTEN_SOCKETS = 2 };

/* Listens on 127.0.0.1 and, where this machine has IPv6, on ::1, both at port; 0: a free one, which goes to *taken.
   A socket that is not there is -1.  Returns 0, or what errno said. */
int listen_on_loopback(int port, int sockets[LISTEN_SOCKETS], int *taken);
void listen_end(int sockets[LISTEN_SOCKETS]);

#endif
