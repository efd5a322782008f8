/* fixture.h - one right call of attend_forward, to be made wrong in one place at a time. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include "test_support.h"

/* All its sizes differ, so that a message shows which one it means. */
enum { FIXTURE_B = 2, FIXTURE_H = 6, FIXTURE_G = 3, FIXTURE_TQ = 4, FIXTURE_TK = 5, FIXTURE_D = 7, FIXTURE_E = 8 };

typedef struct fixture {
    attend_ctx *ctx;
    attend_problem problem;
    attend_extra extra;
    attend_taps taps;
    attend_in q, k, v;
    attend_out o;
    unsigned char *memory, *before; /* (size) all tensors live here; what they held when the fixture was made */
    size_t size, used;
    bool has_problem, has_q, has_k, has_v, has_o; /* false: NULL is passed */
} fixture;

/* A fresh one: f32 tensors, no optional input, no tap. */
fixture fixture_make(attend_ctx *ctx);
/* Tensors in the fixture's memory, f32 or what is said; negative sizes end the shape. */
attend_out fixture_out(fixture *f, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d);
attend_in fixture_in(fixture *f, attend_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d);
attend_in fixture_list(fixture *f, int64_t count, const int32_t *values);

attend_status fixture_forward(const fixture *f);

/* The call fails with status and exactly this text, and no byte of any tensor has changed.  The context is fine
   afterwards. */
void fixture_refuses(const fixture *f, attend_status status, const char *text);
/* The same for a call that has been made. */
void fixture_refused(const fixture *f, attend_status got, attend_status status, const char *text);

/* Makes a fresh fixture f, changes it, and expects the refusal. */
#define REFUSE(change, status, text)       \
    do {                                   \
        fixture f = fixture_make(*state);  \
        change;                            \
        fixture_refuses(&f, status, text); \
    } while (0)

#endif
