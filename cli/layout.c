#include "layout.h"

#include <string.h>

static const char canonical[] = "BHTD";

const char *const layout_names[LAYOUTS] = {"BHTD", "BTHD", "HTD", "THD", "TD"};

const char *layout_of_rank(int32_t rank) { return rank < 2 || rank > 4 ? NULL : canonical + (4 - rank); }

attend_in layout_view(const char *layout, const attend_in *stored) {
    attend_in view = *stored;
    view.rank = 4;
    for (int axis = 0; axis < 4; axis++) {
        const char *found = strchr(layout, canonical[axis]);
        view.shape[axis] = found == NULL ? 1 : stored->shape[found - layout];
        view.stride[axis] = found == NULL ? 0 : stored->stride[found - layout];
    }
    return view;
}

void layout_output(const char *layout, attend_dtype dtype, int32_t rank, const int64_t *sizes, attend_out *stored,
                   attend_out *view) {
    int64_t shape[ATTEND_RANK_MAX];
    int32_t stored_rank = (int32_t)strlen(layout) - (4 - rank); /* without D, for rank 3 */
    for (int32_t axis = 0; axis < stored_rank; axis++)
        shape[axis] = sizes[strchr(canonical, layout[axis]) - canonical];
    *stored = attend_out_dense(NULL, dtype, stored_rank, shape);
    *view = *stored;
    view->rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        const char *found = strchr(layout, canonical[axis]);
        view->shape[axis] = sizes[axis];
        view->stride[axis] = found == NULL ? 0 : stored->stride[found - layout];
    }
}
