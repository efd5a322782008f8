#include "shape.h"

#include <stddef.h>
#include <string.h>

static const int64_t size_most = INT64_C(1) << 40;

static const struct {
    const char *name, *option;
    size_t place;
} sizes_of[] = {
    {"batch", "--batch", offsetof(shape, batch)},
    {"heads", "--heads", offsetof(shape, heads)},
    {"kv-heads", "--kv-heads", offsetof(shape, kv_heads)},
    {"queries", "--queries", offsetof(shape, queries)},
    {"keys", "--keys", offsetof(shape, keys)},
    {"width", "--width", offsetof(shape, width)},
    {"value-width", "--value-width", offsetof(shape, value_width)},
};

int shape_take(shape *sizes, const char *name, const char *value) {
    if (strcmp(name, "dtype") == 0) {
        sizes->first = sizes->first == NULL ? "--dtype" : sizes->first;
        return request_dtype(value, &sizes->dtype);
    }
    for (size_t i = 0; i < sizeof sizes_of / sizeof sizes_of[0]; i++)
        if (strcmp(sizes_of[i].name, name) == 0) {
            int64_t *size = (int64_t *)(void *)((char *)sizes + sizes_of[i].place);
            sizes->first = sizes->first == NULL ? sizes_of[i].option : sizes->first;
            return cli_parse_int(sizes_of[i].option, value, 1, size_most, size);
        }
    return REQUEST_OTHER;
}

bool shape_has_sizes(const shape *sizes) {
    return sizes->batch + sizes->heads + sizes->kv_heads + sizes->queries + sizes->keys + sizes->width +
               sizes->value_width >
           0;
}

static void fill(int64_t *size, int64_t value) { *size = *size == 0 ? value : *size; }

int shape_complete(const request *wish, shape *sizes) {
    if (wish->archive != NULL || wish->file[INPUT_Q] != NULL || wish->file[INPUT_K] != NULL ||
        wish->file[INPUT_V] != NULL)
        return cli_usage_error("%s makes up q, k and v: none can come from a file", sizes->first);
    if (sizes->queries == 0 && sizes->keys == 0)
        return cli_usage_error("--queries or --keys is missing: the number of tokens");
    fill(&sizes->batch, 1);
    fill(&sizes->heads, 1);
    fill(&sizes->kv_heads, sizes->heads);
    fill(&sizes->queries, sizes->keys);
    fill(&sizes->keys, sizes->queries);
    fill(&sizes->width, 64);
    fill(&sizes->value_width, sizes->width);
    sizes->dtype = sizes->dtype == 0 ? ATTEND_F32 : sizes->dtype;
    if (sizes->heads % sizes->kv_heads != 0)
        return cli_usage_error("--heads %lld is not a multiple of --kv-heads %lld", (long long)sizes->heads,
                               (long long)sizes->kv_heads);
    return CLI_DONE;
}

void shape_outline(const shape *sizes, attend_in made[3]) {
    static const double nothing = 0; /* aligned for every type */
    int64_t q[] = {sizes->batch, sizes->heads, sizes->queries, sizes->width};
    int64_t k[] = {sizes->batch, sizes->kv_heads, sizes->keys, sizes->width};
    int64_t v[] = {sizes->batch, sizes->kv_heads, sizes->keys, sizes->value_width};
    const int64_t *shapes[] = {q, k, v};
    for (int i = 0; i < 3; i++) {
        made[i] = attend_in_dense(&nothing, sizes->dtype, 4, shapes[i]);
        made[i].stride[0] = made[i].stride[1] = made[i].stride[2] = 0;
    }
}
