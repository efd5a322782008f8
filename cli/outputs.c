#define _POSIX_C_SOURCE 200809L /* stat */

#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layout.h"

const char *const output_names[OUTPUTS] = {"o", "lse", "weights"};

enum { FOLDER_MAX = 4096 };

static bool is_archive(const char *path) {
    static const char ending[] = ".safetensors";
    size_t length = strlen(path);
    return length >= sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The folder that path lies in; false when its name is too long to handle. */
static bool folder_of(const char *path, char folder[FOLDER_MAX]) {
    size_t length = (size_t)(base_name(path) - path);
    if (length >= FOLDER_MAX)
        return false;
    snprintf(folder, FOLDER_MAX, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : path);
    return true;
}

/* Do two names mean one file, be it there already or not? */
static bool same_file(const char *a, const char *b) {
    char left[FOLDER_MAX], right[FOLDER_MAX];
    if (strcmp(a, b) == 0 || cli_same_file(a, b))
        return true;
    return strcmp(base_name(a), base_name(b)) == 0 && folder_of(a, left) && folder_of(b, right) &&
           cli_same_file(left, right);
}

/* Renaming onto a device would replace the device: only a plain file, or none, is written to. */
static int check_writable(const char *path) {
    struct stat found;
    char folder[FOLDER_MAX];
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return cli_failure("cannot write %s: it is %s", path, S_ISDIR(found.st_mode) ? "a folder" : "no regular file");
    if (!folder_of(path, folder) || base_name(path)[0] == 0)
        return cli_failure("cannot write \"%s\": no file has such a name", path);
    if (access(folder, W_OK | X_OK) != 0)
        return cli_failure("cannot write %s: folder %s: %s", path, folder, strerror(errno));
    return CLI_DONE;
}

static int check_against_inputs(const request *wish, const char *path) {
    for (int input = 0; input < INPUTS; input++)
        if (wish->file[input] != NULL && same_file(path, wish->file[input]))
            return cli_usage_error("output %s is also the input %s", path, input_names[input]);
    if (wish->archive != NULL && same_file(path, wish->archive))
        return cli_usage_error("output %s is also the input of --in", path);
    return CLI_DONE;
}

static int check_against_outputs(const outputs *made, int output) {
    for (int other = 0; other < output; other++)
        if (made->file[other] != NULL && same_file(made->file[output], made->file[other]) &&
            !is_archive(made->file[output]))
            return cli_usage_error("%s is the file of both %s and %s; only a .safetensors file holds several tensors",
                                   made->file[output], output_names[other], output_names[output]);
    return CLI_DONE;
}

int outputs_check(const request *wish, const outputs *made) {
    int status = CLI_DONE;
    for (int output = 0; output < OUTPUTS && status == CLI_DONE; output++) {
        if (made->file[output] == NULL)
            continue;
        if (made->file[output][0] == 0)
            return cli_usage_error("%s: the name of its file is empty", output_names[output]);
        status = check_against_inputs(wish, made->file[output]);
        if (status == CLI_DONE)
            status = check_against_outputs(made, output);
        if (status == CLI_DONE)
            status = check_writable(made->file[output]);
    }
    return status;
}

/* Bytes of a tensor; false when they do not fit in memory arithmetic. */
static bool bytes_of(const attend_out *tensor, size_t *bytes) {
    *bytes = attend_dtype_size((attend_dtype)tensor->dtype);
    for (int32_t axis = 0; axis < tensor->rank; axis++)
        if (__builtin_mul_overflow(*bytes, (size_t)tensor->shape[axis], bytes))
            return false;
    return true;
}

static int allocate(attend_out *stored, attend_out *view, const char *name) {
    char text[SHAPE_TEXT_MAX];
    size_t bytes;
    attend_in shape = attend_read(*stored);
    if (!bytes_of(stored, &bytes))
        return cli_failure("%s: the shape %s is too large", name, inputs_shape_text(&shape, text));
    stored->data = view->data = malloc(bytes == 0 ? 1 : bytes); /* never NULL for an empty tensor */
    if (stored->data == NULL)
        return cli_failure("%s: no memory for %zu bytes of shape %s", name, bytes, inputs_shape_text(&shape, text));
    return CLI_DONE;
}

int outputs_allocate(const inputs *given, attend_dtype dtype, outputs *made) {
    const attend_problem *problem = &given->call.problem;
    int64_t last[OUTPUTS] = {problem->value_width, 1, problem->keys};
    attend_dtype fine = dtype == ATTEND_F64 ? ATTEND_F64 : ATTEND_F32; /* 16 bits are too few for lse */
    int status = CLI_DONE;
    for (int output = 0; output < OUTPUTS && status == CLI_DONE; output++) {
        int64_t sizes[] = {problem->batch, problem->heads, problem->queries, last[output]};
        if (made->file[output] == NULL)
            continue;
        layout_output(given->layout, output == OUTPUT_O ? dtype : fine, output == OUTPUT_LSE ? 3 : 4, sizes,
                      &made->stored[output], &made->view[output]);
        status = allocate(&made->stored[output], &made->view[output], output_names[output]);
    }
    return status;
}

/* All outputs that go to the file of one of them, from that one on. */
static int write_file(const inputs *given, const outputs *made, int first) {
    const char *names[OUTPUTS], *path = made->file[first];
    attend_in tensors[OUTPUTS];
    int64_t count = 0;
    for (int output = first; output < OUTPUTS; output++)
        if (made->file[output] != NULL && same_file(path, made->file[output])) {
            names[count] = output_names[output];
            tensors[count++] = attend_read(made->stored[output]);
        }
    attend_status status =
        attend_file_write(given->ctx, path, is_archive(path) ? ATTEND_SAFETENSORS : ATTEND_NPY, names, tensors, count);
    return status == ATTEND_OK ? CLI_DONE : cli_library_error(given->ctx, status);
}

static bool is_first(const outputs *made, int output) {
    for (int other = 0; other < output; other++)
        if (made->file[other] != NULL && same_file(made->file[other], made->file[output]))
            return false;
    return true;
}

int outputs_write(const inputs *given, const outputs *made) {
    int status = CLI_DONE;
    for (int output = 0; output < OUTPUTS && status == CLI_DONE; output++)
        if (made->file[output] != NULL && is_first(made, output))
            status = write_file(given, made, output);
    return status;
}

void outputs_free(outputs *made) {
    for (int output = 0; output < OUTPUTS; output++)
        free(made->stored[output].data);
}
