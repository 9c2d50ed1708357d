/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "folder.h"

typedef struct Fixture {
    char *root;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->root = g_dir_make_tmp("strobe-folder-XXXXXX", NULL);
    g_assert_nonnull(fixture->root);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    strobe_folder_remove(fixture->root);
    g_assert_false(g_file_test(fixture->root, G_FILE_TEST_EXISTS));
    g_free(fixture->root);
}

static char *below(const Fixture *fixture, const char *name)
{
    return g_build_filename(fixture->root, name, NULL);
}

static void write_file(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);

    g_assert_true(g_file_set_contents(path, name, -1, NULL));
}

static void test_replace(Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = below(fixture, "a/output");
    g_autofree char *parent = below(fixture, "a");
    g_autoptr(GError) error = NULL;
    StrobeFreshFolder fresh;
    struct stat status;

    for (guint round = 1; round <= 3; round++) {
        g_assert_true(strobe_folder_begin(&fresh, path, &error));
        g_assert_no_error(error);
        for (guint i = 0; i < round; i++) {
            g_autofree char *name = g_strdup_printf("%u-%u", round, i);
            write_file(fresh.path, name);
        }
        g_assert_true(strobe_folder_finish(&fresh, path, &error));
        g_assert_no_error(error);
        g_assert_cmpuint(strobe_folder_count(path), ==, round);
        g_assert_cmpuint(strobe_folder_count(parent), ==, 1);
    }
    g_assert_cmpint(stat(path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 07027, ==, 0);
}

/* What a killed analysis left goes; what another one is filling, or made just now, stays. */
static void test_leavings(Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = below(fixture, "output");
    g_autofree char *dead = below(fixture, ".output.aaaaaa");
    g_autofree char *young = below(fixture, ".output.bbbbbb");
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    StrobeFreshFolder busy, fresh;

    g_assert_true(strobe_folder_begin(&busy, path, NULL));
    g_assert_cmpint(g_mkdir(dead, 0700), ==, 0);
    write_file(dead, "file");
    g_assert_cmpint(g_mkdir(young, 0700), ==, 0);
    g_assert_cmpint(utimensat(AT_FDCWD, dead, old, 0), ==, 0);
    g_assert_cmpint(utimensat(AT_FDCWD, busy.path, old, 0), ==, 0);
    g_assert_true(strobe_folder_begin(&fresh, path, NULL));
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(young, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(busy.path, G_FILE_TEST_EXISTS));
    strobe_folder_discard(&busy);
    strobe_folder_discard(&fresh);
    g_assert_cmpuint(strobe_folder_count(fixture->root), ==, 1);
}

static void test_links_are_not_followed(Fixture *fixture, gconstpointer data)
{
    g_autofree char *precious = below(fixture, "precious");
    g_autofree char *doomed = below(fixture, "doomed");
    g_autofree char *link = below(fixture, "doomed/link");
    g_autofree char *itself = below(fixture, "itself");

    g_assert_cmpint(g_mkdir(precious, 0700), ==, 0);
    g_assert_cmpint(g_mkdir(doomed, 0700), ==, 0);
    write_file(precious, "file");
    g_assert_cmpint(symlink(precious, link), ==, 0);
    g_assert_cmpint(symlink(precious, itself), ==, 0);
    strobe_folder_remove(doomed);
    strobe_folder_remove(itself);
    g_assert_false(g_file_test(doomed, G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test(itself, G_FILE_TEST_IS_SYMLINK));
    g_assert_cmpuint(strobe_folder_count(precious), ==, 1);
}

static void test_check_writable(Fixture *fixture, gconstpointer data)
{
    g_autofree char *deep = below(fixture, "b/c/d");
    g_autofree char *file = below(fixture, "file");
    g_autofree char *under_file = below(fixture, "file/d");
    g_autoptr(GError) error = NULL;

    g_assert_true(strobe_folder_check_writable(deep, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(strobe_folder_count(deep), ==, 0);
    write_file(fixture->root, "file");
    g_assert_false(strobe_folder_check_writable(file, &error));
    g_clear_error(&error);
    g_assert_false(strobe_folder_check_writable(under_file, &error));
    g_assert_nonnull(error);
}

/* As one that was killed leaves it. */
static char *abandon(const Fixture *fixture, const char *name, time_t age)
{
    const struct timespec times[] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};
    char *path = below(fixture, name);

    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    write_file(path, "config.json");
    g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
    return path;
}

static void test_private(Fixture *fixture, gconstpointer data)
{
    struct stat status;
    g_autoptr(GError) error = NULL;
    StrobeFreshFolder folder;

    g_setenv("XDG_RUNTIME_DIR", fixture->root, TRUE);
    g_assert_true(strobe_folder_private(&folder, &error));
    g_assert_no_error(error);
    g_assert_true(g_str_has_prefix(folder.path, fixture->root));
    g_assert_cmpint(stat(folder.path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 07777, ==, 0700);
    g_autofree char *path = g_strdup(folder.path);
    strobe_folder_discard(&folder);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* Old, of this user, and nobody's: removed. All else stays. */
static void test_private_leavings(Fixture *fixture, gconstpointer data)
{
    g_autofree char *dead = abandon(fixture, "strobe-run-dead00", 600);
    g_autofree char *young = abandon(fixture, "strobe-run-young0", 0);
    g_autofree char *busy = abandon(fixture, "strobe-run-busy00", 600);
    g_autofree char *foreign = abandon(fixture, "strobe-run-other0", 600);
    g_autofree char *else_ = abandon(fixture, "something-else", 600);
    g_autofree char *link = below(fixture, "strobe-run-link00");
    int holder = open(busy, O_RDONLY | O_DIRECTORY);
    StrobeFreshFolder folder;

    g_assert_cmpint(flock(holder, LOCK_EX | LOCK_NB), ==, 0);
    g_assert_cmpint(symlink(else_, link), ==, 0);
    gboolean is_root = chown(foreign, 12345, 12345) == 0;
    g_setenv("XDG_RUNTIME_DIR", fixture->root, TRUE);
    g_assert_true(strobe_folder_private(&folder, NULL));
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_cmpuint(strobe_folder_count(young), ==, 1);
    g_assert_cmpuint(strobe_folder_count(busy), ==, 1);
    g_assert_cmpuint(strobe_folder_count(else_), ==, 1);
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    g_assert_true(!is_root || strobe_folder_count(foreign) == 1);
    strobe_folder_discard(&folder);
    close(holder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/folder/replace", Fixture, NULL, set_up, test_replace, tear_down);
    g_test_add("/folder/leavings", Fixture, NULL, set_up, test_leavings, tear_down);
    g_test_add("/folder/links-are-not-followed", Fixture, NULL, set_up, test_links_are_not_followed,
               tear_down);
    g_test_add("/folder/check-writable", Fixture, NULL, set_up, test_check_writable, tear_down);
    g_test_add("/folder/private", Fixture, NULL, set_up, test_private, tear_down);
    g_test_add("/folder/private-leavings", Fixture, NULL, set_up, test_private_leavings, tear_down);
    return g_test_run();
}
