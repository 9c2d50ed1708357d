/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

#define DEPTH_MAX 64

static gboolean fail(GError **error, const char *what, const char *path)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot %s \"%s\": %s", what, path,
                g_strerror(errno));
    return FALSE;
}

char *strobe_folder_private(GError **error)
{
    const char *parent = g_getenv("XDG_RUNTIME_DIR");
    struct stat status;

    if (!parent || parent[0] != '/' || lstat(parent, &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != geteuid() || access(parent, W_OK | X_OK) != 0)
        parent = "/tmp";
    g_autofree char *path = g_build_filename(parent, "strobe-run-XXXXXX", NULL);
    if (!g_mkdtemp_full(path, 0700)) {
        fail(error, "make a folder", path);
        return NULL;
    }
    return g_steal_pointer(&path);
}

gboolean strobe_folder_check_writable(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0750) != 0)
        return fail(error, "make the output folder", path);
    g_autofree char *probe = g_build_filename(path, ".strobe-XXXXXX", NULL);
    if (!g_mkdtemp_full(probe, 0700))
        return fail(error, "write to the output folder", path);
    rmdir(probe);
    return TRUE;
}

/* mkdtemp makes 0700 whatever the umask; results are 0750 less the umask. */
static void set_result_mode(const char *path)
{
    mode_t mask = umask(0);

    umask(mask);
    if (chmod(path, 0750 & ~mask) != 0)
        errno = 0; /* 0700 will do */
}

char *strobe_folder_beside(const char *path, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);

    if (g_mkdir_with_parents(parent, 0750) != 0) {
        fail(error, "make the folder", parent);
        return NULL;
    }
    g_autofree char *fresh = g_strdup_printf("%s/.%s.XXXXXX", parent, name);
    if (!g_mkdtemp_full(fresh, 0700)) {
        fail(error, "make a folder in", parent);
        return NULL;
    }
    set_result_mode(fresh);
    return g_steal_pointer(&fresh);
}

gboolean strobe_folder_replace(const char *fresh, const char *path, GError **error)
{
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return TRUE;
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        strobe_folder_remove(fresh);
        return TRUE;
    }
    /* Some file systems can do neither. */
    if (errno == EINVAL || errno == ENOSYS) {
        strobe_folder_remove(path);
        if (rename(fresh, path) == 0)
            return TRUE;
    }
    return fail(error, "put the new output in place of", path);
}

/* Removes the entry `name` of the folder `parent`, with all below it. */
static void remove_entry(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || depth > DEPTH_MAX)
        return;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    DIR *entries = fdopendir(folder);
    if (!entries) {
        close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_entry(folder, entry->d_name, depth + 1);
    closedir(entries);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void strobe_folder_remove(const char *path)
{
    remove_entry(AT_FDCWD, path, 0);
}

guint strobe_folder_count(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    guint n = 0;

    while (folder && g_dir_read_name(folder))
        n++;
    return n;
}
