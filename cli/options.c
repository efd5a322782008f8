#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { NAMES_MAX = 128, WORD_MAX = 64 };

/* Letters to change, add or remove to make one word of the other (Levenshtein's distance). */
static size_t distance(const char *a, const char *b) {
    size_t row[WORD_MAX + 1], length = strlen(b); /* row[j]: from the part of a read so far to the first j of b */
    if (length > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != 0; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[length];
}

const char *cli_nearest(const char *word, const char *const *names, size_t count) {
    const char *nearest = NULL;
    size_t best = (strlen(word) + 1) / 3; /* more of it wrong is no typing error */
    for (size_t i = 0; i < count; i++) {
        bool starts = strlen(word) >= 2 && strncmp(names[i], word, strlen(word)) == 0;
        size_t apart = starts ? 1 : distance(word, names[i]);
        if (apart <= best && (nearest == NULL || apart < best)) {
            best = apart;
            nearest = names[i];
        }
    }
    return nearest;
}

/* word is the name as given, of length bytes: "--cau=1" has the name "cau". */
static int unknown(const cli_options *options, const char *word, size_t length) {
    char name[WORD_MAX];
    const char *names[NAMES_MAX];
    snprintf(name, sizeof name, "%.*s", length < WORD_MAX ? (int)length : WORD_MAX - 1, word);
    size_t count = 0;
    for (const struct option *entry = options->table; entry->name != NULL && count < NAMES_MAX; entry++)
        names[count++] = entry->name;
    const char *near = cli_nearest(name, names, count);
    if (near != NULL)
        cli_usage_error("unknown option --%s; did you mean --%s?", name, near);
    else
        cli_usage_error("unknown option --%s; attend %s --help lists them", name, options->argv[0]);
    return CLI_OPTIONS_WRONG;
}

/* The argument that getopt has just taken the option from. */
static const char *taken(const cli_options *options) {
    bool apart = optarg != NULL && optarg == options->argv[optind - 1];
    return options->argv[optind - (apart ? 2 : 1)];
}

static int wrong_letter(const cli_options *options) {
    const char *at = strchr(options->letters, optopt);
    if (at != NULL && at[1] == ':')
        cli_usage_error("option -%c needs a value", optopt);
    else
        cli_usage_error("unknown option -%c", optopt);
    return CLI_OPTIONS_WRONG;
}

/* getopt says only that something is wrong: a missing value, a value given to a switch, an unknown name, or an
   abbreviation that fits several. */
static int wrong_name(const cli_options *options, const char *word) {
    size_t length = strcspn(word, "=");
    for (const struct option *entry = options->table; entry->name != NULL; entry++)
        if (strlen(entry->name) == length && strncmp(entry->name, word, length) == 0) {
            cli_usage_error(entry->has_arg == no_argument ? "option --%s takes no value" : "option --%s needs a value",
                            entry->name);
            return CLI_OPTIONS_WRONG;
        }
    return unknown(options, word, length);
}

static int index_of(const cli_options *options, int id) {
    int index = 0;
    while (options->table[index].name != NULL && options->table[index].val != id)
        index++;
    return index;
}

static int once(cli_options *options, int index) {
    uint64_t bit = UINT64_C(1) << (index % 64), *word = &options->seen[index / 64 % 2];
    if (*word & bit) {
        cli_usage_error("option --%s is given twice", options->table[index].name);
        return CLI_OPTIONS_WRONG;
    }
    *word |= bit;
    return options->table[index].val;
}

int cli_options_next(cli_options *options) {
    int index = -1;
    opterr = 0;
    int code = getopt_long(options->argc, options->argv, options->letters, options->table, &index);
    options->value = optarg;
    if (code == -1)
        return CLI_OPTIONS_END;
    if (code == '?' || code == ':')
        return optopt > 0 && optopt < 256 ? wrong_letter(options) : wrong_name(options, options->argv[optind - 1] + 2);
    if (index < 0)
        return once(options, index_of(options, options->letter(code)));
    const char *word = taken(options) + 2;
    size_t length = strcspn(word, "=");
    if (length != strlen(options->table[index].name))
        return unknown(options, word, length);
    return once(options, index);
}

int cli_options_rest(void) { return optind; }

const char *cli_options_name(const cli_options *options, int id) { return options->table[index_of(options, id)].name; }
