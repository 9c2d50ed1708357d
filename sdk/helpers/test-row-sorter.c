/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <strobe/helpers/row-sorter.h>
#include <unistd.h>

typedef struct Fixture {
    char *folder;
    int directory;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-sorter-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The scratch file has no name: the folder is empty. */
static void tear_down(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->folder);
    close(f->directory);
}

static int collect(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

/* `length` more bytes in every row. */
static GString *sorted(Fixture *f, size_t run_bytes, int n, gsize length)
{
    StrobeRowSorter *sorter = strobe_row_sorter_new(f->directory, run_bytes);
    GString *text = g_string_new(NULL);
    g_autofree char *more = g_strnfill(length, 'x');

    for (int i = 0; i < n; i++) {
        const StrobeRowKey key = {i % 2, i * 7919 % 101 - 50};
        g_autofree char *row =
            g_strdup_printf("%d:%d:%d%s\n", (int)key.major, (int)key.minor, i, more);

        g_assert_cmpint(strobe_row_sorter_add(sorter, key, row, strlen(row)), ==, 0);
    }
    g_assert_cmpint(strobe_row_sorter_finish(sorter, collect, text), ==, 0);
    strobe_row_sorter_free(sorter);
    return text;
}

/* Small runs and large ones give the same order: by key, equal keys as they came. */
static void test_runs(Fixture *f, gconstpointer unused)
{
    static const size_t sizes[] = {100000000, 1000, 1};
    GString *first = sorted(f, sizes[0], 5000, 0);

    g_assert_true(g_str_has_prefix(first->str, "0:-50:0\n0:-50:202\n0:-50:404\n"));
    g_assert_nonnull(strstr(first->str, "\n1:-50:101\n1:-50:303\n"));
    for (gsize i = 1; i < G_N_ELEMENTS(sizes); i++) {
        GString *other = sorted(f, sizes[i], 5000, 0);

        g_assert_cmpstr(other->str, ==, first->str);
        g_string_free(other, TRUE);
    }
    g_string_free(first, TRUE);
}

/* Rows longer than what is read at once. */
static void test_long_rows(Fixture *f, gconstpointer unused)
{
    GString *whole = sorted(f, 100000000, 40, 300000);
    GString *runs = sorted(f, 1000000, 40, 300000);

    g_assert_cmpuint(whole->len, >, 40 * 300000);
    g_assert_true(g_string_equal(whole, runs));
    g_string_free(whole, TRUE);
    g_string_free(runs, TRUE);
}

/* What comes in order is one run, however much it is. */
static void test_in_order(Fixture *f, gconstpointer unused)
{
    StrobeRowSorter *sorter = strobe_row_sorter_new(f->directory, 500);
    g_autoptr(GString) text = g_string_new(NULL), expected = g_string_new(NULL);

    for (int i = 0; i < 3000; i++) {
        const StrobeRowKey key = {0, i / 3};
        g_autofree char *row = g_strdup_printf("%d\n", i);

        g_string_append(expected, row);
        g_assert_cmpint(strobe_row_sorter_add(sorter, key, row, strlen(row)), ==, 0);
    }
    g_assert_cmpint(strobe_row_sorter_finish(sorter, collect, text), ==, 0);
    g_assert_cmpstr(text->str, ==, expected->str);
    strobe_row_sorter_free(sorter);
}

static void test_empty(Fixture *f, gconstpointer unused)
{
    StrobeRowSorter *sorter = strobe_row_sorter_new(-1, 1000);
    g_autoptr(GString) text = g_string_new(NULL);

    g_assert_cmpint(strobe_row_sorter_add(sorter, (StrobeRowKey){0, 0}, NULL, 0), ==, 0);
    g_assert_cmpint(strobe_row_sorter_finish(sorter, collect, text), ==, 0);
    g_assert_cmpuint(text->len, ==, 0);
    strobe_row_sorter_free(sorter);
    strobe_row_sorter_free(NULL);
}

static int refuse(void *user, const char *bytes, size_t length)
{
    return ++*(int *)user == 3 ? ENOSPC : 0;
}

static int nameless(const Fixture *f)
{
    int file = openat(f->directory, "file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    g_assert_cmpint(file, >=, 0);
    g_assert_cmpint(unlinkat(f->directory, "file", 0), ==, 0);
    return file;
}

/* In a file of the caller's, whether it is needed or not: it is closed by the sorter. */
static void test_given_file(Fixture *f, gconstpointer unused)
{
    for (int pass = 0; pass < 2; pass++) {
        int file = nameless(f);
        StrobeRowSorter *sorter = strobe_row_sorter_new_in(file, pass ? 100000 : 1000);
        g_autoptr(GString) text = g_string_new(NULL), expected = g_string_new(NULL);

        for (int i = 0; i < 500; i++) {
            g_autofree char *row = g_strdup_printf("%d\n", 499 - i);

            g_string_append_printf(expected, "%d\n", i);
            g_assert_cmpint(strobe_row_sorter_add(sorter, (StrobeRowKey){0, -i}, row, strlen(row)),
                            ==, 0);
        }
        g_assert_cmpint(strobe_row_sorter_finish(sorter, collect, text), ==, 0);
        g_assert_cmpstr(text->str, ==, expected->str);
        strobe_row_sorter_free(sorter);
        g_assert_cmpint(fcntl(file, F_GETFD), ==, -1);
    }
}

/* Why there is no file is told when one is needed. */
static void test_no_file(Fixture *f, gconstpointer unused)
{
    errno = EMFILE;
    StrobeRowSorter *sorter = strobe_row_sorter_new_in(-1, 1000);

    g_assert_cmpint(strobe_row_sorter_add(sorter, (StrobeRowKey){0, 0}, "row", 3), ==, 0);
    while (!(errno = strobe_row_sorter_add(sorter, (StrobeRowKey){0, 0}, "row", 3)))
        ;
    g_assert_cmpint(errno, ==, EMFILE);
    strobe_row_sorter_free(sorter);
}

static void test_errors(Fixture *f, gconstpointer unused)
{
    for (int pass = 0; pass < 2; pass++) {
        StrobeRowSorter *sorter = strobe_row_sorter_new(f->directory, pass ? 1000 : 10);
        int n_rows = 0;

        for (int i = 0; i < 9; i++)
            g_assert_cmpint(strobe_row_sorter_add(sorter, (StrobeRowKey){0, -i}, "row", 3), ==, 0);
        g_assert_cmpint(strobe_row_sorter_finish(sorter, refuse, &n_rows), ==, ENOSPC);
        g_assert_cmpint(n_rows, ==, 3);
        strobe_row_sorter_free(sorter);
    }
    /* No folder for the scratch file. */
    StrobeRowSorter *sorter = strobe_row_sorter_new(-1, 1);

    g_assert_cmpint(strobe_row_sorter_add(sorter, (StrobeRowKey){0, 0}, "row", 3), ==, EBADF);
    strobe_row_sorter_free(sorter);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/row-sorter/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("runs", test_runs);
    ADD("long-rows", test_long_rows);
    ADD("in-order", test_in_order);
    ADD("empty", test_empty);
    ADD("given-file", test_given_file);
    ADD("no-file", test_no_file);
    ADD("errors", test_errors);
    return g_test_run();
}
