/* worked.h - a worked example: every step from the numbers of an example file to its output, all in double. */
#ifndef WORKED_H
#define WORKED_H

#include "attend/files.h"

/* More numbers than this in one grid are refused: nobody follows them by hand. */
enum { WORKED_NUMBERS_MAX = 1 << 22 };

typedef struct worked_options {
    int causal;    /* 0 or 1; -1: as the file says */
    int has_scale; /* scale replaces the file's */
    double scale;
    const unsigned char *visible; /* (T, T) 0 where a query may not see a key; NULL: nothing is cut */
} worked_options;

/* Letters as in attend.h, T tokens being queries and keys alike; C model width, 0 when q, k, v are given. */
typedef struct worked {
    const attend_example *example; /* borrowed */
    int64_t tokens;                /* T */
    int64_t heads;                 /* H */
    int64_t kv_heads;              /* G */
    int64_t model_width;           /* C */
    int64_t head_width;            /* D */
    int64_t value_width;           /* E */
    int64_t output_width;          /* columns of wo, H*E without it */
    int causal;
    const unsigned char *visible; /* (T, T) borrowed, as in the options */
    int scale_given;              /* 0: scale is 1/sqrt(D) */
    double scale;
    double *placed;      /* (T, C) x with the sines and cosines of the positions added; NULL without x */
    double *projected_q; /* (H, T, D) before rotation; NULL unless positions are rotary */
    double *projected_k; /* (G, T, D) likewise */
    double *q;           /* (H, T, D) */
    double *k;           /* (G, T, D) */
    double *v;           /* (G, T, E) */
    double *compare;     /* (H, T, T) rows are queries, as in the next three */
    double *scaled;      /* (H, T, T) */
    double *masked;      /* (H, T, T) -infinity where hidden */
    double *weights;     /* (H, T, T) */
    double *lse;         /* (H, T) */
    double *mixture;     /* (H, T, E) */
    double *output;      /* (T, output_width) mixtures side by side, times wo when given */
} worked;

/* The example and visible must outlive *result, which is NULL on failure. */
attend_status worked_make(attend_ctx *ctx, const attend_example *example, const worked_options *options,
                          worked **result);
void worked_free(worked *work);

/* What went wrong when worked_make returned status. */
const char *worked_message(const attend_ctx *ctx, attend_status status);

/* What the library is asked. */
attend_problem worked_problem(const worked *work);

/* The key and value head that a query head reads. */
int64_t worked_kv_head(const worked *work, int64_t head);

/* Whether query row may see key column. */
int worked_sees(const worked *work, int64_t row, int64_t column);

#endif
