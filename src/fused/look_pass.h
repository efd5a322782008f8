/* look_pass.h - the pass that looks: once the shift and the sum of every row are known, its weights are made again, chunk by
   chunk, and tallied.  The output has been written before, or is not wanted at all.

   A weight is 2^(factor * s - M) / l, of the very score that forward.c had.  It depends on its pair and its row alone,
   so keys may be cut anywhere; where weights are summed, the order is said beside the sum.

   Two kinds of tasks, each in a file of its own: chosen rows (chosen.c), and a range of keys over the queries
   (received.c), which makes sums over queries that do not depend on threads. */
#ifndef AT_LOOK_PASS_H
#define AT_LOOK_PASS_H

#include "fused/decode.h"

typedef struct at_look {
    at_forward_work work; /* call, plan, scratch, lane_size; parts_place: of the tallies in a lane */
    int64_t ranges;       /* of keys, and of the grid's columns: received.c */
    int64_t range_keys;   /* the most keys of a range */
} at_look;

/* Whether taps want what is made in this pass. */
AT_PART bool at_look_wanted(const at_taps *taps);

/* Bytes of the states of all rows. */
AT_PART bool at_look_states_size(const at_problem *problem, size_t *size);

/* Makes the plan of a look, except scratch, and its size. */
AT_PART attend_status at_look_measure(attend_ctx *ctx, const at_fused *call, const at_plan *plan, bool converts,
                                      at_look *look, size_t *bytes);
AT_PART attend_status at_look_run(attend_ctx *ctx, at_look *look);

/* What is in a lane beside its bench. */
AT_PART void *at_look_tally(const at_look *look, int32_t lane);

/* Sets block->final from the states, or from the given log-sum-exp. */
AT_PART void at_look_settle(const at_fused *call, const at_plan *plan, at_block *block);

/* ---- the kinds of tasks: tasks, bytes of a lane, and the task itself ---- */

AT_PART int64_t at_chosen_tasks(const at_problem *problem, const at_taps *taps);
AT_PART bool at_chosen_size(const at_problem *problem, const at_taps *taps, bool converts, size_t *size);
AT_PART void at_chosen_run(void *look, int64_t index, int32_t lane);

AT_PART void at_received_cut(const at_problem *problem, const at_taps *taps, int32_t threads, at_look *look);
AT_PART int64_t at_received_tasks(const at_problem *problem, const at_taps *taps, const at_look *look);
AT_PART bool at_received_size(const at_problem *problem, const at_taps *taps, bool converts, const at_look *look,
                              size_t *size);
AT_PART void at_received_run(void *look, int64_t index, int32_t lane);

#endif
