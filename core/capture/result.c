/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "recover.h"

static void free_result(gpointer data)
{
    StrobeResult *result = data;

    g_free(result->directory);
    g_free(result->capture);
    g_free(result->source);
    g_free(result);
}

/* Adds a StrobeResult to `results`. `directory` is NULL if there is no result directory; `source`
 * becomes StrobeResult.source. */
static void add_result(GPtrArray *results, const char *directory, const char *source, char *capture)
{
    StrobeResult *result = g_new0(StrobeResult, 1);

    result->directory = g_strdup(directory);
    result->source = g_strdup(source);
    result->capture = capture;
    g_ptr_array_add(results, result);
}

/* Returns the newest segment in a folder; NULL if there is none. */
static char *newest_segment(const char *folder)
{
    g_auto(GStrv) names = strobe_segments_list(folder);
    guint n = g_strv_length(names);

    return n ? g_build_filename(folder, names[n - 1], NULL) : NULL;
}

static gboolean add_directory(GPtrArray *results, const char *directory)
{
    g_autofree char *framework = g_build_filename(directory, STROBE_FRAMEWORK_DIR, NULL);
    char *capture = newest_segment(framework);

    if (capture)
        add_result(results, directory, directory, capture);
    return capture != NULL;
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
        add_directory(results, child);
    }
    g_ptr_array_sort(results, compare_results);
}

/* Returns the directory that contains the folder, if the folder is called FRAMEWORK; otherwise
 * NULL. The path of the folder may lack its name, such as ".". */
static char *directory_around(const char *folder)
{
    g_autofree char *named = g_path_get_basename(folder);
    g_autofree char *whole = g_canonicalize_filename(folder, NULL);
    g_autofree char *real = g_path_get_basename(whole);

    if (strcmp(named, STROBE_FRAMEWORK_DIR) == 0) {
        g_autofree char *trimmed = g_strdup(folder);
        for (gsize n = strlen(trimmed); n > 1 && trimmed[n - 1] == '/'; n--)
            trimmed[n - 1] = 0;
        return g_path_get_dirname(trimmed);
    }
    return strcmp(real, STROBE_FRAMEWORK_DIR) ? NULL : g_path_get_dirname(whole);
}

/* Adds the result for a capture's file: the result directory that contains it, if there is one and
 * the file is not one of several segments; otherwise the file alone. */
static void add_file(GPtrArray *results, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *directory = directory_around(folder);
    g_auto(GStrv) segments = strobe_segments_list(folder);
    gboolean is_whole = g_strv_length(segments) == 1 && strcmp(segments[0], name) == 0;

    if (directory && is_whole)
        add_directory(results, directory);
    else
        add_result(results, NULL, path, g_strdup(path));
}

static void add_folder(GPtrArray *results, const char *path)
{
    g_autofree char *around = directory_around(path);

    if (add_directory(results, path) || (around && add_directory(results, around)))
        return;
    add_children(results, path);
    char *lone = results->len == 0 ? newest_segment(path) : NULL;
    if (lone)
        /* the capture was copied here without its result directory */
        add_result(results, NULL, path, lone);
}

static gboolean is_closed(const char *folder)
{
    return access(folder, R_OK | X_OK) != 0 && errno == EACCES;
}

/* Returns a folder in `path` that may contain a result and cannot be read; NULL: there is none. */
static char *closed_folder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        g_autofree char *framework = g_build_filename(child, STROBE_FRAMEWORK_DIR, NULL);
        if (g_file_test(child, G_FILE_TEST_IS_DIR) && (is_closed(child) || is_closed(framework)))
            return g_steal_pointer(&child);
    }
    return NULL;
}

static void fail_empty(const char *path, GError **error)
{
    g_autofree char *closed = is_closed(path) ? g_strdup(path) : closed_folder(path);

    if (closed)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", closed,
                    g_strerror(EACCES));
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: no result directory, capture or parent of result directories: nothing "
                    "named %s/%s in it or below its folders",
                    path, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME);
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
    if (S_ISDIR(st.st_mode))
        add_folder(results, path);
    else
        add_file(results, path);
    if (results->len == 0) {
        fail_empty(path, error);
        return NULL;
    }
    return g_steal_pointer(&results);
}

gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error)
{
    return strobe_recover(result->capture, live, error);
}

gint strobe_result_rank(const StrobeResult *result)
{
    static const char prefix[] = "profiler_info_", suffix[] = ".json";
    g_autoptr(GDir) folder = result->directory ? g_dir_open(result->directory, 0, NULL) : NULL;
    gint rank = -1;

    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        if (!g_str_has_prefix(name, prefix) || !g_str_has_suffix(name, suffix))
            continue;
        const char *begin = name + strlen(prefix);
        g_autofree char *text =
            g_strndup(begin, strlen(begin) - MIN(strlen(begin), strlen(suffix)));
        guint64 number;
        if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &number, NULL))
            continue;
        if (rank >= 0)
            return -1; /* if there are two ranks, the rank is unknown */
        rank = (gint)number;
    }
    return rank;
}
