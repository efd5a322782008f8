/* What an example gives must belong together.  Each fault names the line, the key and the two numbers. */
#include <inttypes.h>

#include "base/check.h"
#include "files/example.h"
#include "files/fault.h"

attend_status at_example_fault(const at_example_source *source, attend_status status, at_example_place place,
                               const char *format, ...) {
    at_place where = source->line == NULL
                         ? at_fault_place("%s", source->label.text)
                         : at_fault_place("%s: line %zu", source->label.text, source->line(source, place));
    va_list arguments;
    va_start(arguments, format);
    at_fault(source->ctx, status, where, format, arguments);
    va_end(arguments);
    return status;
}

static bool given(const attend_example *example, at_matrix_kind kind) { return example->matrices[kind].rows > 0; }

/* ---- Which matrices ------------------------------------------------------------------------ */

/* The first of the kinds first..last that is given, or AT_MATRICES. */
static at_matrix_kind first_given(const attend_example *example, at_matrix_kind first, at_matrix_kind last) {
    for (at_matrix_kind kind = first; kind <= last; kind++)
        if (given(example, kind))
            return kind;
    return AT_MATRICES;
}

static attend_status check_all_given(const at_example_source *source, const attend_example *example,
                                     at_matrix_kind first, at_matrix_kind last, const char *together) {
    at_matrix_kind present = first_given(example, first, last);
    for (at_matrix_kind kind = first; kind <= last; kind++)
        if (!given(example, kind))
            return at_example_fault(source, ATTEND_FORMAT, at_key(at_matrix_names[present]),
                                    "%s is given, %s is missing (%s)", at_matrix_names[present], at_matrix_names[kind],
                                    together);
    return ATTEND_OK;
}

static attend_status check_group(const at_example_source *source, const attend_example *example) {
    at_matrix_kind direct = first_given(example, AT_Q, AT_V);
    at_matrix_kind projected = first_given(example, AT_X, AT_WV);
    if (direct == AT_MATRICES && projected == AT_MATRICES)
        return at_example_fault(source, ATTEND_FORMAT, at_key(""), "q, k, v missing (or x, wq, wk, wv)");
    if (direct != AT_MATRICES && projected != AT_MATRICES)
        return at_example_fault(source, ATTEND_FORMAT, at_key(at_matrix_names[projected]),
                                "%s and %s exclude each other: give q, k, v or x, wq, wk, wv",
                                at_matrix_names[projected], at_matrix_names[direct]);
    if (direct != AT_MATRICES)
        return check_all_given(source, example, AT_Q, AT_V, "q, k, v go together");
    return check_all_given(source, example, AT_X, AT_WV, "x, wq, wk, wv go together");
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static attend_status check_rows(const at_example_source *source, const attend_example *example, at_matrix_kind kind,
                                int64_t wanted, const char *what) {
    int64_t rows = example->matrices[kind].rows;
    if (!given(example, kind) || rows == wanted)
        return ATTEND_OK;
    const char *unit = kind < AT_WQ ? "" : wanted == 1 ? " column" : " columns";
    return at_example_fault(source, ATTEND_FORMAT, at_key(at_matrix_names[kind]),
                            "%s has %" PRId64 " row%s, %s has %" PRId64 "%s", at_matrix_names[kind], rows,
                            rows == 1 ? "" : "s", what, wanted, unit);
}

static attend_status check_all_rows(const at_example_source *source, const attend_example *example) {
    for (at_matrix_kind kind = AT_Q; kind <= AT_X; kind++)
        AT_TRY(check_rows(source, example, kind, example->tokens, "tokens"));
    for (at_matrix_kind kind = AT_WQ; kind <= AT_WV; kind++)
        AT_TRY(check_rows(source, example, kind, example->matrices[AT_X].columns, "x"));
    return ATTEND_OK;
}

/* ---- Heads --------------------------------------------------------------------------------- */

/* Width of each of count heads, columns / count. */
static attend_status head_width(const at_example_source *source, const attend_example *example, at_matrix_kind kind,
                                int64_t count, int64_t *width) {
    int64_t columns = example->matrices[kind].columns;
    *width = columns / count;
    if (columns % count == 0)
        return ATTEND_OK;
    bool of_queries = kind == AT_Q || kind == AT_WQ;
    return at_example_fault(source, ATTEND_FORMAT, at_key(at_matrix_names[kind]),
                            "%s has %" PRId64 " column%s, not a multiple of %s %" PRId64, at_matrix_names[kind],
                            columns, columns == 1 ? "" : "s", of_queries ? "heads" : "kv_heads", count);
}

/* Queries and keys are compared number by number; values may have another width, which the output then has. */
static attend_status check_widths(const at_example_source *source, const attend_example *example) {
    bool direct = given(example, AT_Q);
    at_matrix_kind q = direct ? AT_Q : AT_WQ;
    at_matrix_kind k = direct ? AT_K : AT_WK;
    at_matrix_kind v = direct ? AT_V : AT_WV;
    int64_t width = 0;
    int64_t key_width = 0;
    int64_t value_width = 0;
    AT_TRY(head_width(source, example, q, example->heads, &width));
    AT_TRY(head_width(source, example, k, example->kv_heads, &key_width));
    AT_TRY(head_width(source, example, v, example->kv_heads, &value_width));
    if (width != key_width)
        return at_example_fault(source, ATTEND_FORMAT, at_key(at_matrix_names[k]),
                                "%s has head width %" PRId64 ", %s has %" PRId64, at_matrix_names[k], key_width,
                                at_matrix_names[q], width);
    if (example->positions == ATTEND_POSITIONS_ROTARY && width % 2 != 0)
        return at_example_fault(source, ATTEND_FORMAT, at_key("positions"),
                                "rotary positions need an even head width, %s has %" PRId64, at_matrix_names[q], width);
    int64_t merged = example->heads * value_width;
    if (given(example, AT_WO) && example->matrices[AT_WO].rows != merged)
        return at_example_fault(source, ATTEND_FORMAT, at_key("wo"),
                                "wo has %" PRId64 " row%s, heads %" PRId64 " times value width %" PRId64 " is %" PRId64,
                                example->matrices[AT_WO].rows, example->matrices[AT_WO].rows == 1 ? "" : "s",
                                example->heads, value_width, merged);
    return ATTEND_OK;
}

static attend_status check_heads(const at_example_source *source, const attend_example *example) {
    if (example->heads % example->kv_heads == 0)
        return ATTEND_OK;
    return at_example_fault(source, ATTEND_FORMAT, at_key("kv_heads"),
                            "heads %" PRId64 " is not a multiple of kv_heads %" PRId64, example->heads,
                            example->kv_heads);
}

static attend_status check_positions(const at_example_source *source, const attend_example *example) {
    if (example->positions != ATTEND_POSITIONS_SINUSOIDAL)
        return ATTEND_OK;
    if (!given(example, AT_X))
        return at_example_fault(source, ATTEND_FORMAT, at_key("positions"),
                                "sinusoidal positions are added to x, which is not given");
    return ATTEND_OK;
}

attend_status at_example_check(const at_example_source *source, attend_example *example) {
    if (example->heads == 0)
        example->heads = 1;
    if (example->kv_heads == 0)
        example->kv_heads = example->heads;
    if (example->tokens == 0)
        return at_example_fault(source, ATTEND_FORMAT, at_key(""), "tokens missing");
    AT_TRY(check_group(source, example));
    AT_TRY(check_all_rows(source, example));
    AT_TRY(check_heads(source, example));
    AT_TRY(check_positions(source, example));
    return check_widths(source, example);
}
