/* What the disk may do to us: things that are no files, files that change, writes that fail. */
#include "folder_support.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/os.h"

static bytes content;

static const char *const nothing_left[] = {NULL};
static const char *const one_left[] = {"t", NULL};

/* What ctx said is "PATH: what". */
static void expect_path_status(attend_ctx *ctx, attend_status status, attend_status wanted, const char *path,
                               const char *what) {
    char message[512];
    snprintf(message, sizeof message, "%s: %s", path, what);
    assert_fails(ctx, status, wanted, message);
}

static void open_fault(void **state, const char *path, const char *what) {
    attend_file *file = (attend_file *)(uintptr_t)1;
    expect_path_status(*state, attend_file_open(*state, path, &file), ATTEND_FILE, path, what);
    assert_null(file);
}

/* ---- Opening ------------------------------------------------------------------------------- */

static void test_arguments_of_open_and_find(void **state) {
    attend_file *file = NULL;
    attend_in tensor;
    attend_ctx *other = NULL;
    assert_int_equal(attend_file_open(NULL, "t", &file), ATTEND_ARGUMENT);
    assert_fails(*state, attend_file_open(*state, NULL, &file), ATTEND_ARGUMENT, "path is NULL");
    assert_fails(*state, attend_file_open(*state, "t", NULL), ATTEND_ARGUMENT, "file is NULL");
    make_safetensors(&content, "{}", 0);
    file = open_bytes(*state, &content);
    assert_int_equal(attend_file_find(NULL, file, "q", &tensor), ATTEND_ARGUMENT);
    assert_fails(*state, attend_file_find(*state, NULL, "q", &tensor), ATTEND_ARGUMENT, "file is NULL");
    assert_fails(*state, attend_file_find(*state, file, NULL, &tensor), ATTEND_ARGUMENT, "name is NULL");
    assert_fails(*state, attend_file_find(*state, file, "q", NULL), ATTEND_ARGUMENT, "tensor is NULL");
    assert_int_equal(attend_ctx_create(NULL, &other), ATTEND_OK);
    assert_fails(other, attend_file_find(other, file, "q", &tensor), ATTEND_ARGUMENT,
                 "file was opened with another context");
    attend_ctx_destroy(other);
    attend_file_close(file);
    attend_file_close(NULL);
    assert_int_equal(attend_file_count(NULL), 0);
    assert_null(attend_file_name(NULL, 0));
}

static void test_what_is_no_regular_file(void **state) {
    folder place = make_folder();
    open_fault(state, in_folder(&place, "t"), "cannot open: No such file or directory");
    open_fault(state, place.name, "is a folder, its size is unknown: use a regular file");
    open_fault(state, "/dev/zero", "is a device, its size is unknown: use a regular file");
    assert_int_equal(mkfifo(in_folder(&place, "t"), 0600), 0);
    open_fault(state, in_folder(&place, "t"), "is a pipe, its size is unknown: use a regular file");
    remove_folder(&place, one_left);
}

static void test_paths_are_escaped(void **state) {
    attend_file *file = NULL;
    assert_fails(*state, attend_file_open(*state, "no/a\nb\xff", &file), ATTEND_FILE,
                 "no/a\\x0ab\\xff: cannot open: No such file or directory");
    char path[400];
    char message[400];
    memset(path, 'p', sizeof path);
    path[250] = '\0';
    snprintf(message, sizeof message, "%.240s...: cannot open: No such file or directory", path);
    assert_fails(*state, attend_file_open(*state, path, &file), ATTEND_FILE, message);
    path[250] = 'p';
    path[399] = '\0';
    snprintf(message, sizeof message, "%.240s...: cannot open: File name too long", path);
    assert_fails(*state, attend_file_open(*state, path, &file), ATTEND_FILE, message);
}

static void test_an_empty_file(void **state) {
    attend_file *file = NULL;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, "", 0);
    expect_path_status(*state, attend_file_open(*state, path, &file), ATTEND_FORMAT, path,
                       "byte 0: not an npy or safetensors file (file is empty)");
    remove_folder(&place, one_left);
}

/* ---- ST-25: a file that changes ------------------------------------------------------------ */

static void test_st25_file_changed_while_open(void **state) {
    attend_file *file = NULL;
    attend_in tensor;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    make_array(&content, ">f4", "False", "(2,)", 8);
    write_text(path, content.data, content.size);
    assert_works(*state, attend_file_open(*state, path, &file));
    assert_int_equal(truncate(path, 20), 0);
    expect_path_status(*state, attend_file_find(*state, file, "", &tensor), ATTEND_FILE, path,
                       "file changed while being read: 20 bytes, was 76");
    assert_int_equal(truncate(path, 76), 0);
    struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    expect_path_status(*state, attend_file_find(*state, file, "", &tensor), ATTEND_FILE, path,
                       "file changed while being read: it was written to");
    attend_file_close(file);
    remove_folder(&place, one_left);
}

static void test_st25_file_shortened_before_its_header_was_read(void **state) {
    at_os_file file;
    unsigned char buffer[16];
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, "0123456789abcdef", 16);
    assert_int_equal(at_os_map(*state, path, path, &file), ATTEND_OK);
    assert_int_equal(at_os_copy(*state, &file, path, 4, 8, buffer), ATTEND_OK);
    assert_memory_equal(buffer, "456789ab", 8);
    assert_int_equal(truncate(path, 6), 0);
    expect_path_status(*state, at_os_copy(*state, &file, path, 4, 8, buffer), ATTEND_FILE, path,
                       "file changed while being read: it ends at byte 6, was 16 bytes");
    at_os_unmap(&file);
    remove_folder(&place, one_left);
}

static void test_a_file_replaced_while_open_is_still_the_old_one(void **state) {
    attend_file *file = NULL;
    attend_in tensor;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    make_array(&content, "|u1", "False", "(2,)", 2);
    write_text(path, content.data, content.size);
    assert_works(*state, attend_file_open(*state, path, &file));
    const unsigned char other[3] = {7, 8, 9};
    const int64_t shape[1] = {3};
    attend_in replacement = attend_in_dense(other, ATTEND_U8, 1, shape);
    assert_works(*state, attend_file_write(*state, path, ATTEND_NPY, NULL, &replacement, 1));
    assert_works(*state, attend_file_find(*state, file, "", &tensor));
    assert_int_equal(tensor.shape[0], 2);
    assert_int_equal(((const unsigned char *)tensor.data)[1], 1);
    attend_file_close(file);
    remove_folder(&place, one_left);
}

/* ---- Writing ------------------------------------------------------------------------------- */

static attend_status write_numbers(attend_ctx *ctx, const char *path, int64_t count) {
    static const float numbers[100000] = {1, 2, 3};
    attend_in tensor = attend_in_dense(numbers, ATTEND_F32, 1, &count);
    return attend_file_write(ctx, path, ATTEND_NPY, NULL, &tensor, 1);
}

static void test_device_without_space(void **state) {
    struct stat status;
    assert_fails(*state, write_numbers(*state, "/dev/full", 3), ATTEND_FILE,
                 "/dev/full: cannot write: No space left on device");
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_works(*state, write_numbers(*state, "/dev/null", 3));
}

static void test_places_that_cannot_be_written(void **state) {
    folder place = make_folder();
    const char *missing = in_folder(&place, "no/t");
    expect_path_status(*state, write_numbers(*state, missing, 3), ATTEND_FILE, missing,
                       "cannot write: No such file or directory");
    expect_path_status(*state, write_numbers(*state, place.name, 3), ATTEND_FILE, place.name,
                       "cannot write: is a folder");
    assert_fails(*state, write_numbers(*state, "", 3), ATTEND_FILE, ": cannot write: No such file or directory");
    const char *slash = in_folder(&place, "t/");
    expect_path_status(*state, write_numbers(*state, slash, 3), ATTEND_FILE, slash,
                       "cannot write: No such file or directory");
    remove_folder(&place, nothing_left);
}

static void test_long_paths(void **state) {
    static char path[5000];
    memset(path, 'p', sizeof path - 1);
    char message[400];
    snprintf(message, sizeof message, "%.240s...: cannot write: File name too long", path);
    assert_fails(*state, write_numbers(*state, path, 3), ATTEND_FILE, message);
    for (size_t i = 0; i < 4092; i++) /* "./././t": short enough to open, too long for a name beside it */
        path[i] = i % 2 == 0 ? '.' : '/';
    path[4093] = '\0';
    snprintf(message, sizeof message, "%.240s...: cannot write: File name too long", path);
    assert_fails(*state, write_numbers(*state, path, 3), ATTEND_FILE, message);
}

/* Root may write anywhere, so a folder without permission proves something only for others. */
static void test_folder_without_permission(void **state) {
    folder place = make_folder();
    assert_int_equal(chmod(place.name, 0500), 0);
    const char *path = in_folder(&place, "t");
    attend_status status = write_numbers(*state, path, 3);
    if (geteuid() != 0)
        expect_path_status(*state, status, ATTEND_FILE, path, "cannot write: Permission denied");
    assert_int_equal(chmod(place.name, 0700), 0);
    assert_int_equal(files_in(&place), geteuid() == 0);
    remove_folder(&place, geteuid() == 0 ? one_left : nothing_left);
}

/* A disk that fills up in the middle, played by a limit on the size of files. */
static void test_a_failed_write_keeps_the_old_file(void **state) {
    struct rlimit old;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {100, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    const int64_t counts[] = {3, 1000, 100000}; /* fails in the flush, in a full buffer, in a large write */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        attend_status status = write_numbers(*state, path, counts[i]);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        expect_path_status(*state, status, ATTEND_FILE, path, "cannot write: File too large");
        assert_int_equal(files_in(&place), 1);
        assert_true(file_holds(path, "old"));
    }
    remove_folder(&place, one_left);
}

static void test_an_existing_file_is_replaced_and_keeps_its_mode(void **state) {
    struct stat status;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    write_text(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    assert_works(*state, write_numbers(*state, path, 3));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_size, 128 + 12);
    assert_int_equal(files_in(&place), 1);
    remove_folder(&place, one_left);
}

static void test_a_new_file_has_the_mode_of_the_umask(void **state) {
    struct stat status;
    folder place = make_folder();
    mode_t old = umask(027);
    assert_works(*state, write_numbers(*state, in_folder(&place, "t"), 3));
    umask(old);
    assert_int_equal(stat(in_folder(&place, "t"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    remove_folder(&place, one_left);
}

static void test_the_target_of_a_link_is_replaced(void **state) {
    struct stat status;
    folder place = make_folder();
    write_text(in_folder(&place, "t"), "old", 3);
    const char *link = in_folder(&place, "link");
    assert_int_equal(symlink("t", link), 0);
    assert_works(*state, write_numbers(*state, link, 3));
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(in_folder(&place, "t"), &status), 0);
    assert_int_equal(status.st_size, 128 + 12);
    remove_folder(&place, (const char *const[]){"link", "t", NULL});
}

static void test_a_pipe_is_written_directly(void **state) {
    unsigned char found[256];
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR); /* both ends, so that neither waits for the other */
    assert_true(reader >= 0);
    assert_works(*state, write_numbers(*state, path, 3));
    assert_int_equal(read(reader, found, sizeof found), 128 + 12);
    assert_memory_equal(found, "\x93NUMPY", 6);
    assert_int_equal(files_in(&place), 1);
    close(reader);
    remove_folder(&place, one_left);
}

static void test_a_rename_that_fails(void **state) {
    at_os_writer writer;
    folder place = make_folder();
    const char *path = in_folder(&place, "t");
    assert_works(*state, at_os_create(*state, path, path, &writer));
    assert_works(*state, at_os_write(*state, &writer, "new", 3));
    assert_int_equal(mkdir(path, 0700), 0);
    expect_path_status(*state, at_os_commit(*state, &writer), ATTEND_FILE, path, "cannot write: Is a directory");
    assert_int_equal(files_in(&place), 1);
    assert_int_equal(rmdir(path), 0);
    remove_folder(&place, nothing_left);
}

static void test_a_name_without_a_folder(void **state) {
    const char *const name = "attend-test-name.npy";
    assert_works(*state, write_numbers(*state, name, 3));
    assert_int_equal(unlink(name), 0);
    assert_fails(*state, write_numbers(*state, "/proc/attend", 3), ATTEND_FILE,
                 "/proc/attend: cannot write: No such file or directory");
}

/* A temporary file that an interrupted program of the same number left behind is not touched. */
static void test_a_temporary_name_that_is_taken(void **state) {
    char taken[64];
    folder place = make_folder();
    snprintf(taken, sizeof taken, ".attend-%ld-0", (long)getpid());
    write_text(in_folder(&place, taken), "kept", 4);
    assert_works(*state, write_numbers(*state, in_folder(&place, "t"), 3));
    assert_true(file_holds(in_folder(&place, taken), "kept"));
    remove_folder(&place, (const char *const[]){taken, "t", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_arguments_of_open_and_find),
        TEST(test_what_is_no_regular_file),
        TEST(test_paths_are_escaped),
        TEST(test_an_empty_file),
        TEST(test_st25_file_changed_while_open),
        TEST(test_st25_file_shortened_before_its_header_was_read),
        TEST(test_a_file_replaced_while_open_is_still_the_old_one),
        TEST(test_device_without_space),
        TEST(test_places_that_cannot_be_written),
        TEST(test_long_paths),
        TEST(test_folder_without_permission),
        TEST(test_a_failed_write_keeps_the_old_file),
        TEST(test_an_existing_file_is_replaced_and_keeps_its_mode),
        TEST(test_a_new_file_has_the_mode_of_the_umask),
        TEST(test_the_target_of_a_link_is_replaced),
        TEST(test_a_pipe_is_written_directly),
        TEST(test_a_rename_that_fails),
        TEST(test_a_name_without_a_folder),
        TEST(test_a_temporary_name_that_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
