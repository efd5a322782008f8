#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "visitors.h"

#include <stddef.h>
#include <time.h>

static const double request_seconds = 10, answer_seconds = 60;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static visitor *free_place(visitors *all) {
    for (int i = 0; i < VISITORS_MAX; i++)
        if (all->places[i].connection == NULL)
            return &all->places[i];
    return NULL;
}

static visitor *arrive(visitors *all, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    visitor *place = free_place(all);
    if (place != NULL)
        *place = (visitor){connection, info->connect_fd, false, now() + request_seconds};
    return place;
}

void visitors_notice(void *all, struct MHD_Connection *connection, void **place,
                     enum MHD_ConnectionNotificationCode what) {
    visitor *who = *place;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *place = arrive(all, connection);
    else if (who != NULL && who->connection == connection)
        who->connection = NULL;
}

visitor *visitors_find(struct MHD_Connection *connection) {
    visitor *who = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    return who != NULL && who->connection == connection ? who : NULL;
}

void visitors_answer(visitor *who) {
    who->answered = true;
    who->deadline = now() + answer_seconds;
}

visitor *visitors_late(visitors *all) {
    double time = now();
    for (int i = 0; i < VISITORS_MAX; i++)
        if (all->places[i].connection != NULL && all->places[i].deadline <= time)
            return &all->places[i];
    return NULL;
}

visitor *visitors_oldest(visitors *all, bool *full) {
    visitor *oldest = NULL;
    *full = free_place(all) == NULL;
    for (int i = 0; *full && i < VISITORS_MAX; i++)
        if (!all->places[i].answered && (oldest == NULL || all->places[i].deadline < oldest->deadline))
            oldest = &all->places[i];
    return oldest;
}

bool visitors_any(const visitors *all) {
    for (int i = 0; i < VISITORS_MAX; i++)
        if (all->places[i].connection != NULL)
            return true;
    return false;
}
