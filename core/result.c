/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "error.h"
#include "recover.h"

static void free_result(gpointer data)
{
    StrobeResult *result = data;

    g_free(result->directory);
    g_free(result->capture);
    g_free(result);
}

static gboolean is_result(const char *directory)
{
    g_autofree char *capture =
        g_build_filename(directory, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME, NULL);
    return g_file_test(capture, G_FILE_TEST_IS_REGULAR);
}

static void add_result(GPtrArray *results, const char *directory, const char *capture)
{
    StrobeResult *result = g_new0(StrobeResult, 1);

    result->directory = g_strdup(directory);
    result->capture =
        directory ? g_build_filename(directory, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME, NULL)
                  : g_strdup(capture);
    g_ptr_array_add(results, result);
}

static int compare_results(gconstpointer a, gconstpointer b)
{
    const StrobeResult *x = *(StrobeResult *const *)a, *y = *(StrobeResult *const *)b;
    return strcmp(x->capture, y->capture);
}

static void add_children(GPtrArray *results, const char *parent)
{
    g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(parent, name, NULL);
        if (is_result(child))
            add_result(results, child, NULL);
    }
    g_ptr_array_sort(results, compare_results);
}

GPtrArray *strobe_result_find(const char *path, GError **error)
{
    g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(free_result);
    struct stat st;

    if (stat(path, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", path,
                    g_strerror(errno));
        return NULL;
    }
    if (!S_ISDIR(st.st_mode)) {
        /* The capture of a result directory belongs to it. */
        g_autofree char *framework = g_path_get_dirname(path);
        g_autofree char *directory = g_path_get_dirname(framework);
        g_autofree char *folder = g_path_get_basename(framework);
        g_autofree char *name = g_path_get_basename(path);
        gboolean inside =
            strcmp(folder, STROBE_FRAMEWORK_DIR) == 0 && strcmp(name, STROBE_CAPTURE_NAME) == 0;
        add_result(results, inside ? directory : NULL, path);
    } else if (is_result(path)) {
        add_result(results, path, NULL);
    } else {
        g_autofree char *lone = g_build_filename(path, STROBE_CAPTURE_NAME, NULL);
        add_children(results, path);
        if (results->len == 0 && g_file_test(lone, G_FILE_TEST_IS_REGULAR))
            add_result(results, NULL, lone); /* copied here without its directory */
    }
    if (results->len == 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: no result directory, capture or parent of result directories: nothing "
                    "named %s/%s in it or below its folders",
                    path, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME);
        return NULL;
    }
    return g_steal_pointer(&results);
}

gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error)
{
    return strobe_recover(result->capture, live, error);
}
