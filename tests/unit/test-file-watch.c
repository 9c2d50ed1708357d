/* SPDX-License-Identifier: Apache-2.0 */
/* A watched file. In this program a thread watches it, because strobe-watch is not near it. */
#include <sys/wait.h>
#include <unistd.h>
#include "file-watch.h"
#include "support.h"

#define POLL_NS 1000000

static void await_change(const StrobeFileWatch *watch)
{
    for (guint i = 0; i < 20000 && !strobe_file_watch_has_change(watch); i++)
        g_usleep(1000);
    g_assert_true(strobe_file_watch_has_change(watch));
}

static void expect_change(StrobeFileWatch *watch, StrobeFileChange change, const char *text)
{
    g_autofree char *found = NULL;
    size_t length = 0;

    g_assert_cmpint(strobe_file_watch_take(watch, &found, &length), ==, change);
    if (text)
        g_assert_cmpmem(found, length, text, strlen(text));
}

static void test_changes(void)
{
    char *folder = scratch_new();
    g_autofree char *path = write_bytes(folder, "file", "first", 5);
    StrobeFileWatch *watch = strobe_file_watch_new(path, POLL_NS);

    g_assert_nonnull(watch);
    expect_change(watch, STROBE_FILE_SAME, NULL);
    for (guint i = 0; i < 3; i++) {
        g_autofree char *text = g_strdup_printf("version %u", i);
        g_assert_true(g_file_set_contents(path, text, -1, NULL));
        await_change(watch);
        expect_change(watch, STROBE_FILE_CHANGED, text);
        expect_change(watch, STROBE_FILE_SAME, NULL);
    }
    g_assert_cmpint(unlink(path), ==, 0);
    await_change(watch);
    expect_change(watch, STROBE_FILE_MISSING, NULL);
    g_assert_cmpuint(strobe_file_watch_looks(watch), >=, 4);
    strobe_file_watch_free(watch);
    scratch_remove(folder);
}

/* Writes a version, and waits until the watch has read it. */
static void write_version(const StrobeFileWatch *watch, const char *path, guint number)
{
    g_autofree char *text = g_strdup_printf("version %u", number);

    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_usleep(25000); /* a younger file is not read, because it may change within its time */
    const guint32 before = strobe_file_watch_looks(watch);
    while (strobe_file_watch_looks(watch) - before < 2)
        g_usleep(1000);
}

/* Changes that were not taken are returned later, in their order. The last 15 are kept. */
static void test_many_changes(void)
{
    enum { CHANGES = 40, KEPT = 15 };
    char *folder = scratch_new();
    g_autofree char *path = write_bytes(folder, "file", "first", 5);
    StrobeFileWatch *watch = strobe_file_watch_new(path, POLL_NS);

    for (guint i = 0; i < CHANGES; i++)
        write_version(watch, path, i);
    for (guint i = CHANGES - KEPT; i < CHANGES; i++) {
        g_autofree char *text = g_strdup_printf("version %u", i);
        expect_change(watch, STROBE_FILE_CHANGED, text);
    }
    expect_change(watch, STROBE_FILE_SAME, NULL);
    strobe_file_watch_free(watch);
    scratch_remove(folder);
}

/* A forked child finds no changes, and closing its watch does not end the parent's. */
static void test_fork(void)
{
    char *folder = scratch_new();
    g_autofree char *path = write_bytes(folder, "file", "first", 5);
    StrobeFileWatch *watch = strobe_file_watch_new(path, POLL_NS);
    int status;

    g_assert_true(g_file_set_contents(path, "second", -1, NULL));
    await_change(watch);
    pid_t child = fork();
    if (child == 0) {
        int is_seen = strobe_file_watch_has_change(watch) || strobe_file_watch_looks(watch);
        strobe_file_watch_free(watch);
        _exit(is_seen);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    expect_change(watch, STROBE_FILE_CHANGED, "second");
    strobe_file_watch_free(watch);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/file-watch/changes", test_changes);
    g_test_add_func("/file-watch/many-changes", test_many_changes);
    g_test_add_func("/file-watch/fork", test_fork);
    return g_test_run();
}
