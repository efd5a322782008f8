#include "answers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* On every answer, besides Content-Security-Policy.  Every connection serves one request: nothing is left over that
   a second one could be smuggled in.  Cross-Origin-*: no other page may frame, load or read this one. */
static const struct {
    const char *name, *value;
} headers[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
};

enum { HEADERS = sizeof headers / sizeof headers[0] };

static enum MHD_Result add_headers(struct MHD_Response *response, const server_page *page) {
    enum MHD_Result added = MHD_add_response_header(response, "Content-Type", "text/html; charset=utf-8");
    added &= MHD_add_response_header(response, "Content-Security-Policy", page->policy);
    for (int i = 0; i < HEADERS; i++)
        added &= MHD_add_response_header(response, headers[i].name, headers[i].value);
    return added;
}

struct MHD_Response *answers_page(const server_page *page) {
    void *text = (void *)(uintptr_t)page->text; // which is only read: it is persistent
    struct MHD_Response *response = MHD_create_response_from_buffer(page->length, text, MHD_RESPMEM_PERSISTENT);
    if (response == NULL || add_headers(response, page) == MHD_YES)
        return response;
    MHD_destroy_response(response);
    return NULL;
}

/* What snprintf returned, or all the room when the text was cut. */
static size_t used(int wanted, size_t room) {
    return (size_t)wanted < room ? (size_t)wanted : room - 1;
}

size_t answers_refusal(const server_page *page, const refusal *why, bool with_text, char text[ANSWERS_REFUSAL_MAX]) {
    const size_t most = ANSWERS_REFUSAL_MAX;
    size_t length = used(snprintf(text, most,
                                  "HTTP/1.1 %s\r\n%sContent-Type: text/plain; charset=utf-8\r\n"
                                  "Content-Length: %zu\r\nContent-Security-Policy: %s\r\n",
                                  why->status, why->header, strlen(why->reason) + 1, page->policy),
                         most);
    for (int i = 0; i < HEADERS; i++)
        length += used(snprintf(text + length, most - length, "%s: %s\r\n", headers[i].name, headers[i].value),
                       most - length);
    const char *reason = with_text ? why->reason : "", *end = with_text ? "\n" : "";
    return length + used(snprintf(text + length, most - length, "\r\n%s%s", reason, end), most - length);
}
