/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "folder-rename.h"
#include "signal-cleanup.h"

#define TRIES_MAX 100
#define PRIVATE_PREFIX "strobe-run-"

static gboolean set_error(GError **error, const char *what, const char *path)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot %s \"%s\": %s", what, path,
                g_strerror(errno));
    return FALSE;
}

/* Returns the path without trailing slashes, so that a folder has only one name. */
static char *plain_path(const char *path)
{
    gsize n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    return g_strndup(path, n);
}

/* Returns the number of folders in the path that do not exist. */
static guint count_missing(const char *path)
{
    g_autofree char *at = plain_path(path);
    guint n = 0;

    for (; access(at, F_OK) != 0 && errno == ENOENT; n++) {
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
    return n;
}

void strobe_folder_remove_empty(const char *path, guint made)
{
    g_autofree char *at = plain_path(path);

    for (; made && rmdir(at) == 0; made--) {
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
}

/* Makes a folder in `around`, whose name is `prefix` and a random ending. Returns the name (free
 * it). NULL with errno set. */
static char *make_new(int around, const char *prefix)
{
    for (guint i = 0; i < TRIES_MAX; i++) {
        g_autofree char *name = g_strdup_printf("%s%08x", prefix, g_random_int());

        if (mkdirat(around, name, 0700) == 0)
            return g_steal_pointer(&name);
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

gboolean strobe_folder_check_writable(const char *path, guint *made, GError **error)
{
    if (made)
        *made = count_missing(path);
    int folder = strobe_folder_open(path, "make the output folder", error);
    if (folder < 0)
        return FALSE;
    g_autofree char *probe = make_new(folder, ".strobe-");
    if (probe)
        unlinkat(folder, probe, AT_REMOVEDIR);
    else
        set_error(error, "write to the output folder", path);
    close(folder);
    return probe != NULL;
}

/* Changes the mode of a result's folder from 0700 to 0750 without the bits of the umask. */
static void set_result_mode(int folder)
{
    mode_t mask = umask(0);

    umask(mask);
    if (fchmod(folder, 0750 & ~mask) != 0)
        errno = 0; /* mode 0700 is sufficient */
}

/* Returns the prefix of the names of fresh folders for `path` (free it). */
static char *fresh_prefix(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);

    return g_strdup_printf(".%s.", name);
}

/* Whether the folder is sticky, or belongs to this user and is not writable for all. In another
 * folder, another user could give any folder of this user the name of one that a killed command
 * left, so that this command would remove it. */
static gboolean is_safe_to_clean(int folder)
{
    struct stat status;

    return fstat(folder, &status) == 0 &&
           (status.st_mode & S_ISVTX ||
            (status.st_uid == geteuid() && !(status.st_mode & S_IWOTH)));
}

static void remove_leaving(int around, const char *name)
{
    int folder = openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    /* This may also remove a folder that its command is about to lock; lock_folder() handles
     * that. */
    if (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0)
        strobe_folder_remove_in(around, name);
    if (folder >= 0)
        close(folder);
}

static void remove_leavings(int around, const char *prefix)
{
    int folder = openat(around, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;

    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (g_str_has_prefix(entry->d_name, prefix) && is_safe_to_clean(folder))
            remove_leaving(around, entry->d_name);
    if (entries)
        closedir(entries);
    else if (folder >= 0)
        close(folder);
}

/* Makes a folder and registers it for removal by a signal; no signal can come in between. Returns
 * its name (free it), or NULL with errno set. */
static char *make_half_made(int around, const char *prefix)
{
    strobe_signal_cleanup_hold();
    char *name = make_new(around, prefix);
    int number = errno;
    if (name) {
        g_autofree char *held = strobe_folder_held_path(around, name);
        strobe_signal_cleanup_add(held);
    }
    strobe_signal_cleanup_release();
    errno = number;
    return name;
}

static void forget_half_made(int around, const char *name)
{
    g_autofree char *held = strobe_folder_held_path(around, name);

    strobe_signal_cleanup_remove(held);
}

/* Whether the entry `name` of the folder `around` is the open folder `folder`, and this user owns
 * it. */
static gboolean is_there(int around, const char *name, int folder)
{
    struct stat named, open_one;

    return fstatat(around, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstat(folder, &open_one) == 0 && named.st_dev == open_one.st_dev &&
           named.st_ino == open_one.st_ino && open_one.st_uid == geteuid();
}

/* Locks a new folder. FALSE: another command has removed the folder, because it was not locked yet,
 * like one that a killed command left. */
static gboolean lock_folder(StrobeFreshFolder *fresh, const char *name)
{
    int folder = openat(fresh->around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int locked = -1;

    while (folder >= 0 && (locked = flock(folder, LOCK_EX)) != 0 && errno == EINTR)
        ;
    /* On a file system without locks, the folder is used without a lock. No command can lock it, so
     * no command removes it. */
    if (folder >= 0 ? locked == 0 && !is_there(fresh->around, name, folder) : errno == ENOENT) {
        if (folder >= 0)
            close(folder);
        return FALSE;
    }
    fresh->name = g_strdup(name);
    fresh->lock = folder;
    return TRUE;
}

/* Makes a new folder in fresh->around, and locks it. On failure closes fresh->around; errno is
 * set. */
static gboolean make_own(StrobeFreshFolder *fresh, const char *prefix, gboolean is_half_made)
{
    int number = EBUSY;

    for (guint i = 0; i < TRIES_MAX; i++) {
        g_autofree char *name =
            is_half_made ? make_half_made(fresh->around, prefix) : make_new(fresh->around, prefix);

        number = name ? EBUSY : errno;
        if (!name)
            break;
        if (lock_folder(fresh, name))
            return TRUE;
        if (is_half_made)
            forget_half_made(fresh->around, name);
    }
    close(fresh->around);
    fresh->around = -1;
    errno = number;
    return FALSE;
}

gboolean strobe_folder_begin_in(StrobeFreshFolder *fresh, int around, const char *path,
                                GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *prefix = fresh_prefix(path);

    *fresh = (StrobeFreshFolder){.lock = -1, .around = fcntl(around, F_DUPFD_CLOEXEC, 3)};
    if (fresh->around >= 0)
        remove_leavings(around, prefix);
    if (fresh->around < 0 || !make_own(fresh, prefix, TRUE))
        return set_error(error, "make a folder in", parent);
    fresh->path = g_build_filename(parent, fresh->name, NULL);
    if (fresh->lock >= 0)
        set_result_mode(fresh->lock);
    return TRUE;
}

gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    gboolean is_new = access(parent, F_OK) != 0;
    int around = strobe_folder_open(parent, "make the folder", error);

    *fresh = (StrobeFreshFolder){.lock = -1, .around = -1};
    if (around < 0)
        return FALSE;
    gboolean good = strobe_folder_begin_in(fresh, around, path, error);
    close(around);
    fresh->parent = good && is_new ? g_steal_pointer(&parent) : NULL;
    return good;
}

/* Returns the path of the folder for private folders: $XDG_RUNTIME_DIR if this user owns it and may
 * write to it, otherwise /tmp. */
static const char *private_parent(void)
{
    const char *parent = g_getenv("XDG_RUNTIME_DIR");
    struct stat status;

    if (!parent || parent[0] != '/' || lstat(parent, &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != geteuid() || access(parent, W_OK | X_OK) != 0)
        return "/tmp";
    return parent;
}

gboolean strobe_folder_private(StrobeFreshFolder *folder, GError **error)
{
    const char *parent = private_parent();

    *folder =
        (StrobeFreshFolder){.lock = -1, .around = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (folder->around >= 0)
        remove_leavings(folder->around, PRIVATE_PREFIX);
    if (folder->around < 0 || !make_own(folder, PRIVATE_PREFIX, FALSE))
        return set_error(error, "make a folder in", parent);
    folder->path = g_build_filename(parent, folder->name, NULL);
    return TRUE;
}

void strobe_folder_discard(StrobeFreshFolder *fresh)
{
    if (fresh->path) {
        strobe_folder_remove_in(fresh->around, fresh->name);
        forget_half_made(fresh->around, fresh->name);
        strobe_signal_cleanup_remove(fresh->path);
        close(fresh->around);
    }
    if (fresh->lock >= 0)
        close(fresh->lock);
    if (fresh->parent)
        rmdir(fresh->parent);
    g_clear_pointer(&fresh->parent, g_free);
    g_clear_pointer(&fresh->path, g_free);
    g_clear_pointer(&fresh->name, g_free);
    fresh->lock = fresh->around = -1;
}

void strobe_folder_clear(const char *path)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *prefix = fresh_prefix(path);
    int around = open(parent, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (around < 0)
        return;
    remove_leavings(around, prefix);
    close(around);
}

int strobe_folder_move(const char *from, const char *to)
{
    strobe_signal_cleanup_hold();
    int moved = strobe_rename_folder(AT_FDCWD, from, AT_FDCWD, to);
    int number = errno;
    strobe_signal_cleanup_release();

    errno = number;
    return moved;
}

static gboolean replace_folder(const StrobeFreshFolder *fresh, const char *name)
{
    int in = fresh->around;

    if (renameat2(in, fresh->name, in, name, RENAME_NOREPLACE) == 0 ||
        renameat2(in, fresh->name, in, name, RENAME_EXCHANGE) == 0)
        return TRUE;
    /* Some file systems support neither of these flags. */
    if (errno != EINVAL && errno != ENOSYS)
        return FALSE;
    strobe_folder_remove_in(in, name);
    return renameat(in, fresh->name, in, name) == 0;
}

gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error)
{
    g_autofree char *name = g_path_get_basename(path);

    strobe_signal_cleanup_hold();
    gboolean good = replace_folder(fresh, name);
    int number = errno;
    strobe_signal_cleanup_release();

    errno = number;
    if (!good)
        set_error(error, "put the new output in place of", path);
    /* removes the old folder, which has the name fresh->name after an exchange */
    strobe_folder_discard(fresh);
    return good;
}

guint strobe_folder_count(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    guint n = 0;

    while (folder && g_dir_read_name(folder))
        n++;
    return n;
}
