/* request.h - what the options of a command line ask for: the files, and the problem without its sizes. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>

#include "cli.h"

typedef enum input_id {
    INPUT_Q,
    INPUT_K,
    INPUT_V,
    INPUT_MASK,
    INPUT_BIAS,
    INPUT_SLOPES,
    INPUT_SINKS,
    INPUT_KEY_COUNT,
    INPUT_QUERY_OFFSETS,
    INPUT_QUERY_STARTS,
    INPUT_KEY_STARTS,
    INPUTS
} input_id;

/* "query_offsets": the name of a tensor in a file of many; the option is --query-offsets. */
extern const char *const input_names[INPUTS];

typedef enum alignment { ALIGN_UNSAID, ALIGN_FIRST, ALIGN_LAST, ALIGN_OFFSET } alignment;

typedef struct request {
    const char *file[INPUTS]; /* NULL: no option */
    const char *archive;      /* --in, or NULL   */
    const char *layout;       /* NULL: by rank   */
    alignment align;          /* ALIGN_OFFSET: problem.query_offset */
    attend_problem problem;   /* all but the sizes */
    const char *needs_offset; /* an option whose meaning depends on the alignment, or NULL */
    int32_t threads;          /* 0: all */
    attend_isa isa;
    const char *isa_option;   /* NULL: not given */
    bool fast_only;           /* no other path will do */
    bool without_values;      /* v need not be there */
    attend_executor executor; /* zero: the library's threads */
} request;

request request_init(void);

/* Takes option name (without "--") with its value: CLI_DONE, CLI_USAGE after a message, or REQUEST_OTHER when the
   option is not one of those that describe a problem. */
enum { REQUEST_OTHER = -1 };
int request_take(request *wish, const char *name, const char *value);
enum { REQUEST_DTYPES = 4 };
/* The type that the value of an option names, among these. */
int request_dtype_among(const char *option, const char *value, const attend_dtype types[REQUEST_DTYPES],
                        attend_dtype *dtype);
/* The type that --dtype names. */
int request_dtype(const char *value, attend_dtype *dtype);

#endif
