/* Structs of any age: older and newer callers, and those that forgot the initialiser.  For each of the six structs. */
#include "test_support.h"

#include "base/check.h"

/* One call that takes the struct at `given`, all else being right. */
typedef attend_status (*import_call)(attend_ctx *ctx, const void *given);

static attend_problem small_problem(void) {
    attend_problem problem = attend_problem_init();
    problem.batch = problem.heads = problem.queries = problem.keys = problem.head_width = 1;
    return problem;
}

static attend_status forward(attend_ctx *ctx, const attend_problem *problem, const attend_extra *extra,
                             const attend_taps *taps) {
    const double one = 1;
    attend_in in = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one);
    attend_out o = test_tensor(ATTEND_F64, 1, 1, 1, 1);
    return attend_forward(ctx, problem, &in, &in, &in, extra, &o, taps);
}

static attend_status with_problem(attend_ctx *ctx, const void *given) { return forward(ctx, given, NULL, NULL); }

static attend_status with_extra(attend_ctx *ctx, const void *given) {
    attend_problem problem = small_problem();
    return forward(ctx, &problem, given, NULL);
}

static attend_status with_taps(attend_ctx *ctx, const void *given) {
    attend_problem problem = small_problem();
    return forward(ctx, &problem, NULL, given);
}

static attend_status with_steps(attend_ctx *ctx, const void *given) {
    const double one = 1;
    attend_problem problem = small_problem();
    attend_in in = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one);
    return attend_chain(ctx, &problem, &in, &in, &in, NULL, given);
}

static attend_status with_config(attend_ctx *ctx, const void *given) {
    attend_ctx *made = NULL;
    attend_status status = attend_ctx_create(given, &made);
    assert_int_equal(status == ATTEND_OK, made != NULL);
    attend_ctx_destroy(made);
    (void)ctx;
    return status;
}

static attend_status with_problem_from(attend_ctx *ctx, const void *given) {
    const double one = 1;
    attend_in in = test_tensor_of(ATTEND_F64, 1, 1, 1, 1, &one);
    attend_problem filled[2];
    memcpy(filled, given, sizeof(attend_problem) + 16);
    return attend_problem_from(ctx, &in, &in, &in, filled);
}

typedef struct versioned {
    const char *name;
    size_t size;
    import_call call;
    bool has_message; /* attend_ctx_create has no context to leave one in */
} versioned;

static const versioned structs[] = {
    {"problem", sizeof(attend_problem), with_problem, true},
    {"problem", sizeof(attend_problem), with_problem_from, true},
    {"extra", sizeof(attend_extra), with_extra, true},
    {"taps", sizeof(attend_taps), with_taps, true},
    {"steps", sizeof(attend_steps), with_steps, true},
    {"config", sizeof(attend_config), with_config, false},
};

/* The struct as its initialiser leaves it, with room behind; it claims to be of size bytes. */
static void *make_struct(const versioned *kind, size_t size, size_t room) {
    unsigned char *block = test_block(room);
    attend_problem problem = small_problem();
    uint32_t claimed = (uint32_t)size;
    if (strcmp(kind->name, "problem") == 0)
        memcpy(block, &problem, sizeof problem);
    memcpy(block, &claimed, sizeof claimed);
    return block;
}

static void expect(const versioned *kind, attend_ctx *ctx, const void *given, attend_status want, const char *message) {
    attend_status got = kind->call(ctx, given);
    assert_int_equal(got, want);
    if (kind->has_message)
        assert_string_equal(attend_message(ctx), message);
}

static void test_same_age(void **state) {
    for (size_t n = 0; n < COUNT_OF(structs); n++)
        expect(&structs[n], *state, make_struct(&structs[n], structs[n].size, structs[n].size + 16), ATTEND_OK, "");
}

static void test_newer_caller_with_nothing_new_set(void **state) {
    for (size_t n = 0; n < COUNT_OF(structs); n++)
        expect(&structs[n], *state, make_struct(&structs[n], structs[n].size + 16, structs[n].size + 16), ATTEND_OK,
               "");
}

static void test_newer_caller_with_a_new_option(void **state) {
    for (size_t n = 0; n < COUNT_OF(structs); n++)
        for (size_t byte = structs[n].size; byte < structs[n].size + 16; byte++) {
            char message[200];
            unsigned char *given = make_struct(&structs[n], structs[n].size + 16, structs[n].size + 16);
            given[byte] = 1;
            snprintf(message, sizeof message,
                     "%s has an option at byte %zu that this library (%s, %zu bytes) does not know", structs[n].name,
                     byte, attend_version_text(), structs[n].size);
            expect(&structs[n], *state, given, ATTEND_NEWER, message);
        }
}

/* An older caller's struct ends earlier: what follows it in memory is not read. */
static void test_older_caller(void **state) {
    for (size_t n = 0; n < COUNT_OF(structs); n++) {
        size_t size = strcmp(structs[n].name, "problem") ? 16 : offsetof(attend_problem, ahead);
        unsigned char *given = make_struct(&structs[n], size, structs[n].size + 16);
        memset(given + size, 0xff, structs[n].size + 16 - size);
        expect(&structs[n], *state, given, ATTEND_OK, "");
    }
}

static void test_forgotten_initialiser(void **state) {
    static const uint32_t garbage[] = {0, 1, 4, 7, (1u << 16) + 1, 0xa5a5a5a5u, UINT32_MAX};
    for (size_t n = 0; n < COUNT_OF(structs); n++)
        for (size_t k = 0; k < COUNT_OF(garbage); k++) {
            char message[200];
            unsigned char *given = make_struct(&structs[n], garbage[k], structs[n].size + 16);
            snprintf(message, sizeof message, "%s.struct_size is %u: make the struct with its *_init function",
                     structs[n].name, (unsigned)garbage[k]);
            expect(&structs[n], *state, given, ATTEND_ARGUMENT, message);
        }
}

/* The second word of these structs must be 0; in the configuration it is the last. */
static void test_reserved_fields(void **state) {
    for (size_t n = 2; n < COUNT_OF(structs); n++) {
        char message[200];
        uint32_t one = 1;
        unsigned char *given = make_struct(&structs[n], structs[n].size, structs[n].size + 16);
        size_t place = structs[n].has_message ? 4 : offsetof(attend_config, reserved);
        memcpy(given + place, &one, sizeof one);
        snprintf(message, sizeof message, "%s.reserved is 1: an option that this library (%s) does not know",
                 structs[n].name, attend_version_text());
        expect(&structs[n], *state, given, ATTEND_NEWER, message);
    }
}

/* An older caller cannot receive the sizes in fields that it does not have. */
static void test_problem_too_old_for_its_sizes(void **state) {
    unsigned char *given = make_struct(&structs[0], 16, sizeof(attend_problem) + 16);
    expect(&structs[1], *state, given, ATTEND_ARGUMENT,
           "problem.struct_size is 16, too short for sizes and query_offset");
}

static void test_initialisers(void **state) {
    (void)state;
    attend_problem problem = attend_problem_init();
    attend_extra extra = attend_extra_init();
    attend_taps taps = attend_taps_init();
    attend_steps steps = attend_steps_init();
    attend_config config = attend_config_init();
    const struct {
        const void *given;
        size_t size;
    } all[] = {{&problem, sizeof problem},
               {&extra, sizeof extra},
               {&taps, sizeof taps},
               {&steps, sizeof steps},
               {&config, sizeof config}};
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        uint32_t size;
        memcpy(&size, all[n].given, sizeof size);
        assert_int_equal(size, all[n].size);
        for (size_t byte = sizeof size; byte < all[n].size; byte++)
            assert_int_equal(((const unsigned char *)all[n].given)[byte], 0);
    }
}

static void test_missing_struct_is_a_fresh_one(void **state) {
    struct {
        uint32_t struct_size, reserved;
        double option;
    } ours;
    assert_works(*state, at_import(*state, "extra", NULL, &ours, sizeof ours));
    assert_true(ours.struct_size == 0 && ours.reserved == 0 && ours.option == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_same_age),
        TEST(test_newer_caller_with_nothing_new_set),
        TEST(test_newer_caller_with_a_new_option),
        TEST(test_older_caller),
        TEST(test_forgotten_initialiser),
        TEST(test_reserved_fields),
        TEST(test_problem_too_old_for_its_sizes),
        TEST(test_initialisers),
        TEST(test_missing_struct_is_a_fresh_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
