/* SPDX-License-Identifier: Apache-2.0 */
/* Single looks at a file that is being written. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file-version.h"
#include "hold.h"
#include "support.h"
#include "testpoint.h"

/* The file of the present test. */
static struct {
    char *folder, *path, *elsewhere;
    StrobeFileVersion seen;
    gint64 age_s;
    void (*act)(void); /* called once between finding the file changed and reading it */
} file;

static void on_point(const char *name)
{
    if (strcmp(name, "file-version-found") != 0 || !file.act)
        return;
    void (*act)(void) = file.act;
    file.act = NULL;
    act();
}

static void set_time(gint64 ns)
{
    const struct timespec times[2] = {{0, UTIME_OMIT}, {ns / 1000000000, ns % 1000000000}};

    g_assert_cmpint(utimensat(AT_FDCWD, file.path, times, 0), ==, 0);
}

/* Writes a version that is old, but a second younger than the version before. */
static void rewrite_file(const char *text)
{
    g_assert_true(g_file_set_contents(file.path, text, -1, NULL));
    g_assert_cmpint(chmod(file.path, 0600), ==, 0);
    set_time((g_get_real_time() / 1000000 - file.age_s--) * 1000000000);
}

static void begin_file(void)
{
    file.folder = scratch_new();
    file.path = g_build_filename(file.folder, "file", NULL);
    file.elsewhere = g_build_filename(file.folder, "elsewhere", NULL);
    file.age_s = 3600;
    rewrite_file("{}");
    file.seen = strobe_file_version_of(file.path);
    __atomic_store_n(&strobe_testpoint_hook, on_point, __ATOMIC_RELEASE);
}

static void end_file(void)
{
    __atomic_store_n(&strobe_testpoint_hook, NULL, __ATOMIC_RELEASE);
    g_clear_pointer(&file.path, g_free);
    g_clear_pointer(&file.elsewhere, g_free);
    scratch_remove(file.folder);
}

/* Looks at the file. `text` is what the change must contain; NULL: there must be no change. */
static void expect_look(StrobeFileChange change, const char *text)
{
    g_autofree char *found = NULL;
    size_t length = 0;

    g_assert_cmpint(strobe_file_version_look(file.path, &file.seen, &found, &length), ==, change);
    if (!text) {
        g_assert_null(found);
        return;
    }
    g_autofree char *terminated = g_strndup(found, length);
    g_assert_nonnull(strstr(terminated, text));
}

static void write_whole(void)
{
    rewrite_file("{\"start_step\": 7}");
}

static void write_half(void)
{
    rewrite_file("{\"sta");
}

static void test_write_that_ends_before_it_is_read(void)
{
    begin_file();
    write_half();
    file.act = write_whole;
    expect_look(STROBE_FILE_SAME, NULL);
    expect_look(STROBE_FILE_CHANGED, "7}");
    expect_look(STROBE_FILE_SAME, NULL);
    end_file();
}

/* A half-written file is not reported, because it was never complete. */
static void test_write_that_begins_before_it_is_read(void)
{
    begin_file();
    rewrite_file("{\"start_step\": 6}");
    file.act = write_half;
    expect_look(STROBE_FILE_SAME, NULL);
    write_whole();
    expect_look(STROBE_FILE_CHANGED, "7}");
    expect_look(STROBE_FILE_SAME, NULL);
    end_file();
}

static void move_away(void)
{
    g_assert_cmpint(rename(file.path, file.elsewhere), ==, 0);
}

static void test_file_that_is_moved_away_and_back(void)
{
    begin_file();
    write_whole();
    file.act = move_away;
    expect_look(STROBE_FILE_SAME, NULL);
    g_assert_cmpint(rename(file.elsewhere, file.path), ==, 0);
    expect_look(STROBE_FILE_CHANGED, "7}");
    expect_look(STROBE_FILE_SAME, NULL);
    end_file();
}

/* A version is read only if no later version can have the same size and time. */
static void test_two_versions_of_one_time(void)
{
    begin_file();
    rewrite_file("{\"start_step\": 6}");
    set_time(g_get_real_time() * 1000);
    expect_look(STROBE_FILE_SAME, NULL);
    write_whole();
    expect_look(STROBE_FILE_CHANGED, "7}");
    end_file();
}

static void test_missing(void)
{
    begin_file();
    g_assert_cmpint(unlink(file.path), ==, 0);
    expect_look(STROBE_FILE_MISSING, "is missing");
    expect_look(STROBE_FILE_SAME, NULL);
    write_whole();
    expect_look(STROBE_FILE_CHANGED, "7}");
    end_file();
}

static void test_refused(void)
{
    begin_file();
    write_whole();
    g_assert_cmpint(chmod(file.path, 0666), ==, 0);
    expect_look(STROBE_FILE_REFUSED, "is refused: ");
    expect_look(STROBE_FILE_SAME, NULL);
    g_autofree char *large = g_strnfill(STROBE_FILE_BYTES_MAX + 1, 'x');
    rewrite_file(large);
    expect_look(STROBE_FILE_REFUSED, "more than 1 MiB");
    large[STROBE_FILE_BYTES_MAX] = 0;
    rewrite_file(large);
    expect_look(STROBE_FILE_CHANGED, "xxx");
    end_file();
}

/* A file that cannot be found for another reason is not missing. */
static void test_link_to_itself(void)
{
    begin_file();
    g_assert_cmpint(unlink(file.path), ==, 0);
    g_assert_cmpint(symlink(file.path, file.path), ==, 0);
    expect_look(STROBE_FILE_REFUSED, g_strerror(ELOOP));
    expect_look(STROBE_FILE_SAME, NULL);
    g_assert_cmpint(unlink(file.path), ==, 0);
    expect_look(STROBE_FILE_MISSING, "is missing");
    end_file();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/file-version/write-ends", test_write_that_ends_before_it_is_read);
    g_test_add_func("/file-version/write-begins", test_write_that_begins_before_it_is_read);
    g_test_add_func("/file-version/moved", test_file_that_is_moved_away_and_back);
    g_test_add_func("/file-version/one-time", test_two_versions_of_one_time);
    g_test_add_func("/file-version/missing", test_missing);
    g_test_add_func("/file-version/refused", test_refused);
    g_test_add_func("/file-version/link", test_link_to_itself);
    return g_test_run();
}
