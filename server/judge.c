#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "judge.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const refusal judge_late = {"408 Request Timeout", "no complete request within 10 seconds", ""};
const refusal judge_crowded = {"503 Service Unavailable", "too many connections", "Retry-After: 1\r\n"};

static const refusal no_host = {"400 Bad Request", "one Host header is needed", ""};
static const refusal other_host = {"403 Forbidden", "host not allowed: use the address printed at the start", ""};
static const refusal other_origin = {"403 Forbidden", "origin not allowed", ""};
static const refusal other_method = {"405 Method Not Allowed", "method not allowed", "Allow: GET, HEAD\r\n"};
static const refusal two_lengths = {"400 Bad Request", "the length of the body is given twice", ""};
static const refusal has_body = {"413 Content Too Large", "a request has no body here", ""};
static const refusal other_version = {"505 HTTP Version Not Supported", "use HTTP/1.1", ""};
static const refusal not_found = {"404 Not Found", "not found: there is one page, at /", ""};

/* The headers that matter, and how often each is there. */
typedef struct sent {
    const char *host, *origin, *length;
    int hosts, origins, lengths, encodings;
} sent;

static enum MHD_Result take_header(void *to, enum MHD_ValueKind kind, const char *name, const char *value) {
    sent *all = to;
    (void)kind;
    if (strcasecmp(name, "Host") == 0) {
        all->host = value;
        all->hosts++;
    } else if (strcasecmp(name, "Origin") == 0) {
        all->origin = value;
        all->origins++;
    } else if (strcasecmp(name, "Content-Length") == 0) {
        all->length = value;
        all->lengths++;
    } else if (strcasecmp(name, "Transfer-Encoding") == 0)
        all->encodings++;
    return MHD_YES;
}

/* A page of another site that has its own name point to 127.0.0.1 (DNS rebinding) is told apart by the name it asks
   for. */
static bool own_host(const char *host, int port) {
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char own[32];
        snprintf(own, sizeof own, "%s:%d", names[i], port);
        if (strcasecmp(host, own) == 0 || (port == 80 && strcasecmp(host, names[i]) == 0))
            return true;
    }
    return false;
}

static bool own_origin(const char *origin, int port) {
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 && own_host(origin + sizeof scheme - 1, port);
}

static const refusal *judge_source(const sent *all, int port) {
    if (all->hosts != 1 || all->host == NULL)
        return &no_host;
    if (!own_host(all->host, port))
        return &other_host;
    if (all->origins > 1 || (all->origins == 1 && (all->origin == NULL || !own_origin(all->origin, port))))
        return &other_origin;
    return NULL;
}

static const refusal *judge_body(const sent *all) {
    if (all->lengths + all->encodings > 1)
        return &two_lengths;
    if (all->encodings > 0 || (all->lengths > 0 && (all->length == NULL || strcmp(all->length, "0") != 0)))
        return &has_body;
    return NULL;
}

const refusal *judge_request(struct MHD_Connection *connection, int port, const char *method, const char *path,
                             const char *version) {
    sent all = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &all);
    const refusal *why = judge_source(&all, port);
    if (why == NULL && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        why = &other_method;
    if (why == NULL)
        why = judge_body(&all);
    if (why == NULL && strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        why = &other_version;
    if (why == NULL && strcmp(path, "/") != 0)
        why = &not_found;
    return why;
}
