/* outputs.h - the tensors that a run makes, and the files they go to. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "inputs.h"

typedef enum output_id { OUTPUT_O, OUTPUT_LSE, OUTPUT_WEIGHTS, OUTPUTS } output_id;

/* "o", "lse", "weights": the name of a tensor in a file of many. */
extern const char *const output_names[OUTPUTS];

typedef struct outputs {
    const char *file[OUTPUTS];  /* NULL: not wanted */
    attend_out stored[OUTPUTS]; /* as the file will have it */
    attend_out view[OUTPUTS];   /* o (B, H, Tq, E), lse (B, H, Tq), weights (B, H, Tq, Tk) */
} outputs;

/* Can these files be written?  Asked before anything is computed: no file may be an input, a folder or a device, and
   only a .safetensors file holds several tensors. */
int outputs_check(const request *wish, const outputs *made);
/* Memory for the outputs that are wanted; dtype is that of o.  CLI_DONE, or CLI_FAILED after a message. */
int outputs_allocate(const inputs *given, attend_dtype dtype, outputs *made);
/* Writes the files, each whole or not at all. */
int outputs_write(const inputs *given, const outputs *made);
void outputs_free(outputs *made);

#endif
