/* SPDX-License-Identifier: Apache-2.0 */
#include "test-tree.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *tree_new(void)
{
    char *root = g_dir_make_tmp("strobe-tree-XXXXXX", NULL);

    g_assert_nonnull(root);
    return root;
}

static void remove_below(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    const char *name;

    while (folder && (name = g_dir_read_name(folder))) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        if (!g_file_test(below, G_FILE_TEST_IS_SYMLINK) && g_file_test(below, G_FILE_TEST_IS_DIR))
            remove_below(below);
        else
            g_remove(below);
    }
    g_rmdir(path);
}

void tree_free(char *root)
{
    remove_below(root);
    g_free(root);
}

static char *path_of(const char *root, const char *pattern)
{
    const char *mark = strstr(pattern, "%d");

    if (!mark)
        return g_build_filename(root, pattern, NULL);
    return g_strdup_printf("%s/%.*s%d%s", root, (int)(mark - pattern), pattern, (int)getpid(),
                           mark + 2);
}

static char *make_path(const char *root, const char *pattern)
{
    char *path = path_of(root, pattern);
    g_autofree char *folder = g_path_get_dirname(path);

    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    return path;
}

void tree_put(const char *root, const char *pattern, const char *text)
{
    g_autofree char *path = make_path(root, pattern);
    FILE *file = fopen(path, "r+");

    if (!file)
        file = fopen(path, "w");
    g_assert_nonnull(file);
    fputs(text, file);
    g_assert_cmpint(ftruncate(fileno(file), (off_t)strlen(text)), ==, 0);
    fclose(file);
}

void tree_remove(const char *root, const char *pattern)
{
    g_autofree char *path = path_of(root, pattern);

    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        remove_below(path);
    else
        g_assert_cmpint(g_remove(path), ==, 0);
}

void tree_put_fifo(const char *root, const char *pattern)
{
    g_autofree char *path = make_path(root, pattern);

    g_remove(path);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
}

static gboolean is_wanted(const StrobeMockRecord *record, const char *kind, const char *name)
{
    return !strcmp(record->kind->name, kind) && (!name || !strcmp(record->name, name));
}

const StrobeMockRecord *tree_record(StrobeMockHost *mock, const char *kind, const char *name,
                                    gsize index)
{
    for (gsize i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        if (is_wanted(record, kind, name) && index-- == 0)
            return record;
    }
    return NULL;
}

gsize tree_count(StrobeMockHost *mock, const char *kind, const char *name)
{
    gsize n = 0;

    for (gsize i = 0; i < strobe_mock_host_n_records(mock); i++)
        n += is_wanted(strobe_mock_host_record(mock, i), kind, name);
    return n;
}
