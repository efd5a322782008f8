/* Worked examples: made of numbers in memory, and what is in one. */
#include "files/example.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/size.h"
#include "files/fault.h"
#include "tensor/tensor.h"

const char *const at_matrix_names[AT_MATRICES] = {"q", "k", "v", "x", "wq", "wk", "wv", "wo"};

/* ---- Room ----------------------------------------------------------------------------------- */

attend_status at_example_allocate(attend_ctx *ctx, attend_example **example) {
    void *block = NULL;
    AT_TRY(at_memory_allocate(ctx, sizeof **example, "an example", &block));
    *example = memset(block, 0, sizeof **example);
    (*example)->ctx = ctx;
    return ATTEND_OK;
}

attend_status at_example_matrix(const at_example_source *source, attend_example *example, at_matrix_kind kind,
                                size_t rows, size_t columns) {
    const char *key = at_matrix_names[kind];
    void *block = NULL;
    size_t count = 0;
    size_t size = 0;
    if (!at_size_mul(rows, columns, &count) || !at_size_mul(count, sizeof(double), &size))
        return at_example_fault(source, ATTEND_TOO_LARGE, at_key(key), "%s is too large", key);
    AT_TRY(at_memory_allocate(source->ctx, size, key, &block));
    at_matrix matrix = {(int64_t)rows, (int64_t)columns, block};
    example->matrices[kind] = matrix;
    return ATTEND_OK;
}

attend_status at_example_tokens(const at_example_source *source, attend_example *example, size_t count,
                                size_t text_size) {
    void *block = NULL;
    AT_TRY(at_memory_allocate(source->ctx, count * sizeof *example->token, "tokens", &block));
    example->token = block;
    example->tokens = (int64_t)count;
    AT_TRY(at_memory_allocate(source->ctx, text_size, "tokens", &block));
    example->text = block;
    example->text_size = text_size;
    return ATTEND_OK;
}

/* ---- From memory ---------------------------------------------------------------------------- */

static attend_status check_count(const at_example_source *source, const char *key, int64_t count) {
    if (count >= 0 && count <= AT_EXAMPLE_HEADS_MAX)
        return ATTEND_OK;
    return at_example_fault(source, ATTEND_FORMAT, at_key(key), "%s must be a whole number from 1 to %d (found %lld)",
                            key, AT_EXAMPLE_HEADS_MAX, (long long)count);
}

static attend_status check_text(const at_example_source *source, int64_t token, const char *text) {
    size_t length = strlen(text), offset = 0;
    while (offset < length) {
        uint32_t code;
        size_t size = at_text_character(text + offset, length - offset, &code);
        if (size == 0)
            return at_example_fault(source, ATTEND_FORMAT, at_key("tokens"),
                                    "token %lld is not UTF-8 (byte %zu is 0x%02x)", (long long)token + 1, offset + 1,
                                    (unsigned char)text[offset]);
        offset += size;
    }
    return ATTEND_OK;
}

static attend_status take_tokens(const at_example_source *source, const attend_example_parts *parts,
                                 attend_example *example) {
    size_t text_size = 0;
    if (parts->tokens < 1 || parts->token == NULL)
        return at_fail(source->ctx, ATTEND_ARGUMENT,
                       "parts.tokens is %lld and parts.token %s (allowed 1 or more texts)", (long long)parts->tokens,
                       parts->token == NULL ? "NULL" : "given");
    for (int64_t t = 0; t < parts->tokens; t++)
        AT_TRY(check_text(source, t, parts->token[t]));
    for (int64_t t = 0; t < parts->tokens; t++)
        text_size += strlen(parts->token[t]) + 1;
    AT_TRY(at_example_tokens(source, example, (size_t)parts->tokens, text_size));
    char *text = example->text;
    for (int64_t t = 0; t < parts->tokens; t++) {
        size_t size = strlen(parts->token[t]) + 1;
        example->token[t] = memcpy(text, parts->token[t], size);
        text += size;
    }
    return ATTEND_OK;
}

static attend_status take_matrix(const at_example_source *source, attend_example *example, at_matrix_kind kind,
                                 const attend_in *from) {
    if (from->data == NULL)
        return ATTEND_OK;
    if (from->dtype != ATTEND_F64 || from->rank != 2 || from->shape[0] < 1 || from->shape[1] < 1)
        return at_fail(
            source->ctx, ATTEND_ARGUMENT,
            "parts.%s is %s of rank %d with %lld rows and %lld columns (allowed f64 of rank 2, 1 or more of each)",
            at_matrix_names[kind], attend_dtype_name((attend_dtype)from->dtype), (int)from->rank,
            (long long)from->shape[0], (long long)from->shape[1]);
    AT_TRY(at_example_matrix(source, example, kind, (size_t)from->shape[0], (size_t)from->shape[1]));
    double *to = example->matrices[kind].numbers;
    for (int64_t row = 0; row < from->shape[0]; row++)
        for (int64_t column = 0; column < from->shape[1]; column++)
            *to++ = at_get(from, row, column, 0, 0);
    return ATTEND_OK;
}

static attend_status take_options(const at_example_source *source, const attend_example_parts *parts,
                                  attend_example *example) {
    AT_TRY(check_count(source, "heads", parts->heads));
    AT_TRY(check_count(source, "kv_heads", parts->kv_heads));
    if (parts->positions < ATTEND_POSITIONS_NONE || parts->positions > ATTEND_POSITIONS_ROTARY)
        return at_fail(source->ctx, ATTEND_ARGUMENT, "parts.positions is %d (allowed %d to %d)", (int)parts->positions,
                       (int)ATTEND_POSITIONS_NONE, (int)ATTEND_POSITIONS_ROTARY);
    example->heads = parts->heads;
    example->kv_heads = parts->kv_heads;
    example->positions = (attend_positions)parts->positions;
    example->causal = parts->causal != 0;
    example->has_scale = parts->has_scale != 0;
    example->scale = parts->scale;
    return ATTEND_OK;
}

static attend_status take_all(const at_example_source *source, const attend_example_parts *parts,
                              attend_example *example) {
    const attend_in *matrices[AT_MATRICES] = {&parts->q,  &parts->k,  &parts->v,  &parts->x,
                                              &parts->wq, &parts->wk, &parts->wv, &parts->wo};
    AT_TRY(take_options(source, parts, example));
    AT_TRY(take_tokens(source, parts, example));
    for (at_matrix_kind kind = AT_Q; kind < AT_MATRICES; kind++)
        AT_TRY(take_matrix(source, example, kind, matrices[kind]));
    return at_example_check(source, example);
}

attend_status attend_example_make(attend_ctx *ctx, const char *name, const attend_example_parts *parts,
                                  attend_example **example) {
    attend_example_parts given;
    attend_example *made = NULL;
    AT_TRY(at_begin(ctx));
    if (example == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "example is NULL");
    *example = NULL;
    if (name == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "name is NULL");
    AT_TRY(at_import(ctx, "parts", parts, &given, sizeof given));
    at_example_source source = {.ctx = ctx, .label = at_fault_path(name)};
    AT_TRY(at_example_allocate(ctx, &made));
    attend_status status = take_all(&source, &given, made);
    if (status == ATTEND_OK)
        *example = made;
    else
        attend_example_close(made);
    return status;
}

void attend_example_close(attend_example *example) {
    if (example == NULL)
        return;
    for (int kind = 0; kind < AT_MATRICES; kind++) {
        const at_matrix *matrix = &example->matrices[kind];
        at_memory_release(example->ctx, matrix->numbers,
                          (size_t)matrix->rows * (size_t)matrix->columns * sizeof *matrix->numbers);
    }
    at_memory_release(example->ctx, example->text, example->text_size);
    at_memory_release(example->ctx, (void *)example->token, (size_t)example->tokens * sizeof *example->token);
    at_memory_release(example->ctx, example, sizeof *example);
}

/* ---- What is in it ------------------------------------------------------------------------- */

int64_t attend_example_tokens(const attend_example *example) { return example == NULL ? 0 : example->tokens; }

const char *attend_example_token(const attend_example *example, int64_t index) {
    return index < 0 || index >= attend_example_tokens(example) ? NULL : example->token[index];
}

int64_t attend_example_heads(const attend_example *example) { return example == NULL ? 0 : example->heads; }

int64_t attend_example_kv_heads(const attend_example *example) { return example == NULL ? 0 : example->kv_heads; }

attend_positions attend_example_positions(const attend_example *example) {
    return example == NULL ? ATTEND_POSITIONS_NONE : example->positions;
}

int attend_example_causal(const attend_example *example) { return example != NULL && example->causal; }

int attend_example_scale(const attend_example *example, double *scale) {
    if (example == NULL || !example->has_scale)
        return 0;
    if (scale != NULL)
        *scale = example->scale;
    return 1;
}

attend_in attend_example_matrix(const attend_example *example, const char *name) {
    for (int kind = 0; example != NULL && name != NULL && kind < AT_MATRICES; kind++) {
        const at_matrix *matrix = &example->matrices[kind];
        const int64_t shape[2] = {matrix->rows, matrix->columns};
        if (strcmp(name, at_matrix_names[kind]) == 0 && matrix->numbers != NULL)
            return attend_in_dense(matrix->numbers, ATTEND_F64, 2, shape);
    }
    attend_in none;
    memset(&none, 0, sizeof none);
    return none;
}
