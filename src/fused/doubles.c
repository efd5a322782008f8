/* doubles.c - the fast path once more, with sums in f64: every part of it, compiled for doubles (kernel/real.h). */
#define AT_DOUBLE

/* NOLINTBEGIN(bugprone-suspicious-include): that is the purpose of this file */
#include "fused/added.c"
#include "fused/block.c"
#include "fused/cells.c"
#include "fused/chosen.c"
#include "fused/decode.c"
#include "fused/forward.c"
#include "fused/heaviest.c"
#include "fused/look_pass.c"
#include "fused/panel.c"
#include "fused/plan.c"
#include "fused/received.c"
/* NOLINTEND(bugprone-suspicious-include) */
