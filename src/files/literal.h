/* literal.h - the header of an npy file: a Python dictionary, read as text.  Only what numpy writes is
   understood, nothing nests deeper than a tuple in a dictionary, and nothing is evaluated.
   Source: numpy/lib/format.py, "Format Version 1.0". */
#ifndef AT_LITERAL_H
#define AT_LITERAL_H

#include <stdbool.h>

#include "files/directory.h"

typedef struct at_literal {
    const attend_file *file;
    const char *text; /* (length), the header */
    size_t length;
    size_t begin; /* where the header begins in the file */
    size_t at;    /* characters read */
} at_literal;

typedef struct at_npy_header {
    const char *descr; /* (descr_length), points into the text */
    size_t descr_length;
    bool fortran_order;
    int32_t rank;
    int64_t shape[ATTEND_RANK_MAX];
    size_t descr_byte; /* where descr stands in the file, for messages */
} at_npy_header;

attend_status at_literal_header(at_literal *literal, at_npy_header *header);

#endif
