/* replay.c - runs a fuzz target on the files given, and on those in the folders given, without libFuzzer: so every
   input that was once interesting stays a test. */
#define _XOPEN_SOURCE 700 /* nftw */

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long replayed;

static int complain(const char *path) {
    perror(path);
    return 1;
}

/* In a block of exactly its size, so that a sanitizer sees the first byte read past it. */
static int replay_stream(FILE *stream, const char *path, size_t size) {
    uint8_t *data = malloc(size);
    if (size > 0 && (data == NULL || fread(data, 1, size, stream) != size)) {
        free(data);
        return complain(path);
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
    return 0;
}

static int replay_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_D)
        return 0;
    FILE *stream = kind == FTW_F ? fopen(path, "rb") : NULL;
    if (stream == NULL)
        return complain(path);
    int failed = replay_stream(stream, path, (size_t)about->st_size);
    fclose(stream);
    return failed;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], replay_entry, 16, FTW_PHYS) != 0) {
            fprintf(stderr, "replay: stopped at %s\n", argv[i]);
            return 1;
        }
    printf("replayed %ld inputs\n", replayed);
    return replayed == 0;
}
