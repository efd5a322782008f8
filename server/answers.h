/* answers.h - all that the server ever says: the page, and why a request is refused. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "server.h"

/* Why a request is refused. */
typedef struct refusal {
    const char *status; /* "403 Forbidden" */
    const char *reason; /* the text of the answer: never a word of the request */
    const char *header; /* one more, or "" */
} refusal;

enum { ANSWERS_REFUSAL_MAX = 2048 };

/* The answer that holds the page, NULL when there is no memory; MHD_destroy_response frees it. */
struct MHD_Response *answers_page(const server_page *page);
/* The whole answer that refuses, headers included; without the text when HEAD was asked.  Returns its length. */
size_t answers_refusal(const server_page *page, const refusal *why, bool with_text, char text[ANSWERS_REFUSAL_MAX]);

#endif
