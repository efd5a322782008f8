/* Any bytes as a safetensors file; and once more with the length of the header put right, so that a change of the
   header does not end there. */
#include "file_properties.h"

static void with_length_put_right(const uint8_t *data, size_t size) {
    size_t end = size;
    while (end > 8 && data[end - 1] != '}')
        end--;
    if (end <= 8)
        return;
    uint8_t *changed = malloc(size);
    must(changed != NULL);
    memcpy(changed, data, size);
    for (int i = 0; i < 8; i++)
        changed[i] = (uint8_t)((uint64_t)(end - 8) >> (8 * i) & 0xff);
    try_file(changed, size);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file(data, size);
    with_length_put_right(data, size);
    return 0;
}
