/* SPDX-License-Identifier: Apache-2.0 */
#include "project-files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "remote-error.h"

#define DEPTH_MAX 64
#define IGNORE_FILE ".strobeignore"

typedef struct Walk {
    const char *folder; /* canonical path of the project's folder */
    char **ignored;     /* patterns in .strobeignore */
    GPtrArray *files;
    GError **error;
} Walk;

void strobe_project_file_free(StrobeProjectFile *file)
{
    if (!file)
        return;
    g_free(file->name);
    g_free(file->path);
    g_free(file);
}

static gboolean refuse_file(const char *path, GError **error, const char *why)
{
    g_autofree char *shown = strobe_remote_excerpt(path, strlen(path));

    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", shown, why);
    return FALSE;
}

/* ---- one file ---- */

static gboolean has_control(const char *name)
{
    for (; *name; name++)
        if ((guchar)*name < ' ' || *name == 0x7f)
            return TRUE;
    return FALSE;
}

static gboolean read_size(StrobeProjectFile *file, GError **error)
{
    struct stat st;

    if (access(file->path, R_OK) == 0 && stat(file->path, &st) == 0) {
        file->n_bytes = (guint64)st.st_size;
        return TRUE;
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", file->path,
                g_strerror(errno));
    return FALSE;
}

gboolean strobe_project_files_add(GPtrArray *files, const char *name, const char *path,
                                  GError **error)
{
    StrobeProjectFile *file = g_new0(StrobeProjectFile, 1);

    file->name = g_strdup(name);
    file->path = g_strdup(path);
    file->is_executable = access(path, X_OK) == 0;
    g_ptr_array_add(files, file);
    return read_size(file, error);
}

/* ---- the tree ---- */

static gboolean is_left_out(const Walk *walk, const char *name, const char *base)
{
    static const char *const own[] = {".git", "profiling", IGNORE_FILE, NULL};

    if (g_strv_contains(own, base) || g_str_has_prefix(base, "JOB") ||
        g_str_has_prefix(base, ".strobe-"))
        return TRUE;
    for (char **pattern = walk->ignored; *pattern; pattern++)
        if (**pattern && **pattern != '#' &&
            (g_pattern_match_simple(*pattern, name) || g_pattern_match_simple(*pattern, base)))
            return TRUE;
    return FALSE;
}

/* Returns the real path to which a link leads. NULL: it is not in the project. */
static char *resolve_link(const Walk *walk, const char *path)
{
    char *real = realpath(path, NULL);
    const gsize length = strlen(walk->folder);
    const gboolean is_inside =
        real && strncmp(real, walk->folder, length) == 0 && real[length] == '/';
    char *copy = is_inside ? g_strdup(real) : NULL;

    free(real);
    return copy;
}

static gboolean walk_folder(Walk *walk, const char *below, int depth);

static gboolean take_regular(Walk *walk, const char *name, const char *path)
{
    if (walk->files->len >= STROBE_PROJECT_FILES_MAX)
        return refuse_file(walk->folder, walk->error, "has more than 100000 files");
    return strobe_project_files_add(walk->files, name, path, walk->error);
}

static gboolean take_link(Walk *walk, const char *name, const char *path)
{
    g_autofree char *real = resolve_link(walk, path);
    struct stat st;

    if (!real)
        return refuse_file(path, walk->error, "the link leads out of the project, or nowhere");
    if (stat(real, &st) != 0 || !S_ISREG(st.st_mode))
        return refuse_file(path, walk->error, "the link leads to no file");
    return take_regular(walk, name, real);
}

static gboolean take_entry(Walk *walk, const char *below, const char *base, int depth)
{
    g_autofree char *name = *below ? g_strconcat(below, "/", base, NULL) : g_strdup(base);
    g_autofree char *path = g_build_filename(walk->folder, name, NULL);
    struct stat st;

    if (is_left_out(walk, name, base))
        return TRUE;
    if (has_control(base))
        return refuse_file(path, walk->error, "the name has a control character");
    if (lstat(path, &st) != 0)
        return refuse_file(path, walk->error, g_strerror(errno));
    if (S_ISREG(st.st_mode))
        return take_regular(walk, name, path);
    if (S_ISLNK(st.st_mode))
        return take_link(walk, name, path);
    if (S_ISDIR(st.st_mode))
        return walk_folder(walk, name, depth + 1);
    return refuse_file(path, walk->error, "is no file, and cannot be sent to a board");
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *read_names(const char *path, GError **error)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *folder = g_dir_open(path, 0, error);
    const char *name;

    while (folder && (name = g_dir_read_name(folder)))
        g_ptr_array_add(names, g_strdup(name));
    if (folder)
        g_dir_close(folder);
    else
        g_clear_pointer(&names, g_ptr_array_unref);
    if (names)
        g_ptr_array_sort(names, compare_names);
    return names;
}

static gboolean walk_folder(Walk *walk, const char *below, int depth)
{
    g_autofree char *path = g_build_filename(walk->folder, below, NULL);
    g_autoptr(GPtrArray) names = NULL;
    gboolean good = TRUE;

    if (depth > DEPTH_MAX)
        return refuse_file(path, walk->error, "more than 64 folders deep");
    names = read_names(path, walk->error);
    for (guint i = 0; names && good && i < names->len; i++)
        good = take_entry(walk, below, g_ptr_array_index(names, i), depth);
    return names && good;
}

GPtrArray *strobe_project_files_list(const char *folder, GError **error)
{
    g_autofree char *ignore = g_build_filename(folder, IGNORE_FILE, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GPtrArray) files =
        g_ptr_array_new_with_free_func((GDestroyNotify)strobe_project_file_free);
    char *real = realpath(folder, NULL);
    Walk walk = {.folder = real, .files = files, .error = error};
    gboolean good;

    if (!real) {
        refuse_file(folder, error, g_strerror(errno));
        return NULL;
    }
    if (!g_file_get_contents(ignore, &text, NULL, NULL))
        text = g_strdup("");
    walk.ignored = g_strsplit_set(text, "\r\n", -1);
    good = walk_folder(&walk, "", 0);
    g_strfreev(walk.ignored);
    free(real);
    return good ? g_steal_pointer(&files) : NULL;
}
