/* What a figure decides before anything is drawn: its scale, its cells, its ticks, its format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../cli/figure.c"

static figure with_largest(const double *values) {
    static figure_panel panel;
    panel.values = values;
    return (figure){.tokens = 2, .cells = 2, .panels = &panel, .panel_count = 1};
}

static void scale_ends_at_the_next_round_number(void **state) {
    (void)state;
    const struct {
        double largest, top;
        int steps;
    } cases[] = {{1, 1, 5},       {0.81, 1, 5},   {0.8, 0.8, 4},      {0.7345767, 0.8, 4}, {0.503, 0.6, 3},
                 {0.3, 0.3, 3},   {0.11, 0.2, 4}, {0.1, 0.1, 5},      {0.011, 0.02, 4},    {0.0999, 0.1, 5},
                 {1e-7, 1e-7, 5}, {0, 1, 5},      {0.4000001, 0.5, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[] = {0, cases[i].largest, NAN, cases[i].largest / 3};
        figure f = with_largest(values);
        figure_set_scale(&f, 0);
        assert_true(fabs(f.top - cases[i].top) < 1e-12 * cases[i].top);
        assert_int_equal(f.steps, cases[i].steps);
        assert_false(f.exceeded);
    }
}

static void ceiling_cuts_the_scale_and_the_last_tick_says_so(void **state) {
    (void)state;
    double values[] = {0.1, 0.2, 0.9, 0.3};
    char text[32];
    figure f = with_largest(values);
    figure_set_scale(&f, 0.5);
    assert_true(f.top == 0.5 && f.exceeded);
    assert_int_equal(f.steps, 5);
    figure_tick(&f, f.steps, text, sizeof text);
    assert_string_equal(text, "≥ 0.5");
    figure_tick(&f, 1, text, sizeof text);
    assert_string_equal(text, "0.1");
    assert_true(figure_fraction(&f, 0.25) == 0.5 && figure_fraction(&f, 0.9) == 1);
    figure_set_scale(&f, 0.37);
    assert_true(f.top == 0.37);
    assert_int_equal(f.steps, 2);
}

static void cells_stand_for_equally_many_tokens(void **state) {
    (void)state;
    assert_int_equal(figure_cells(4, 124), 4);
    assert_int_equal(figure_cells(124, 124), 124);
    assert_int_equal(figure_cells(125, 124), 63);
    assert_int_equal(figure_cells(1200, 124), 120);
    assert_int_equal(figure_cells(7, 1), 1);
}

static void note_names_the_tokens_of_a_cell(void **state) {
    (void)state;
    char text[128];
    figure even = {.tokens = 1200, .cells = 120}, uneven = {.tokens = 125, .cells = 63};
    figure_note(&even, text, sizeof text);
    assert_string_equal(text, "each cell: the largest weight of 10 queries and 10 keys");
    figure_note(&uneven, text, sizeof text);
    assert_string_equal(text, "each cell: the largest weight of 1 or 2 queries and as many keys");
}

static void ticks_stand_at_round_positions(void **state) {
    (void)state;
    const struct {
        double least;
        int64_t step;
    } cases[] = {{0.2, 1}, {1, 1}, {1.1, 2}, {3, 5}, {5.5, 10}, {10.5, 20}, {60, 100}, {201, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(figure_tick_step(cases[i].least), cases[i].step);
}

static void ending_of_the_name_tells_the_format(void **state) {
    (void)state;
    figure_format format = FIGURE_SVG;
    assert_true(figure_format_of("a.png", &format));
    assert_int_equal(format, FIGURE_PNG);
    assert_true(figure_format_of("dir.svg/a.b.pdf", &format));
    assert_int_equal(format, FIGURE_PDF);
    assert_false(figure_format_of("a.jpg", &format));
    assert_false(figure_format_of("svg", &format));
    assert_false(figure_format_of("a.SVG", &format));
    assert_false(figure_format_of("a.svg/plain", &format));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_ends_at_the_next_round_number),
        cmocka_unit_test(ceiling_cuts_the_scale_and_the_last_tick_says_so),
        cmocka_unit_test(cells_stand_for_equally_many_tokens),
        cmocka_unit_test(note_names_the_tokens_of_a_cell),
        cmocka_unit_test(ticks_stand_at_round_positions),
        cmocka_unit_test(ending_of_the_name_tells_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
