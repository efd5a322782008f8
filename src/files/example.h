/* example.h - a worked example and the text it came from. */
#ifndef AT_EXAMPLE_H
#define AT_EXAMPLE_H

#include <stdbool.h>

#include "attend/files.h"
#include "base/text.h"

enum { AT_EXAMPLE_BYTES_MAX = 16 << 20, AT_EXAMPLE_HEADS_MAX = 65536 };

/* The matrices that an example may give, and their names in the file. */
typedef enum at_matrix_kind { AT_Q, AT_K, AT_V, AT_X, AT_WQ, AT_WK, AT_WV, AT_WO, AT_MATRICES } at_matrix_kind;
extern const char *const at_matrix_names[AT_MATRICES];

typedef struct at_matrix {
    int64_t rows; /* 0: not given */
    int64_t columns;
    double *numbers; /* (rows, columns) */
} at_matrix;

struct attend_example {
    attend_ctx *ctx;
    int64_t tokens;     /* T */
    const char **token; /* (T), each points into text */
    char *text;         /* (text_size), the tokens one after another with their terminating zeros */
    size_t text_size;
    int64_t heads;
    int64_t kv_heads;
    attend_positions positions;
    bool causal;
    bool has_scale;
    double scale;
    at_matrix matrices[AT_MATRICES];
};

/* A key, or an element of its value: elements holds depth places counted from 0. */
typedef struct at_example_place {
    const char *key;
    int depth;
    size_t elements[2];
} at_example_place;

/* Where an example comes from: a text, as JSON that jansson found valid, or numbers in memory. */
typedef struct at_example_source {
    attend_ctx *ctx;
    at_printable label;
    const char *text; /* (length); NULL: numbers in memory, as is all below */
    size_t length;
    struct json_t *root;
    /* The line of a place, or 1 when the text has no such key. */
    size_t (*line)(const struct at_example_source *source, at_example_place place);
} at_example_source;

static inline at_example_place at_key(const char *key) {
    at_example_place place = {key, 0, {0, 0}};
    return place;
}

/* "LABEL: line N: what", N being the line of a place; for numbers in memory "LABEL: what". */
__attribute__((format(printf, 4, 5))) attend_status at_example_fault(const at_example_source *source,
                                                                     attend_status status, at_example_place place,
                                                                     const char *format, ...);

/* Every key of the text has a known name and a value of its type: fills in the example, which was zeroed. */
attend_status at_example_read(const at_example_source *source, attend_example *example);
size_t at_example_line(const at_example_source *source, at_example_place place);
/* What was not given gets its default, and all belongs together: the shapes, the heads, the positions. */
attend_status at_example_check(const at_example_source *source, attend_example *example);

/* A zeroed example that belongs to ctx, for the caller to fill in and to close when that fails. */
attend_status at_example_allocate(attend_ctx *ctx, attend_example **example);
/* Room for a matrix of rows x columns numbers. */
attend_status at_example_matrix(const at_example_source *source, attend_example *example, at_matrix_kind kind,
                                size_t rows, size_t columns);
/* Room for count tokens of text_size bytes in all, their terminating zeros included. */
attend_status at_example_tokens(const at_example_source *source, attend_example *example, size_t count,
                                size_t text_size);

#endif
