/* look_pass.h - the pass that looks: once the shift and the sum of every row are known, its weights are made again, chunk by
   chunk, and tallied.  The output has been written before, or is not wanted at all.

   A weight is 2^(factor * s - M) / l, of the very score that forward.c had.  It depends on its pair and its row alone,
   so keys may be cut anywhere; where weights are summed, the order is said beside the sum.

   Two kinds of tasks, each in a file of its own: chosen rows (chosen.c), and a range of keys over the queries
   (received.c), which makes sums over queries that do not depend on threads.  The sums of the second kind are made beside
   the output, to the same bits, where the plan keeps the scores. */
#ifndef AT_LOOK_PASS_H
#define AT_LOOK_PASS_H

#include "fused/decode.h"

/* Whether taps want what is made in this pass. */
AT_PART bool at_look_wanted(const at_taps *taps, const at_plan *plan);

/* Bytes of the states of all rows. */
AT_PART bool at_look_states_size(const at_problem *problem, size_t *size);

/* Makes the plan of a look, except scratch, and its size. */
AT_PART attend_status at_look_measure(attend_ctx *ctx, const at_fused *call, const at_plan *plan, bool converts,
                                      at_forward_work *look, size_t *bytes);
AT_PART attend_status at_look_run(attend_ctx *ctx, at_forward_work *look);

/* Sets block->final from the states, or from the given log-sum-exp. */
AT_PART void at_look_settle(const at_fused *call, const at_plan *plan, at_block *block);

/* Whether taps want what keys receive from many queries. */
AT_PART bool at_received_wanted(const at_taps *taps);

/* ---- the kinds of tasks: tasks, bytes of a lane, and the task itself ---- */

AT_PART int64_t at_chosen_tasks(const at_problem *problem, const at_taps *taps);
AT_PART bool at_chosen_size(const at_problem *problem, const at_taps *taps, bool converts, size_t *size);
AT_PART void at_chosen_run(void *look, int64_t index, int32_t lane);

AT_PART void at_received_cut(const at_problem *problem, const at_taps *taps, int32_t threads, at_forward_work *look);
AT_PART int64_t at_received_tasks(const at_problem *problem, const at_forward_work *look);
/* A multiple of AT_ALIGNMENT. */
AT_PART bool at_received_size(const at_problem *problem, const at_taps *taps, bool converts,
                              const at_forward_work *work, size_t *size);
AT_PART void at_received_run(void *look, int64_t index, int32_t lane);

/* Beside the output: all keys of a head are one range, and its blocks, which keep their scores, are added in order. */
AT_PART void at_received_begin(const at_forward_work *work, int64_t head, int32_t lane);
AT_PART void at_received_add(const at_forward_work *work, at_block *block, int32_t lane);
AT_PART void at_received_end(const at_forward_work *work, int32_t lane);

#endif
