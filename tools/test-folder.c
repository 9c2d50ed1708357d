/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

static char *build_path(const Fixture *fixture, const char *name)
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
    g_autofree char *path = build_path(fixture, "a/output");
    g_autofree char *parent = build_path(fixture, "a");
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

/* The folder of a killed analysis must be removed, even if it was killed just now, but not a folder
 * that another analysis is filling. */
static void test_leavings(Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = build_path(fixture, "output");
    g_autofree char *dead = build_path(fixture, ".output.aaaaaa");
    StrobeFreshFolder busy, fresh;

    g_assert_true(strobe_folder_begin(&busy, path, NULL));
    g_assert_cmpint(g_mkdir(dead, 0700), ==, 0);
    write_file(dead, "file");
    g_assert_true(strobe_folder_begin(&fresh, path, NULL));
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(busy.path, G_FILE_TEST_EXISTS));
    strobe_folder_discard(&busy);
    strobe_folder_discard(&fresh);
    g_assert_cmpuint(strobe_folder_count(fixture->root), ==, 0);
}

/* Begins and discards folders. Two threads run this at the same time, and each may remove a folder
 * of the other before the other has locked it. */
static gpointer begin_and_discard(gpointer path)
{
    for (guint i = 0; i < 3000; i++) {
        StrobeFreshFolder fresh;

        g_assert_true(strobe_folder_begin(&fresh, path, NULL));
        g_assert_true(g_file_test(fresh.path, G_FILE_TEST_IS_DIR));
        strobe_folder_discard(&fresh);
    }
    return NULL;
}

static void test_two_at_once(Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = build_path(fixture, "output");
    GThread *other = g_thread_new("other", begin_and_discard, path);

    begin_and_discard(path);
    g_thread_join(other);
    g_assert_cmpuint(strobe_folder_count(fixture->root), ==, 0);
}

static void test_links_are_not_followed(Fixture *fixture, gconstpointer data)
{
    g_autofree char *precious = build_path(fixture, "precious");
    g_autofree char *doomed = build_path(fixture, "doomed");
    g_autofree char *link = build_path(fixture, "doomed/link");
    g_autofree char *itself = build_path(fixture, "itself");

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

/* Renaming folders during an analysis must not redirect the output. */
static void test_held(Fixture *fixture, gconstpointer data)
{
    g_autofree char *parent = build_path(fixture, "parent");
    g_autofree char *aside = build_path(fixture, "aside");
    g_autofree char *path = build_path(fixture, "parent/output");
    g_autofree char *precious = build_path(fixture, "precious");
    g_autofree char *output = build_path(fixture, "aside/output");
    StrobeFreshFolder fresh;

    g_assert_cmpint(g_mkdir(precious, 0700), ==, 0);
    g_assert_true(strobe_folder_begin(&fresh, path, NULL));
    g_assert_cmpint(rename(parent, aside), ==, 0);
    g_assert_cmpint(symlink(precious, parent), ==, 0);
    g_assert_true(strobe_folder_finish(&fresh, path, NULL));
    g_assert_true(g_file_test(output, G_FILE_TEST_IS_DIR));
    g_assert_cmpuint(strobe_folder_count(aside), ==, 1);
    g_assert_cmpuint(strobe_folder_count(precious), ==, 0);
}

/* Links of this user must be followed, links of other users must not. */
static void test_links_on_the_way(Fixture *fixture, gconstpointer data)
{
    g_autofree char *link = build_path(fixture, "link");
    g_autofree char *loop = build_path(fixture, "loop");
    g_autofree char *path = build_path(fixture, "link/../link//deep/");
    g_autofree char *made = build_path(fixture, "real/deep");
    g_autofree char *missing = build_path(fixture, "link/missing");
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(symlink("./real", link), ==, 0);
    g_assert_cmpint(symlink("loop", loop), ==, 0);
    int folder = strobe_folder_open(path, "make", &error);
    g_assert_no_error(error);
    g_assert_cmpint(folder, >=, 0);
    close(folder);
    g_assert_true(g_file_test(made, G_FILE_TEST_IS_DIR));
    g_assert_cmpint(strobe_folder_find(missing), ==, -1);
    g_assert_cmpint(errno, ==, ENOENT);
    g_assert_cmpint(strobe_folder_find(loop), ==, -1);
    g_assert_cmpint(errno, ==, ELOOP);
    if (lchown(link, 12345, 12345) != 0)
        return; /* only root can give the link to another user */
    g_assert_cmpint(strobe_folder_open(path, "make", &error), ==, -1);
    g_assert_nonnull(strstr(error->message, "\"link\" in it is a symbolic link of another user"));
    g_assert_cmpint(strobe_folder_find(path), ==, -1);
    g_assert_cmpint(errno, ==, ELOOP);
}

static void test_check_writable(Fixture *fixture, gconstpointer data)
{
    g_autofree char *first = build_path(fixture, "b");
    g_autofree char *second = build_path(fixture, "b/c");
    g_autofree char *deep = build_path(fixture, "b/c//d/");
    g_autofree char *file = build_path(fixture, "file");
    g_autofree char *under_file = build_path(fixture, "file/d");
    g_autoptr(GError) error = NULL;
    guint made;

    g_assert_true(strobe_folder_check_writable(deep, &made, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(strobe_folder_count(deep), ==, 0);
    g_assert_cmpuint(made, ==, 3);
    strobe_folder_remove_empty(deep, made);
    g_assert_false(g_file_test(first, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(fixture->root, G_FILE_TEST_IS_DIR));
    g_assert_true(strobe_folder_check_writable(deep, &made, &error));
    write_file(second, "kept");
    strobe_folder_remove_empty(deep, made);
    g_assert_false(g_file_test(deep, G_FILE_TEST_EXISTS));
    g_assert_cmpuint(strobe_folder_count(second), ==, 1);
    write_file(fixture->root, "file");
    g_assert_false(strobe_folder_check_writable(file, NULL, &error));
    g_clear_error(&error);
    g_assert_false(strobe_folder_check_writable(under_file, NULL, &error));
    g_assert_nonnull(error);
}

/* Makes a folder like one that a killed command leaves. Returns its path (free it). */
static char *make_abandoned(const Fixture *fixture, const char *name)
{
    char *path = build_path(fixture, name);

    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    write_file(path, "config.json");
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

/* A folder is removed only if it belongs to this user and no command uses it. */
static void test_private_leavings(Fixture *fixture, gconstpointer data)
{
    g_autofree char *dead = make_abandoned(fixture, "strobe-run-dead00");
    g_autofree char *busy = make_abandoned(fixture, "strobe-run-busy00");
    g_autofree char *external = make_abandoned(fixture, "strobe-run-other0");
    g_autofree char *else_ = make_abandoned(fixture, "something-else");
    g_autofree char *link = build_path(fixture, "strobe-run-link00");
    int holder = open(busy, O_RDONLY | O_DIRECTORY);
    StrobeFreshFolder folder;

    g_assert_cmpint(flock(holder, LOCK_EX | LOCK_NB), ==, 0);
    g_assert_cmpint(symlink(else_, link), ==, 0);
    gboolean is_root = chown(external, 12345, 12345) == 0;
    g_setenv("XDG_RUNTIME_DIR", fixture->root, TRUE);
    g_assert_true(strobe_folder_private(&folder, NULL));
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_cmpuint(strobe_folder_count(busy), ==, 1);
    g_assert_cmpuint(strobe_folder_count(else_), ==, 1);
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    g_assert_true(!is_root || strobe_folder_count(external) == 1);
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
    g_test_add("/folder/held", Fixture, NULL, set_up, test_held, tear_down);
    g_test_add("/folder/links-on-the-way", Fixture, NULL, set_up, test_links_on_the_way, tear_down);
    g_test_add("/folder/check-writable", Fixture, NULL, set_up, test_check_writable, tear_down);
    g_test_add("/folder/private", Fixture, NULL, set_up, test_private, tear_down);
    g_test_add("/folder/private-leavings", Fixture, NULL, set_up, test_private_leavings, tear_down);
    g_test_add("/folder/two-at-once", Fixture, NULL, set_up, test_two_at_once, tear_down);
    return g_test_run();
}
