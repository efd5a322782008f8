#define _POSIX_C_SOURCE 200809L
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, FREE_PORT_TRIES = 16 };

static int bind_and_listen(int listening, const struct sockaddr *address, socklen_t length) {
    int yes = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); // the port of a server that has just ended
    if (address->sa_family == AF_INET6)
        setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    return bind(listening, address, length) == 0 && listen(listening, BACKLOG) == 0 ? 0 : errno;
}

static int listen_at(const struct sockaddr *address, socklen_t length, int *listening) {
    *listening = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*listening < 0)
        return errno;
    int error = bind_and_listen(*listening, address, length);
    if (error != 0) {
        close(*listening);
        *listening = -1;
    }
    return error;
}

static int listen_v4(int port, int *listening, int *taken) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int error = listen_at((struct sockaddr *)&address, length, listening);
    if (error != 0)
        return error;
    getsockname(*listening, (struct sockaddr *)&address, &length);
    *taken = ntohs(address.sin_port);
    return 0;
}

/* No IPv6 on this machine is no error. */
static int listen_v6(int port, int *listening) {
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int error = listen_at((struct sockaddr *)&address, sizeof address, listening);
    return error == EAFNOSUPPORT || error == EADDRNOTAVAIL ? 0 : error;
}

int listen_on_loopback(int port, int sockets[LISTEN_SOCKETS], int *taken) {
    int error = EADDRINUSE;
    for (int tries = port == 0 ? FREE_PORT_TRIES : 1; tries > 0 && error == EADDRINUSE; tries--) {
        sockets[0] = sockets[1] = -1;
        error = listen_v4(port, &sockets[0], taken);
        if (error == 0)
            error = listen_v6(*taken, &sockets[1]);
        if (error != 0)
            listen_end(sockets);
    }
    return error;
}

void listen_end(int sockets[LISTEN_SOCKETS]) {
    for (int i = 0; i < LISTEN_SOCKETS; i++) {
        if (sockets[i] >= 0)
            close(sockets[i]);
        sockets[i] = -1;
    }
}
