/* The stages around attention against their formulas: embed, place, rotate, project, merge. */
#include "test_support.h"

static const attend_dtype types[] = {ATTEND_F32, ATTEND_F16, ATTEND_BF16, ATTEND_F64};

static attend_dtype any_type(test_random *rng) { return types[random_pick(rng, 0, 3)]; }

/* Random numbers in any layout. */
static attend_in any_tensor(test_random *rng, int32_t rank, const int64_t *shape) {
    attend_out tensor = test_strided(rng, any_type(rng), rank, shape, true);
    int64_t size[4];
    for (int32_t axis = 0; axis < 4; axis++)
        size[axis] = axis < rank ? shape[axis] : 1;
    for (int64_t n = 0; n < size[0] * size[1] * size[2] * size[3]; n++)
        test_set(&tensor, n / (size[1] * size[2] * size[3]), n / (size[2] * size[3]) % size[1], n / size[3] % size[2],
                 n % size[3], 2 * random_real(rng));
    return attend_read(tensor);
}

static void assert_values(attend_out got, const double *want) {
    attend_in view = attend_read(got);
    assert_rounded(&view, want, 1e-13);
}

static void test_embed(void **state) {
    test_random rng = {91};
    for (int n = 0; n < 100; n++) {
        int64_t B = random_pick(&rng, 0, 3), T = random_pick(&rng, 0, 4), N = random_pick(&rng, 1, 5);
        int64_t C = random_pick(&rng, 0, 4);
        const int64_t token_shape[] = {B, T}, table_shape[] = {N, C}, shape[] = {B, T, C};
        attend_out tokens = test_strided(&rng, ATTEND_I32, 2, token_shape, false);
        attend_in table = any_tensor(&rng, 2, table_shape), ids = attend_read(tokens);
        attend_out x = test_strided(&rng, any_type(&rng), 3, shape, false);
        double *want = test_block((size_t)(B * T * C) * sizeof *want);
        for (int64_t t = 0; t < B * T; t++) {
            int64_t token = random_pick(&rng, 0, N - 1);
            test_set(&tokens, t / T, t % T, 0, 0, (double)token);
            for (int64_t c = 0; c < C; c++)
                want[t * C + c] = test_get(&table, token, c, 0, 0);
        }
        assert_works(*state, attend_embed(*state, &ids, &table, &x));
        assert_values(x, want);
    }
}

/* Positions [T] or [B,T]; from -3 up, so that they may be anything. */
static attend_in any_positions(test_random *rng, int64_t B, int64_t T) {
    bool each = random_chance(rng, 50);
    const int64_t one[] = {T}, many[] = {B, T};
    attend_out positions = test_strided(rng, ATTEND_I32, each ? 2 : 1, each ? many : one, false);
    for (int64_t n = 0; n < (each ? B * T : T); n++)
        test_set(&positions, each ? n / T : n, n % T, 0, 0, (double)random_pick(rng, -3, 5000));
    return attend_read(positions);
}

static double position_at(const attend_in *positions, int64_t b, int64_t t) {
    return positions->rank == 1 ? test_get(positions, t, 0, 0, 0) : test_get(positions, b, t, 0, 0);
}

static double angle_of(double base, double width, double position, int64_t pair) {
    return position / pow(base, 2 * (double)pair / width);
}

static void test_add_positions(void **state) {
    test_random rng = {92};
    for (int n = 0; n < 100; n++) {
        int64_t B = random_pick(&rng, 1, 3), T = random_pick(&rng, 1, 4), C = random_pick(&rng, 1, 7);
        int64_t width = random_pick(&rng, 0, C), part = width ? width : C;
        const int64_t shape[] = {B, T, C};
        double base = 10 + 1e4 * fabs(random_real(&rng)), *want = test_block((size_t)(B * T * C) * sizeof *want);
        attend_in x = any_tensor(&rng, 3, shape), positions = any_positions(&rng, B, T);
        attend_out y = test_strided(&rng, any_type(&rng), 3, shape, false);
        for (int64_t m = 0; m < B * T * C; m++) {
            int64_t b = m / (T * C), t = m / C % T, c = m % C;
            double angle = angle_of(base, (double)part, position_at(&positions, b, t), c / 2);
            want[m] = test_get(&x, b, t, c, 0) + (c < part ? (c % 2 ? cos(angle) : sin(angle)) : 0);
        }
        assert_works(*state, attend_place(*state, ATTEND_PLACE_ADD, base, width, &x, &positions, &y));
        attend_in got = attend_read(y);
        assert_rounded(&got, want, 1e-11); /* angles up to 5000: their last bits differ by how the power is taken */
    }
}

/* The table of Vaswani et al. 2017, section 3.5, for four channels. */
static void test_sinusoidal_table(void **state) {
    static const double zeros[12] = {0}, places[] = {0, 1, 2};
    const double want[] = {0, 1, 0, 1, sin(1), cos(1), sin(0.01), cos(0.01), sin(2), cos(2), sin(0.02), cos(0.02)};
    attend_in x = test_tensor_of(ATTEND_F64, 1, 3, 4, -1, zeros), positions = test_list(ATTEND_I32, 3, places);
    attend_out y = test_tensor(ATTEND_F64, 1, 3, 4, -1);
    assert_works(*state, attend_place(*state, ATTEND_PLACE_ADD, 10000, 0, &x, &positions, &y));
    attend_in got = attend_read(y);
    assert_rounded(&got, want, 1e-16);
}

/* Channels that take no part keep their bits. */
static void test_other_channels_are_copied(void **state) {
    const double values[] = {1, -0.0, -0.0, -0.0}, place = 3, table[] = {0.6}, other[] = {0.8};
    attend_in x3 = test_tensor_of(ATTEND_F64, 1, 1, 4, -1, values), positions = test_list(ATTEND_I32, 1, &place);
    attend_in x4 = test_tensor_of(ATTEND_F64, 1, 1, 1, 4, values);
    attend_in cosine = test_tensor_of(ATTEND_F64, 1, 1, -1, -1, table);
    attend_in sine = test_tensor_of(ATTEND_F64, 1, 1, -1, -1, other);
    attend_out y3 = test_tensor(ATTEND_F64, 1, 1, 4, -1), y4 = test_tensor(ATTEND_F64, 1, 1, 1, 4);
    assert_works(*state, attend_place(*state, ATTEND_PLACE_ADD, 1e4, 2, &x3, &positions, &y3));
    assert_memory_equal((const double *)y3.data + 2, values + 2, 2 * sizeof(double));
    assert_works(*state, attend_place(*state, ATTEND_PLACE_ROTATE_HALVES, 1e4, 2, &x4, &positions, &y4));
    assert_memory_equal((const double *)y4.data + 2, values + 2, 2 * sizeof(double));
    assert_works(*state, attend_rotate(*state, ATTEND_PLACE_ROTATE_HALVES, &x4, &cosine, &sine, &y4));
    assert_memory_equal((const double *)y4.data + 2, values + 2, 2 * sizeof(double));
}

/* Channel d of a turned vector: its pair, and the formula of RoFormer, section 3.4.2. */
static double turned(const attend_in *x, attend_place_kind kind, int64_t width, int64_t b, int64_t h, int64_t t,
                     int64_t d, double cosine, double sine) {
    bool halves = kind == ATTEND_PLACE_ROTATE_HALVES;
    bool second = halves ? d >= width / 2 : d % 2 == 1;
    int64_t partner = halves ? (second ? d - width / 2 : d + width / 2) : (second ? d - 1 : d + 1);
    double own = test_get(x, b, h, t, d), other = test_get(x, b, h, t, partner);
    return second ? other * sine + own * cosine : own * cosine - other * sine;
}

static int64_t pair_of(attend_place_kind kind, int64_t width, int64_t d) {
    return kind == ATTEND_PLACE_ROTATE_HALVES ? d % (width / 2) : d / 2;
}

static attend_place_kind any_turn(test_random *rng) {
    return random_chance(rng, 50) ? ATTEND_PLACE_ROTATE_HALVES : ATTEND_PLACE_ROTATE_NEIGHBOURS;
}

static void test_rotate_by_positions(void **state) {
    test_random rng = {93};
    for (int n = 0; n < 200; n++) {
        int64_t B = random_pick(&rng, 1, 2), H = random_pick(&rng, 1, 3), T = random_pick(&rng, 1, 3);
        int64_t D = random_pick(&rng, 2, 9), width = 2 * random_pick(&rng, D % 2, D / 2), part = width ? width : D;
        const int64_t shape[] = {B, H, T, D};
        attend_place_kind kind = any_turn(&rng);
        double base = 10 + 1e4 * fabs(random_real(&rng)), *want = test_block((size_t)(B * H * T * D) * sizeof *want);
        attend_in x = any_tensor(&rng, 4, shape), positions = any_positions(&rng, B, T);
        attend_out y = test_strided(&rng, any_type(&rng), 4, shape, false);
        for (int64_t m = 0; m < B * H * T * D; m++) {
            int64_t b = m / (H * T * D), h = m / (T * D) % H, t = m / D % T, d = m % D;
            want[m] = test_get(&x, b, h, t, d);
            if (d >= part)
                continue;
            double angle = angle_of(base, (double)part, position_at(&positions, b, t), pair_of(kind, part, d));
            want[m] = turned(&x, kind, part, b, h, t, d, cos(angle), sin(angle));
        }
        assert_works(*state, attend_place(*state, kind, base, width, &x, &positions, &y));
        attend_in got = attend_read(y);
        assert_rounded(&got, want, 1e-11);
    }
}

static void test_rotate_by_tables(void **state) {
    test_random rng = {94};
    for (int n = 0; n < 200; n++) {
        int64_t B = random_pick(&rng, 1, 2), H = random_pick(&rng, 1, 3), T = random_pick(&rng, 1, 3);
        int64_t D = random_pick(&rng, 2, 9), pairs = random_pick(&rng, 0, D / 2);
        const int64_t shape[] = {B, H, T, D}, each[] = {B, T, pairs};
        attend_place_kind kind = any_turn(&rng);
        double *want = test_block((size_t)(B * H * T * D) * sizeof *want);
        bool each_cosine = random_chance(&rng, 50), each_sine = random_chance(&rng, 50);
        attend_in x = any_tensor(&rng, 4, shape);
        attend_in cosine = any_tensor(&rng, each_cosine ? 3 : 2, each_cosine ? each : each + 1);
        attend_in sine = any_tensor(&rng, each_sine ? 3 : 2, each_sine ? each : each + 1);
        attend_out y = test_strided(&rng, any_type(&rng), 4, shape, false);
        for (int64_t m = 0; m < B * H * T * D; m++) {
            int64_t b = m / (H * T * D), h = m / (T * D) % H, t = m / D % T, d = m % D;
            want[m] = test_get(&x, b, h, t, d);
            if (d >= 2 * pairs)
                continue;
            int64_t pair = pair_of(kind, 2 * pairs, d);
            double c = each_cosine ? test_get(&cosine, b, t, pair, 0) : test_get(&cosine, t, pair, 0, 0);
            double s = each_sine ? test_get(&sine, b, t, pair, 0) : test_get(&sine, t, pair, 0, 0);
            want[m] = turned(&x, kind, 2 * pairs, b, h, t, d, c, s);
        }
        assert_works(*state, attend_rotate(*state, kind, &x, &cosine, &sine, &y));
        assert_values(y, want);
    }
}

/* Turning query and key by their positions makes scores depend on the distance alone. */
static void test_turned_scores_depend_on_distance(void **state) {
    test_random rng = {95};
    attend_in q = test_random_tensor(&rng, ATTEND_F64, 1, 1, 1, 8);
    attend_in k = test_random_tensor(&rng, ATTEND_F64, 1, 1, 1, 8);
    for (int kind = ATTEND_PLACE_ROTATE_NEIGHBOURS; kind <= ATTEND_PLACE_ROTATE_HALVES; kind++) {
        double first = 0;
        for (int shift = 0; shift < 100; shift += 7) {
            const double q_place = 5 + shift, k_place = 2 + shift;
            attend_in q_places = test_list(ATTEND_I32, 1, &q_place), k_places = test_list(ATTEND_I32, 1, &k_place);
            attend_out q_turned = test_tensor(ATTEND_F64, 1, 1, 1, 8), k_turned = test_tensor(ATTEND_F64, 1, 1, 1, 8);
            double score = 0;
            assert_works(*state, attend_place(*state, (attend_place_kind)kind, 1e4, 0, &q, &q_places, &q_turned));
            assert_works(*state, attend_place(*state, (attend_place_kind)kind, 1e4, 0, &k, &k_places, &k_turned));
            for (int d = 0; d < 8; d++)
                score += ((const double *)q_turned.data)[d] * ((const double *)k_turned.data)[d];
            first = shift == 0 ? score : first;
            assert_close(score, first, 1e-13);
        }
    }
}

static void test_project(void **state) {
    test_random rng = {96};
    for (int n = 0; n < 100; n++) {
        int64_t B = random_pick(&rng, 0, 2), T = random_pick(&rng, 0, 3), C = random_pick(&rng, 0, 4);
        int64_t H = random_pick(&rng, 0, 3), D = random_pick(&rng, 0, 4);
        const int64_t x_shape[] = {B, T, C}, weight_shape[] = {H, D, C}, y_shape[] = {B, H, T, D};
        bool biased = random_chance(&rng, 50);
        attend_in x = any_tensor(&rng, 3, x_shape), weight = any_tensor(&rng, 3, weight_shape);
        attend_in bias = any_tensor(&rng, 2, weight_shape), absent = {.data = NULL};
        attend_out y = test_strided(&rng, any_type(&rng), 4, y_shape, false);
        double *want = test_block((size_t)(B * H * T * D) * sizeof *want);
        for (int64_t m = 0; m < B * H * T * D; m++) {
            int64_t b = m / (H * T * D), h = m / (T * D) % H, t = m / D % T, d = m % D;
            want[m] = biased ? test_get(&bias, h, d, 0, 0) : 0;
            for (int64_t c = 0; c < C; c++)
                want[m] += test_get(&x, b, t, c, 0) * test_get(&weight, h, d, c, 0);
        }
        const attend_in *given = biased ? &bias : random_chance(&rng, 50) ? &absent : NULL;
        assert_works(*state, attend_project(*state, &x, &weight, given, &y));
        assert_values(y, want);
    }
}

static void test_merge(void **state) {
    test_random rng = {97};
    for (int n = 0; n < 100; n++) {
        int64_t B = random_pick(&rng, 0, 2), T = random_pick(&rng, 0, 3), C = random_pick(&rng, 0, 4);
        int64_t H = random_pick(&rng, 0, 3), E = random_pick(&rng, 0, 4);
        const int64_t o_shape[] = {B, H, T, E}, weight_shape[] = {C, H, E}, y_shape[] = {B, T, C};
        bool biased = random_chance(&rng, 50);
        attend_in o = any_tensor(&rng, 4, o_shape), weight = any_tensor(&rng, 3, weight_shape);
        attend_in bias = any_tensor(&rng, 1, weight_shape), absent = {.data = NULL};
        attend_out y = test_strided(&rng, any_type(&rng), 3, y_shape, false);
        double *want = test_block((size_t)(B * T * C) * sizeof *want);
        for (int64_t m = 0; m < B * T * C; m++) {
            int64_t b = m / (T * C), t = m / C % T, c = m % C;
            want[m] = biased ? test_get(&bias, c, 0, 0, 0) : 0;
            for (int64_t part = 0; part < H * E; part++)
                want[m] += test_get(&o, b, part / E, t, part % E) * test_get(&weight, c, part / E, part % E, 0);
        }
        const attend_in *given = biased ? &bias : random_chance(&rng, 50) ? &absent : NULL;
        assert_works(*state, attend_merge(*state, &o, &weight, given, &y));
        assert_values(y, want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_embed),
        TEST(test_add_positions),
        TEST(test_sinusoidal_table),
        TEST(test_other_channels_are_copied),
        TEST(test_rotate_by_positions),
        TEST(test_rotate_by_tables),
        TEST(test_turned_scores_depend_on_distance),
        TEST(test_project),
        TEST(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
