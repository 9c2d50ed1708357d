/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Folder {
    char *path;
    int fd;
} Folder;

static void set_up(Folder *folder, gconstpointer unused)
{
    folder->path = g_dir_make_tmp("strobe-safe-file-XXXXXX", NULL);
    g_assert_nonnull(folder->path);
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(folder->fd, >=, 0);
}

/* Returns the number of entries in the folder, with any name. */
static guint count_entries(Folder *folder)
{
    GDir *dir = g_dir_open(folder->path, 0, NULL);
    guint n = 0;

    while (g_dir_read_name(dir))
        n++;
    g_dir_close(dir);
    return n;
}

static void tear_down(Folder *folder, gconstpointer unused)
{
    GDir *dir = g_dir_open(folder->path, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder->path, name, NULL);
        g_remove(path);
    }
    g_dir_close(dir);
    g_rmdir(folder->path);
    close(folder->fd);
    g_free(folder->path);
}

static char *read_content(Folder *folder, const char *name, gsize *length)
{
    g_autofree char *path = g_build_filename(folder->path, name, NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, length, NULL);
    return text;
}

static void test_whole_or_not(Folder *folder, gconstpointer unused)
{
    StrobeSafeFile *file = strobe_safe_file_create(folder->fd, "out.json");
    struct stat info;

    g_assert_nonnull(file);
    strobe_safe_file_puts(file, "hello");
    g_assert_cmpuint(strobe_safe_file_size(file), ==, 5);
    g_assert_cmpint(fstatat(folder->fd, "out.json", &info, 0), ==, -1);
    g_assert_cmpint(strobe_safe_file_finish(file), ==, 0);
    g_assert_cmpint(fstatat(folder->fd, "out.json", &info, 0), ==, 0);
    g_assert_cmpuint(info.st_mode & 0137, ==, 0);
    g_assert_cmpuint(count_entries(folder), ==, 1);
    g_autofree char *text = read_content(folder, "out.json", NULL);

    g_assert_cmpstr(text, ==, "hello");

    /* A discarded rewrite leaves the old content. */
    file = strobe_safe_file_create(folder->fd, "out.json");
    strobe_safe_file_puts(file, "other");
    strobe_safe_file_discard(file);
    strobe_safe_file_discard(NULL);
    g_assert_cmpuint(count_entries(folder), ==, 1);
}

static void test_names(Folder *folder, gconstpointer unused)
{
    g_autofree char *longest = g_strnfill(300, 'n');
    static const char *const bad[] = {"", ".", "..", "a/b", "/etc/passwd", "../x"};

    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_null(strobe_safe_file_create(folder->fd, bad[i]));
        g_assert_cmpint(errno, ==, EINVAL);
    }
    g_assert_null(strobe_safe_file_create(folder->fd, longest));
    g_assert_cmpint(errno, ==, ENAMETOOLONG);
    g_assert_null(strobe_safe_file_create(-1, "x"));
    g_assert_cmpint(errno, ==, EBADF);
    g_assert_cmpuint(count_entries(folder), ==, 0);
}

/* Checks that symbolic links with the temporary and the final name, which another user may have
 * made, are not followed. */
static void test_symlinks(Folder *folder, gconstpointer unused)
{
    g_autofree char *victim = g_build_filename(folder->path, "victim", NULL);
    StrobeSafeFile *file;
    struct stat info;

    g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
    for (int i = 0; i < 100; i++) { /* all temporary names that may be tried next */
        g_autofree char *temporary = g_strdup_printf(".strobe-%ld-%d.tmp", (long)getpid(), i);

        g_assert_cmpint(symlinkat(victim, folder->fd, temporary), ==, 0);
    }
    g_assert_cmpint(symlinkat(victim, folder->fd, "out"), ==, 0);
    file = strobe_safe_file_create(folder->fd, "out");
    g_assert_nonnull(file);
    strobe_safe_file_puts(file, "mine");
    g_assert_cmpint(strobe_safe_file_finish(file), ==, 0);
    g_autofree char *kept = read_content(folder, "victim", NULL);
    g_autofree char *made = read_content(folder, "out", NULL);

    g_assert_cmpstr(kept, ==, "precious");
    g_assert_cmpstr(made, ==, "mine");
    g_assert_cmpint(fstatat(folder->fd, "out", &info, AT_SYMLINK_NOFOLLOW), ==, 0);
    g_assert_true(S_ISREG(info.st_mode));
}

static void test_large(Folder *folder, gconstpointer unused)
{
    StrobeSafeFile *file = strobe_safe_file_create(folder->fd, "large");
    g_autofree char *block = g_strnfill(300000, 'b');
    gsize length;

    strobe_safe_file_puts(file, "head");
    strobe_safe_file_write(file, block, 300000);
    for (int i = 0; i < 500000; i++)
        strobe_safe_file_puts(file, "tail 789\n");
    strobe_safe_file_puts(file, "end");
    g_assert_cmpuint(strobe_safe_file_size(file), ==, 4 + 300000 + 4500000 + 3);
    g_assert_cmpint(strobe_safe_file_finish(file), ==, 0);
    g_autofree char *text = read_content(folder, "large", &length);

    g_assert_cmpuint(length, ==, 4800007);
    g_assert_true(g_str_has_prefix(text, "headbbb"));
    g_assert_true(g_str_has_suffix(text, "tail 789\nend"));
    g_assert_true(g_str_has_prefix(text + 300004, "tail 789\ntail 789\n"));
    g_assert_cmpuint(count_entries(folder), ==, 1);
}

/* Simulates a full disk by a file size limit. */
static struct rlimit limit_files(rlim_t bytes)
{
    struct rlimit limit, old;

    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = bytes;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return old;
}

static void test_disk_full(Folder *folder, gconstpointer unused)
{
    StrobeSafeFile *file = strobe_safe_file_create(folder->fd, "out");
    g_autofree char *block = g_strnfill(100000, 'b');
    struct rlimit old = limit_files(1000000);
    int error = 0;

    for (int i = 0; i < 20 && !error; i++)
        error = strobe_safe_file_write(file, block, 100000);
    g_assert_cmpint(error, ==, EFBIG);
    g_assert_cmpint(strobe_safe_file_write(file, "x", 1), ==, EFBIG);
    error = strobe_safe_file_finish(file);
    setrlimit(RLIMIT_FSIZE, &old);
    g_assert_cmpint(error, ==, EFBIG);
    g_assert_cmpuint(count_entries(folder), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/safe-file/" path, Folder, NULL, set_up, function, tear_down)
    ADD("whole-or-not", test_whole_or_not);
    ADD("names", test_names);
    ADD("symlinks", test_symlinks);
    ADD("large", test_large);
    ADD("disk-full", test_disk_full);
    return g_test_run();
}
