#include "stage/row.h"

#include "base/size.h"

enum { KEY_BUFFERS = 5 }; /* raw, capped, scores, masked, weights */

bool at_row_size(const at_problem *problem, size_t *size) {
    size_t keys = (size_t)problem->keys, per_key = KEY_BUFFERS * sizeof(double) + sizeof(unsigned char);
    size_t widths, bytes;
    return at_size_mul(keys, per_key, &bytes) &&
           at_size_add((size_t)problem->head_width, (size_t)problem->value_width, &widths) &&
           at_size_mul(widths, sizeof(double), &widths) && at_size_add(bytes, widths, size) &&
           at_size_add(*size, sizeof(double) - *size % sizeof(double), size); /* the next row stays aligned */
}

void at_row_lay_out(const at_problem *problem, void *block, at_row *row) {
    double *next = block;
    row->query = next;
    row->output = row->query + problem->head_width;
    row->raw = row->output + problem->value_width;
    row->capped = row->raw + problem->keys;
    row->scores = row->capped + problem->keys;
    row->masked = row->scores + problem->keys;
    row->weights = row->masked + problem->keys;
    row->seen = (unsigned char *)(row->weights + problem->keys);
}

void at_row_see(const at_problem *problem, at_row *row) {
    for (int64_t j = 0; j < problem->keys; j++)
        row->seen[j] = at_sees(problem, &row->at, j);
}

void at_row_see_all(const at_problem *problem, at_row *row) {
    for (int64_t j = 0; j < problem->keys; j++)
        row->seen[j] = 1;
}
