/* The colour scale of pictures: order survives grey print, equal steps look equal, numbers can be read on it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../cli/color_scale.c"

enum { STEPS = 200 };

static const color_theme themes[] = {THEME_LIGHT, THEME_DARK};

static void lightness_moves_in_equal_steps(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        double first = color_lightness(color_scale_at(themes[t], 0));
        double last = color_lightness(color_scale_at(themes[t], 1));
        assert_true(fabs(last - first) > 70);
        assert_int_equal(last > first, themes[t] == THEME_DARK);
        for (int i = 0; i <= STEPS; i++) {
            double part = i / (double)STEPS, lightness = color_lightness(color_scale_at(themes[t], part));
            assert_true(fabs(lightness - (first + part * (last - first))) < 0.1);
        }
    }
}

static void ends_are_those_of_the_source(void **state) {
    (void)state;
    color light = color_scale_at(THEME_LIGHT, 0), dark = color_scale_at(THEME_LIGHT, 1);
    assert_int_equal(lround(light.red * 255), 247);
    assert_int_equal(lround(light.green * 255), 251);
    assert_int_equal(lround(light.blue * 255), 255);
    assert_int_equal(lround(dark.red * 255), 8);
    assert_int_equal(lround(dark.green * 255), 48);
    assert_int_equal(lround(dark.blue * 255), 107);
}

static void themes_mirror_each_other(void **state) {
    (void)state;
    for (int i = 0; i <= STEPS; i++) {
        double light = color_lightness(color_scale_at(THEME_LIGHT, i / (double)STEPS));
        double dark = color_lightness(color_scale_at(THEME_DARK, 1 - i / (double)STEPS));
        assert_true(fabs(light - dark) < 1e-9);
    }
}

static void numbers_can_be_read_on_every_color(void **state) {
    (void)state;
    for (int i = 0; i <= STEPS; i++) {
        color ground = color_scale_at(THEME_LIGHT, i / (double)STEPS);
        assert_true(color_contrast(ground, color_ink_on(ground)) >= 4.5); // WCAG 2.1, 1.4.3
    }
}

static void values_off_the_scale_take_its_ends(void **state) {
    (void)state;
    const double outside[] = {-1, -INFINITY, NAN, 1.5, INFINITY};
    const double end[] = {0, 0, 0, 1, 1};
    for (int i = 0; i < 5; i++)
        assert_true(color_scale_at(THEME_LIGHT, outside[i]).red == color_scale_at(THEME_LIGHT, end[i]).red);
}

static void lightness_of_known_colors(void **state) {
    (void)state;
    assert_true(fabs(color_lightness((color){1, 1, 1}) - 100) < 0.01);
    assert_true(fabs(color_lightness((color){0, 0, 0})) < 0.01);
    assert_true(fabs(color_lightness((color){0.5, 0.5, 0.5}) - 53.39) < 0.01);
    assert_true(fabs(color_contrast((color){1, 1, 1}, (color){0, 0, 0}) - 21) < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lightness_moves_in_equal_steps),     cmocka_unit_test(ends_are_those_of_the_source),
        cmocka_unit_test(themes_mirror_each_other),           cmocka_unit_test(numbers_can_be_read_on_every_color),
        cmocka_unit_test(values_off_the_scale_take_its_ends), cmocka_unit_test(lightness_of_known_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
