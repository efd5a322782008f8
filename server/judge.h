/* judge.h - which requests are answered with the page. */
#ifndef JUDGE_H
#define JUDGE_H

#include "answers.h"

/* NULL when the request is to be answered with the page, else why it is not. */
const refusal *judge_request(struct MHD_Connection *connection, int port, const char *method, const char *path,
                             const char *version);

/* Too slow with its request; no place for it. */
extern const refusal judge_late, judge_crowded;

#endif
