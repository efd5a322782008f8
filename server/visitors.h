/* visitors.h - who is connected, and for how long. */
#ifndef VISITORS_H
#define VISITORS_H

#include <microhttpd.h>
#include <stdbool.h>

enum { VISITORS_MAX = 64 };

typedef struct visitor {
    struct MHD_Connection *connection; /* NULL: the place is free */
    int socket;
    bool answered;   /* its request is complete */
    double deadline; /* when it must be gone */
} visitor;

typedef struct visitors {
    visitor places[VISITORS_MAX];
} visitors;

/* For MHD_OPTION_NOTIFY_CONNECTION: takes a place, and gives it back. */
void visitors_notice(void *all, struct MHD_Connection *connection, void **place,
                     enum MHD_ConnectionNotificationCode what);
/* The visitor behind a connection; NULL when it was sent away. */
visitor *visitors_find(struct MHD_Connection *connection);
/* Its request is complete: from now on its time to take the answer runs. */
void visitors_answer(visitor *who);
/* One that must be gone by now; NULL when there is none. */
visitor *visitors_late(visitors *all);
/* When every place is taken: who has waited longest without sending a complete request, NULL when all have.  *full
   tells whether every place is taken. */
visitor *visitors_oldest(visitors *all, bool *full);
bool visitors_any(const visitors *all);

#endif
