/* mask: S[j] = -infinity where the rule hides key j.  It selects and never adds: whatever a hidden score
   holds, NaN included, is gone. */
#include "stage/row.h"

void at_mask_row(const at_problem *problem, at_row *row) {
    for (int64_t j = 0; j < problem->keys; j++)
        row->masked[j] = row->seen[j] ? row->scores[j] : -INFINITY;
}
