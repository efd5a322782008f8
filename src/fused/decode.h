/* decode.h - few rows on many keys: the chunks of a task are computed side by side, kept as parts, and folded in
   order.  The arithmetic is that of forward.c, and so are the bits. */
#ifndef AT_DECODE_H
#define AT_DECODE_H

#include "fused/block.h"

/* One call on its way. */
typedef struct at_forward_work {
    const at_fused *call;
    at_plan plan;
    char *scratch;
    size_t lane_size;   /* of the scratch, for each lane                  */
    size_t tally_place; /* of what a lane has beside its bench            */
    size_t parts_place; /* where the parts begin in the scratch           */
    size_t part_size;   /* numbers of one part: shift, sum, highest, others, distance (rows) each, output (E, rows) */
    int64_t ranges;     /* of the keys of a head, for what they receive (received.c); 0: nothing here */
    int64_t range_keys; /* the most keys of a range                       */
} at_forward_work;

typedef struct at_task {
    int64_t b, g; /* batch row, key head */
    at_span heads, queries;
} at_task;

AT_PART at_task at_task_of(const at_forward_work *work, int64_t index);
/* Begins the blocks of a task; returns how many, and the keys that any of them may see. */
AT_PART int32_t at_task_begin(const at_forward_work *work, at_bench *bench, const at_task *task, at_span *keys);
AT_PART at_bench *at_bench_of(const at_forward_work *work, int32_t lane);
/* What is in a lane beside its bench. */
AT_PART void *at_tally_of(const at_forward_work *work, int32_t lane);

/* Bytes of all parts, none when the plan does not split; sets part_size. False when they do not fit. */
AT_PART bool at_decode_size(at_forward_work *work, size_t *size);

AT_PART attend_status at_decode(attend_ctx *ctx, const at_forward_work *work);

#endif
