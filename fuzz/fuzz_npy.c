/* Any bytes as an npy file; and once more with the length of the header put right, so that a change of the header
   does not end there. */
#include "file_properties.h"

static void with_length_put_right(const uint8_t *data, size_t size) {
    const uint8_t *end = size > 12 ? memchr(data + 12, '\n', size - 12) : NULL;
    if (end == NULL || memcmp(data + 1, "NUMPY", 5) != 0)
        return;
    uint8_t *changed = malloc(size);
    must(changed != NULL);
    memcpy(changed, data, size);
    int width = data[6] == 1 ? 2 : 4;
    size_t length = (size_t)(end + 1 - data) - 8 - (size_t)width;
    for (int i = 0; i < width; i++)
        changed[8 + i] = (uint8_t)(length >> (8 * i) & 0xff);
    try_file(changed, size);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file(data, size);
    with_length_put_right(data, size);
    return 0;
}
