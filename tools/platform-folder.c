/* SPDX-License-Identifier: Apache-2.0 */
#include "platform-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "folder-rename.h"
#include "folder.h"

#define PREFIX "PLATFORM_"

static gboolean is_platform(int folder, const char *name)
{
    struct stat status;

    return g_regex_match_simple("^" PREFIX "[0-9]{1,20}$", name, G_REGEX_DOLLAR_ENDONLY, 0) &&
           fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

/* Returns the name of an entry PLATFORM_<digits> in the directory (free it). NULL: there is
 * none. */
static char *find_name(int folder)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    char *found = NULL;

    if (!entries && copy >= 0)
        close(copy);
    while (entries && !found && (entry = readdir(entries)))
        if (is_platform(folder, entry->d_name))
            found = g_strdup(entry->d_name);
    if (entries)
        closedir(entries);
    return found;
}

/* Returns the new path of the platform folder, next to the result directory (free it). NULL: the
 * name of the result does not have the form {worker}_{pid}_{time}_ascend_pt. */
static char *make_new_name(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *base = g_path_get_basename(whole);
    g_autoptr(GRegex) form = g_regex_new("_([0-9]+)_ascend_pt$", G_REGEX_DOLLAR_ENDONLY, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;

    if (!g_regex_match(form, base, 0, &match))
        return NULL;
    g_autofree char *time = g_match_info_fetch(match, 1);
    return g_strconcat(PREFIX, time, NULL);
}

static gboolean move_beside(int folder, const char *name, const char *path)
{
    g_autofree char *new_name = make_new_name(path);
    int parent = new_name ? openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    gboolean moved = parent >= 0 && strobe_rename_folder(folder, name, parent, new_name) == 0;

    if (!new_name)
        errno = EINVAL;
    if (parent >= 0) {
        const int number = errno;
        close(parent);
        errno = number;
    }
    return moved;
}

void strobe_platform_folder_move(int folder, const char *path)
{
    g_autofree char *name = find_name(folder);

    if (!name || unlinkat(folder, name, AT_REMOVEDIR) == 0)
        return;
    if (!move_beside(folder, name, path))
        strobe_complain("%s/%s stays there: %s", path, name,
                        errno == EINVAL ? "the result's name has no time" : g_strerror(errno));
}
