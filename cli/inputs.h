/* inputs.h - the tensors that a request names, read from their files, as one call of attend_forward. */
#ifndef INPUTS_H
#define INPUTS_H

#include "attend/attend.h"
#include "attend/files.h"
#include "request.h"

/* What attend_forward is given, outputs apart. */
typedef struct forward_call {
    attend_problem problem;
    attend_in q; /* (B, H, Tq, D) */
    attend_in k; /* (B, G, Tk, D) */
    attend_in v; /* (B, G, Tk, E) */
    attend_extra extra;
} forward_call;

typedef struct inputs {
    attend_ctx *ctx;
    attend_file *files[INPUTS + 1]; /* the last is the archive */
    const char *source[INPUTS];     /* the file a tensor came from, NULL: not given */
    attend_in stored[INPUTS];       /* as the file has it */
    const char *layout;             /* of q, k, v and the output */
    forward_call call;
    bool offset_matters; /* does anything depend on where the queries stand? */
    int32_t *offsets;    /* (B) or (S) that were worked out here, NULL: none */
} inputs;

/* Opens the files, finds the tensors, and makes the call.  CLI_DONE, or another status after a message; inputs_free
   in any case. */
int inputs_load(const request *wish, inputs *given);
/* The same for q, k and v (B, H or G, T, D or E) that the caller made; other tensors may come from files. */
int inputs_made(const request *wish, const attend_in made[3], inputs *given);
/* A context as the request wants it, and no call. */
int inputs_none(const request *wish, inputs *given);
void inputs_free(inputs *given);

/* The library's message about the call, and below it which file holds what. */
int inputs_error(const inputs *given, attend_status status);

/* "(2, 3, 4)" in text. */
enum { SHAPE_TEXT_MAX = 96 };
const char *inputs_shape_text(const attend_in *tensor, char text[SHAPE_TEXT_MAX]);

#endif
