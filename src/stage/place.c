/* place: tell each token where it stands, by adding sines and cosines to it (Vaswani et al. 2017, section 3.5)
   or by turning its queries and keys (Su et al., "RoFormer", 2021, section 3.4.2). */
#include "base/elementary.h"
#include "stage/views.h"
#include "tensor/tensor.h"

double at_place_angle(double base, int64_t width, int64_t position, int64_t m) {
    return (double)position * at_power(base, -2.0 * (double)m / (double)width);
}

/* positions is (T) or (B,T): one list for all batch rows, or one for each. */
static int64_t position_of(const attend_in *positions, int64_t b, int64_t t) {
    return (int64_t)(positions->rank == 1 ? at_get(positions, t, 0, 0, 0) : at_get(positions, b, t, 0, 0));
}

void at_place_add(double base, int64_t width, const attend_in *x, const attend_in *positions, const attend_out *y) {
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t t = 0; t < x->shape[1]; t++)
            for (int64_t c = 0; c < x->shape[2]; c++) {
                double angle = at_place_angle(base, width, position_of(positions, b, t), c / 2);
                at_circle circle = at_circle_at(angle);
                double wave = c % 2 == 0 ? circle.sine : circle.cosine, token = at_get(x, b, t, c, 0);
                at_set(y, b, t, c, 0, c < width ? token + wave : token);
            }
}

/* The two channels of pair m. */
typedef struct channels {
    int64_t first, second;
} channels;

static channels pair_of(attend_place_kind kind, int64_t width, int64_t m) {
    channels neighbours = {2 * m, 2 * m + 1}, halves = {m, m + width / 2};
    return kind == ATTEND_PLACE_ROTATE_NEIGHBOURS ? neighbours : halves;
}

/* (first, second) -> (first cos - second sin, first sin + second cos) */
static void turn(const attend_in *x, const attend_out *y, int64_t b, int64_t h, int64_t t, channels pair, double cosine,
                 double sine) {
    double first = at_get(x, b, h, t, pair.first), second = at_get(x, b, h, t, pair.second);
    at_set(y, b, h, t, pair.first, first * cosine - second * sine);
    at_set(y, b, h, t, pair.second, first * sine + second * cosine);
}

static void copy_rest(int64_t width, const attend_in *x, const attend_out *y, int64_t b, int64_t h, int64_t t) {
    for (int64_t d = width; d < x->shape[3]; d++)
        at_set(y, b, h, t, d, at_get(x, b, h, t, d));
}

void at_place_rotate(attend_place_kind kind, double base, int64_t width, const attend_in *x, const attend_in *positions,
                     const attend_out *y) {
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t h = 0; h < x->shape[1]; h++)
            for (int64_t t = 0; t < x->shape[2]; t++) {
                for (int64_t m = 0; m < width / 2; m++) {
                    double angle = at_place_angle(base, width, position_of(positions, b, t), m);
                    at_circle circle = at_circle_at(angle);
                    turn(x, y, b, h, t, pair_of(kind, width, m), circle.cosine, circle.sine);
                }
                copy_rest(width, x, y, b, h, t);
            }
}

static double table_entry(const attend_in *table, int64_t b, int64_t t, int64_t m) {
    return table->rank == 2 ? at_get(table, t, m, 0, 0) : at_get(table, b, t, m, 0);
}

void at_rotate(attend_place_kind kind, int64_t width, const attend_in *x, const attend_in *cosine,
               const attend_in *sine, const attend_out *y) {
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t h = 0; h < x->shape[1]; h++)
            for (int64_t t = 0; t < x->shape[2]; t++) {
                for (int64_t m = 0; m < width / 2; m++)
                    turn(x, y, b, h, t, pair_of(kind, width, m), table_entry(cosine, b, t, m),
                         table_entry(sine, b, t, m));
                copy_rest(width, x, y, b, h, t);
            }
}
