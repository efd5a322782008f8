/* problem.h - what one call asks, resolved: defaults filled in, shapes checked, optional inputs broadcast.
   The paths (stage, fused) read this and nothing of the caller's. */
#ifndef AT_PROBLEM_H
#define AT_PROBLEM_H

#include "tensor/arguments.h"
#include "tensor/tensor.h"

typedef struct at_problem {
    uint32_t flags;
    int64_t batch, heads, kv_heads;  /* B, H, G                                   */
    int64_t group;                   /* H / G: query heads that share a key head  */
    int64_t queries, keys;           /* Tq, Tk                                    */
    int64_t head_width, value_width; /* D, E                                      */
    int64_t query_offset, ahead, back;
    bool queries_last;                  /* decode: offsets count from the last key that is really there */
    double scale;                       /* final: never "0 means"                    */
    double softcap;                     /* 0: off                                    */
    int64_t sequences;                  /* S of a packed batch, else B               */
    attend_in mask, bias;               /* (B, H, Tq, Tk), broadcast                 */
    attend_in slopes, sinks;            /* (H)                                       */
    attend_in key_count, query_offsets; /* (S)                                       */
    attend_in query_starts, key_starts; /* (S+1)                                     */
} at_problem;

/* Reads and checks the caller's problem, and its optional inputs (NULL: none). */
attend_status at_problem_import(at_arguments *arguments, const attend_problem *problem, const attend_extra *extra,
                                at_problem *result);

/* Take q, k, v, o and grids as arguments of the shapes that the problem gives them. */
attend_status at_problem_query(at_arguments *arguments, const at_problem *problem, const attend_in *q, attend_in *view);
attend_status at_problem_key(at_arguments *arguments, const at_problem *problem, const attend_in *k, attend_in *view);
attend_status at_problem_value(at_arguments *arguments, const at_problem *problem, const attend_in *v, attend_in *view);
attend_status at_problem_grid_in(at_arguments *arguments, const at_problem *problem, const char *name,
                                 const attend_in *grid, attend_in *view);

/* The outputs that steps and forward share, each missing when its data is NULL. */
attend_status at_problem_grid_out(at_arguments *arguments, const at_problem *problem, const char *name,
                                  const attend_out *grid, attend_out *view);
attend_status at_problem_per_query(at_arguments *arguments, const at_problem *problem, const char *name,
                                   const attend_out *tensor, attend_out *view);
attend_status at_problem_output(at_arguments *arguments, const at_problem *problem, const char *name,
                                const attend_out *o, attend_out *view);

#endif
