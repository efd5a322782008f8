#define _POSIX_C_SOURCE 200809L // open_memstream
#include "fragment_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_token(FILE *to, const char *text) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++)
        fprintf(to, strchr(plain, *at) != NULL ? "%c" : "%%%02X", *at);
}

/* The shortest decimals that give the same double back. */
static void put_number(FILE *to, double value) {
    char text[32];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, to);
}

/* Nothing when the example does not give it. */
static void put_matrix(FILE *to, const attend_example *example, const char *name) {
    attend_in matrix = attend_example_matrix(example, name); // (rows, columns)
    const double *numbers = matrix.data;
    if (numbers == NULL)
        return;
    fprintf(to, "&%s=", name);
    for (int64_t row = 0; row < matrix.shape[0]; row++)
        for (int64_t column = 0; column < matrix.shape[1]; column++) {
            fputs(column > 0 ? "," : row > 0 ? ";" : "", to);
            put_number(to, numbers[row * matrix.shape[1] + column]);
        }
}

static void put_options(FILE *to, const attend_example *example) {
    static const char *const positions[] = {[ATTEND_POSITIONS_NONE] = "none",
                                            [ATTEND_POSITIONS_SINUSOIDAL] = "sinusoidal",
                                            [ATTEND_POSITIONS_ROTARY] = "rotary"};
    double scale;
    fprintf(to, "&heads=%" PRId64 "&kv_heads=%" PRId64 "&positions=%s&causal=%d", attend_example_heads(example),
            attend_example_kv_heads(example), positions[attend_example_positions(example)],
            attend_example_causal(example));
    if (!attend_example_scale(example, &scale))
        return;
    fputs("&scale=", to);
    put_number(to, scale);
}

char *fragment_text(const attend_example *example) {
    static const char *const matrices[] = {"q", "k", "v", "x", "wq", "wk", "wv", "wo"};
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    for (int64_t i = 0; i < attend_example_tokens(example); i++) {
        fputs(i == 0 ? "#tokens=" : ",", to);
        put_token(to, attend_example_token(example, i));
    }
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        put_matrix(to, example, matrices[i]);
    put_options(to, example);
    int failed = ferror(to);
    failed |= fclose(to);
    if (!failed)
        return text;
    free(text);
    return NULL;
}
