/* shared_case.h - the cases of ATTEND_SHARED/data: a folder each, with case.json and npy files (see the README there).
   Each becomes one cmocka test that carries its name. */
#ifndef SHARED_CASE_H
#define SHARED_CASE_H

#include <jansson.h>

#include "random_call.h"

typedef struct shared_case {
    attend_ctx *ctx;
    const char *folder;
    json_t *root; /* case.json */
} shared_case;

typedef void (*shared_check)(const shared_case *with);

/* Runs check on every case of data/<group>, and prints how many ran; without ATTEND_SHARED prints "skipped: <expected>
   cases".  Returns what main returns: 0 when all passed and none of the expected was missing. */
int shared_cases_run(const char *group, size_t expected, shared_check check);

/* Leaves the running case out; it is not counted as run. */
void shared_case_skip(void);

/* ---- case.json ---- */

/* The attribute's value, or otherwise when it is null or absent. */
double shared_number(const shared_case *with, const char *name, double otherwise);
const json_t *shared_attribute(const shared_case *with, const char *name);
/* Whether the case gave it, rather than leaving it at its default. */
bool shared_is_given(const shared_case *with, const char *name);
/* The input or output called name (by "slot" where there is one), NULL when there is none. */
const json_t *shared_entry(const shared_case *with, const char *list, const char *name);
const char *shared_text(const shared_case *with, const char *key);

/* ---- Tensors: copies that test_end frees ---- */

attend_in shared_load(const shared_case *with, const char *file);
/* The input or output called name; data NULL when there is none. */
attend_in shared_tensor(const shared_case *with, const char *list, const char *name);
/* Whole numbers as i32. */
attend_in shared_integers(attend_in tensor);
/* a then b along one axis. */
attend_in shared_concatenate(attend_in a, attend_in b, int32_t axis);
/* (B, T, heads * width) as (B, heads, T, width), which copies nothing. */
attend_in shared_split_heads(attend_in tensor, int64_t heads);
attend_out shared_split_heads_out(attend_out tensor, int64_t heads);

/* ---- Comparing ---- */

/* |got - want| <= atol + rtol |want|, infinities and NaN equal; both in C order.  Tolerances from the entry. */
bool shared_is_close(const json_t *entry, const attend_in *got, const attend_in *want);
void shared_assert_close(const json_t *entry, const attend_in *got, const attend_in *want);

#endif
