/* folder_support.h - tests that need a real folder. Include it first: it asks for POSIX. */
#ifndef FOLDER_SUPPORT_H
#define FOLDER_SUPPORT_H

#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files_support.h"

typedef struct folder {
    char name[32];
} folder;

/* A fresh folder below the current one. */
static inline folder make_folder(void) {
    folder place = {"attend-test-XXXXXX"};
    assert_non_null(mkdtemp(place.name));
    return place;
}

/* The path of a file in it; the last two stay valid. */
static inline const char *in_folder(const folder *place, const char *name) {
    static char paths[2][200];
    static int next;
    next = 1 - next;
    snprintf(paths[next], sizeof paths[next], "%s/%s", place->name, name);
    return paths[next];
}

/* How many files are in it. */
static inline int files_in(const folder *place) {
    int count = 0;
    DIR *entries = opendir(place->name);
    assert_non_null(entries);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

/* Removes the folder, which must hold nothing but these files (NULL ends the list). */
static inline void remove_folder(const folder *place, const char *const *names) {
    for (; *names != NULL; names++)
        assert_int_equal(unlink(in_folder(place, *names)), 0);
    assert_int_equal(rmdir(place->name), 0);
}

static inline void write_text(const char *path, const void *text, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static inline bool file_holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(found, 1, sizeof found - 1, stream);
    fclose(stream);
    return size == strlen(text) && memcmp(found, text, size) == 0;
}

#endif
