/* Writing tensors: each in C order, whatever its strides. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/size.h"
#include "files/directory.h"
#include "tensor/arguments.h"

/* A tensor about to be written. */
typedef struct write_item {
    const char *name;
    attend_in view; /* four axes: those past rank have size 1 */
    const at_storage *storage;
    size_t bytes;
    size_t begin; /* first byte, from the start of the numbers */
} write_item;

enum { BUFFER_SIZE = 1 << 16 };

typedef struct write_job {
    attend_ctx *ctx;
    at_os_writer writer;
    write_item *items; /* (count) */
    int64_t count;
    size_t bytes; /* of all tensors */
    size_t used;  /* bytes waiting in buffer */
    unsigned char buffer[BUFFER_SIZE];
} write_job;

/* ---- Bytes to the file --------------------------------------------------------------------- */

static attend_status flush(write_job *job) {
    size_t waiting = job->used;
    job->used = 0;
    return at_os_write(job->ctx, &job->writer, job->buffer, waiting);
}

static attend_status put(write_job *job, const void *bytes, size_t size) {
    if (size > sizeof job->buffer - job->used)
        AT_TRY(flush(job));
    if (size > sizeof job->buffer)
        return at_os_write(job->ctx, &job->writer, bytes, size);
    memcpy(job->buffer + job->used, bytes, size);
    job->used += size;
    return ATTEND_OK;
}

static attend_status put_spaces(write_job *job, size_t count) {
    for (size_t i = 0; i < count; i++)
        AT_TRY(put(job, " ", 1));
    return ATTEND_OK;
}

/* Row by row along axis 3, element by element along it. */
static attend_status put_strided(write_job *job, const write_item *item) {
    const attend_in *view = &item->view;
    const unsigned char *data = view->data;
    int64_t size = (int64_t)item->storage->size;
    for (int64_t a = 0; a < view->shape[0]; a++)
        for (int64_t b = 0; b < view->shape[1]; b++)
            for (int64_t c = 0; c < view->shape[2]; c++)
                for (int64_t d = 0; d < view->shape[3]; d++) {
                    int64_t offset = a * view->stride[0] + b * view->stride[1] + c * view->stride[2];
                    AT_TRY(put(job, data + (offset + d * view->stride[3]) * size, item->storage->size));
                }
    return ATTEND_OK;
}

/* Whether the elements lie one after another in C order. */
static bool is_dense(const attend_in *view) {
    int64_t step = 1;
    for (int32_t axis = ATTEND_RANK_MAX - 1; axis >= 0; axis--) {
        if (view->shape[axis] != 1 && view->stride[axis] != step)
            return false;
        step *= view->shape[axis];
    }
    return true;
}

static attend_status put_tensor(write_job *job, const write_item *item) {
    if (item->bytes == 0)
        return ATTEND_OK;
    return is_dense(&item->view) ? put(job, item->view.data, item->bytes) : put_strided(job, item);
}

/* ---- npy ----------------------------------------------------------------------------------- */

/* "(2, 3)", and "(2,)" for one axis. */
static at_shape_text tuple(const attend_in *view) {
    at_shape_text text = at_fault_shape(view->rank, view->shape);
    size_t length = strlen(text.text);
    text.text[0] = '(';
    snprintf(text.text + length - 1, sizeof text.text - length, view->rank == 1 ? ",)" : ")");
    return text;
}

/* Version 1.0.  The numbers begin at a multiple of 64 bytes, so that any reader may use them in place. */
static attend_status put_npy(write_job *job) {
    enum { PREFIX = 10, ALIGNMENT = 64 };
    const write_item *item = &job->items[0];
    char header[2 * ALIGNMENT + PREFIX + sizeof(at_shape_text)];
    int length =
        snprintf(header + PREFIX, sizeof header - PREFIX, "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }",
                 item->storage->size == 1 ? "|" : "<", item->storage->npy, tuple(&item->view).text);
    size_t text = PREFIX + (size_t)length;
    size_t total = (text + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    AT_TRY(put(job, header, text));
    AT_TRY(put_spaces(job, total - text - 1));
    AT_TRY(put(job, "\n", 1));
    return put_tensor(job, item);
}

/* ---- safetensors --------------------------------------------------------------------------- */

/* Wide elements come first, so that each tensor is aligned to its own and can be read in place. */
static attend_status place_tensors(write_job *job) {
    job->bytes = 0;
    for (size_t size = sizeof(double); size > 0; size /= 2)
        for (int64_t i = 0; i < job->count; i++) {
            if (job->items[i].storage->size != size)
                continue;
            job->items[i].begin = job->bytes;
            if (!at_size_add(job->bytes, job->items[i].bytes, &job->bytes) || job->bytes > INT64_MAX)
                return at_fail(job->ctx, ATTEND_TOO_LARGE, "%s: the tensors together are too large", job->writer.label);
        }
    return ATTEND_OK;
}

static attend_status put_tensors(write_job *job) {
    for (size_t size = sizeof(double); size > 0; size /= 2)
        for (int64_t i = 0; i < job->count; i++)
            if (job->items[i].storage->size == size)
                AT_TRY(put_tensor(job, &job->items[i]));
    return ATTEND_OK;
}

static attend_status no_memory(const write_job *job) {
    return at_fail(job->ctx, ATTEND_MEMORY, "no memory for the header of %s", job->writer.label);
}

static json_t *describe(const write_item *item) {
    json_t *shape = json_array();
    for (int32_t axis = 0; axis < item->view.rank; axis++)
        if (json_array_append_new(shape, json_integer(item->view.shape[axis])) != 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", item->storage->safetensors, "shape", shape, "data_offsets",
                     (json_int_t)item->begin, (json_int_t)item->begin + (json_int_t)item->bytes);
}

static attend_status describe_all(const write_job *job, json_t *root) {
    for (int64_t i = 0; i < job->count; i++) {
        const write_item *item = &job->items[i];
        if (json_object_get(root, item->name) != NULL)
            return at_fail(job->ctx, ATTEND_ARGUMENT, "names[%" PRId64 "] \"%s\" was given before", i,
                           at_fault_name(item->name).text);
        if (json_object_set_new(root, item->name, describe(item)) != 0)
            return no_memory(job);
    }
    return ATTEND_OK;
}

static attend_status put_header(write_job *job, const json_t *root) {
    size_t length = json_dumpb(root, NULL, 0, JSON_COMPACT);
    size_t padded = (length + 7) / 8 * 8;
    void *text = NULL;
    if (length == 0)
        return no_memory(job);
    if (padded > AT_SAFETENSORS_HEADER_MAX)
        return at_fail(job->ctx, ATTEND_TOO_LARGE, "%s: header of %zu bytes (limit %d)", job->writer.label, padded,
                       AT_SAFETENSORS_HEADER_MAX);
    AT_TRY(at_memory_allocate(job->ctx, length, "a file's header", &text));
    uint64_t announced = padded;
    attend_status status = json_dumpb(root, text, length, JSON_COMPACT) == length ? ATTEND_OK : no_memory(job);
    if (status == ATTEND_OK)
        status = put(job, &announced, sizeof announced); /* little-endian, as we are (storage.c) */
    if (status == ATTEND_OK)
        status = put(job, text, length);
    at_memory_release(job->ctx, text, length);
    return status != ATTEND_OK ? status : put_spaces(job, padded - length);
}

static attend_status put_safetensors(write_job *job) {
    AT_TRY(place_tensors(job));
    json_t *root = json_object();
    attend_status status = root == NULL ? no_memory(job) : describe_all(job, root);
    if (status == ATTEND_OK)
        status = put_header(job, root);
    json_decref(root);
    return status != ATTEND_OK ? status : put_tensors(job);
}

/* ---- The file ------------------------------------------------------------------------------ */

static attend_status take_tensor(write_job *job, int64_t index, const attend_in *tensor) {
    static const at_axis any[ATTEND_RANK_MAX] = {{AT_ANY, ""}, {AT_ANY, ""}, {AT_ANY, ""}, {AT_ANY, ""}};
    write_item *item = &job->items[index];
    at_arguments arguments;
    int64_t count = 0;
    char name[32];
    snprintf(name, sizeof name, "tensors[%" PRId64 "]", index);
    at_arguments_begin(&arguments, job->ctx);
    AT_TRY(
        at_argument_in(&arguments, name, tensor, AT_NUMBERS | AT_BYTES | AT_INDICES, tensor->rank, any, &item->view));
    item->storage = at_storage_for((attend_dtype)tensor->dtype);
    if (!at_shape_count(tensor->rank, tensor->shape, &count)) /* repeated axes can make a file that memory is not */
        return at_fail(job->ctx, ATTEND_TOO_LARGE, "%s: shape %s is too large", name,
                       at_fault_shape(tensor->rank, tensor->shape).text);
    item->bytes = (size_t)count * item->storage->size;
    return ATTEND_OK;
}

static attend_status take_name(write_job *job, int64_t index, const char *name) {
    at_name_fault fault;
    if (name == NULL)
        return at_fail(job->ctx, ATTEND_ARGUMENT, "names[%" PRId64 "] is NULL", index);
    if (!at_name_is_good(name, &fault))
        return at_fail(job->ctx, ATTEND_ARGUMENT, "names[%" PRId64 "] \"%s\" %s", index, at_fault_name(name).text,
                       fault.text);
    if (strcmp(name, AT_SAFETENSORS_METADATA) == 0)
        return at_fail(job->ctx, ATTEND_ARGUMENT, "names[%" PRId64 "] \"%s\" is not a tensor's", index, name);
    job->items[index].name = name;
    return ATTEND_OK;
}

static attend_status write_items(write_job *job, const char *path, attend_file_format format) {
    at_printable label = at_fault_path(path);
    AT_TRY(at_os_create(job->ctx, path, label.text, &job->writer));
    attend_status status = format == ATTEND_NPY ? put_npy(job) : put_safetensors(job);
    if (status == ATTEND_OK)
        status = flush(job);
    if (status == ATTEND_OK)
        return at_os_commit(job->ctx, &job->writer);
    at_os_discard(&job->writer);
    return status;
}

static attend_status take_items(write_job *job, const char *const *names, const attend_in *tensors,
                                attend_file_format format) {
    for (int64_t i = 0; i < job->count; i++) {
        AT_TRY(take_tensor(job, i, &tensors[i]));
        if (format == ATTEND_SAFETENSORS)
            AT_TRY(take_name(job, i, names[i]));
    }
    return ATTEND_OK;
}

static attend_status check_arguments(attend_ctx *ctx, const char *path, attend_file_format format,
                                     const char *const *names, const attend_in *tensors, int64_t count) {
    if (path == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "path is NULL");
    if (format != ATTEND_NPY && format != ATTEND_SAFETENSORS)
        return at_fail(ctx, ATTEND_ARGUMENT, "format is %d, not an attend_file_format", (int)format);
    if (count < 0 || (format == ATTEND_NPY && count != 1))
        return at_fail(ctx, ATTEND_ARGUMENT, "count is %" PRId64 " (allowed %s)", count,
                       format == ATTEND_NPY ? "1 for npy" : "0 or more");
    if (count > 0 && tensors == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "tensors is NULL");
    if (count > 0 && format == ATTEND_SAFETENSORS && names == NULL)
        return at_fail(ctx, ATTEND_ARGUMENT, "names is NULL");
    return ATTEND_OK;
}

attend_status attend_file_write(attend_ctx *ctx, const char *path, attend_file_format format, const char *const *names,
                                const attend_in *tensors, int64_t count) {
    void *block = NULL;
    size_t size = 0;
    AT_TRY(at_begin(ctx));
    AT_TRY(check_arguments(ctx, path, format, names, tensors, count));
    if (!at_size_mul((size_t)count, sizeof(write_item), &size) || !at_size_add(size, sizeof(write_job), &size))
        return at_fail(ctx, ATTEND_TOO_LARGE, "count is %" PRId64 ": too many tensors", count);
    AT_TRY(at_memory_allocate(ctx, size, "writing a file", &block));
    write_job *job = block; /* and behind it its items */
    job->ctx = ctx;
    job->items = (write_item *)(job + 1);
    job->count = count;
    job->used = 0;
    attend_status status = take_items(job, names, tensors, format);
    if (status == ATTEND_OK)
        status = write_items(job, path, format);
    at_memory_release(ctx, block, size);
    return status;
}
