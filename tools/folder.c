/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"
#include "interruption.h"

#define DEPTH_MAX 64
#define TRIES_MAX 100
#define PRIVATE_PREFIX "strobe-run-"

static gboolean fail(GError **error, const char *what, const char *path)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot %s \"%s\": %s", what, path,
                g_strerror(errno));
    return FALSE;
}

/* Without slashes behind its name, which would make one folder two. */
static char *plain_path(const char *path)
{
    gsize n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    return g_strndup(path, n);
}

/* How many folders of the path are not there. */
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

gboolean strobe_folder_check_writable(const char *path, guint *made, GError **error)
{
    if (made)
        *made = count_missing(path);
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

/* The names of fresh folders for `path` begin with this (free it). */
static char *fresh_prefix(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);

    return g_strdup_printf(".%s.", name);
}

static void remove_leavings(const char *parent, const char *prefix)
{
    g_autoptr(GDir) entries = g_dir_open(parent, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries))) {
        struct stat status;
        if (!g_str_has_prefix(name, prefix))
            continue;
        g_autofree char *path = g_build_filename(parent, name, NULL);
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        /* One that is about to be locked looks the same: see take(). */
        if (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
            flock(folder, LOCK_EX | LOCK_NB) == 0)
            strobe_folder_remove(path);
        if (folder >= 0)
            close(folder);
    }
}

/* As mkdtemp does; an interruption finds no folder that it does not know. */
static gboolean make_half_made(char *name)
{
    strobe_interruption_hold();
    gboolean good = g_mkdtemp_full(name, 0700) != NULL;
    int number = errno;
    if (good)
        strobe_interruption_add(name);
    strobe_interruption_release();
    errno = number;
    return good;
}

static gboolean is_there(const char *path, int folder)
{
    struct stat at_path, open_one;

    return lstat(path, &at_path) == 0 && fstat(folder, &open_one) == 0 &&
           at_path.st_dev == open_one.st_dev && at_path.st_ino == open_one.st_ino;
}

/* Locks a folder just made. FALSE: somebody took it for leavings in between, and removed it. */
static gboolean take(StrobeFreshFolder *fresh, const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), locked = -1;

    while (folder >= 0 && (locked = flock(folder, LOCK_EX)) != 0 && errno == EINTR)
        ;
    /* On a file system without locks nobody finds it unlocked either. */
    if (folder >= 0 ? locked == 0 && !is_there(path, folder) : errno == ENOENT) {
        if (folder >= 0)
            close(folder);
        return FALSE;
    }
    fresh->path = g_strdup(path);
    fresh->lock = folder;
    return TRUE;
}

/* A folder of its own, whose name is `template` with its six X replaced. */
static gboolean make_own(StrobeFreshFolder *fresh, const char *template, gboolean is_half_made)
{
    for (guint i = 0; i < TRIES_MAX; i++) {
        g_autofree char *path = g_strdup(template);

        if (is_half_made ? !make_half_made(path) : !g_mkdtemp_full(path, 0700))
            return FALSE;
        if (take(fresh, path))
            return TRUE;
        if (is_half_made)
            strobe_interruption_remove(path);
    }
    errno = EBUSY;
    return FALSE;
}

gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *prefix = fresh_prefix(path);

    *fresh = (StrobeFreshFolder){.lock = -1};
    gboolean is_new = access(parent, F_OK) != 0;
    if (g_mkdir_with_parents(parent, 0750) != 0)
        return fail(error, "make the folder", parent);
    remove_leavings(parent, prefix);
    g_autofree char *made = g_strdup_printf("%s/%sXXXXXX", parent, prefix);
    if (!make_own(fresh, made, TRUE))
        return fail(error, "make a folder in", parent);
    set_result_mode(fresh->path);
    fresh->parent = is_new ? g_steal_pointer(&parent) : NULL;
    return TRUE;
}

/* Where private folders lie: of this user alone if there is such a place. */
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
    g_autofree char *path = g_strdup_printf("%s/" PRIVATE_PREFIX "XXXXXX", parent);

    *folder = (StrobeFreshFolder){.lock = -1};
    remove_leavings(parent, PRIVATE_PREFIX);
    return make_own(folder, path, FALSE) || fail(error, "make a folder", path);
}

void strobe_folder_discard(StrobeFreshFolder *fresh)
{
    if (fresh->path) {
        strobe_folder_remove(fresh->path);
        strobe_interruption_remove(fresh->path);
    }
    if (fresh->lock >= 0)
        close(fresh->lock);
    if (fresh->parent)
        rmdir(fresh->parent);
    g_clear_pointer(&fresh->parent, g_free);
    g_clear_pointer(&fresh->path, g_free);
    fresh->lock = -1;
}

void strobe_folder_clear(const char *path)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *prefix = fresh_prefix(path);

    remove_leavings(parent, prefix);
}

static int move(const char *from, const char *to)
{
    int moved = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

    if (moved == 0 || (errno != EINVAL && errno != ENOSYS))
        return moved;
    /* A file system that cannot do that replaces an empty folder. */
    if (mkdir(to, 0700) != 0)
        return -1;
    moved = rename(from, to);
    if (moved != 0) {
        int number = errno;
        rmdir(to);
        errno = number;
    }
    return moved;
}

int strobe_folder_move(const char *from, const char *to)
{
    strobe_interruption_hold();
    int moved = move(from, to);
    int number = errno;
    strobe_interruption_release();

    errno = number;
    return moved;
}

static gboolean replace(const char *fresh, const char *path)
{
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_NOREPLACE) == 0 ||
        renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return TRUE;
    /* Some file systems can do neither. */
    if (errno != EINVAL && errno != ENOSYS)
        return FALSE;
    strobe_folder_remove(path);
    return rename(fresh, path) == 0;
}

gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error)
{
    strobe_interruption_hold();
    gboolean good = replace(fresh->path, path);
    int number = errno;
    strobe_interruption_release();

    errno = number;
    if (!good)
        fail(error, "put the new output in place of", path);
    strobe_folder_discard(fresh); /* after an exchange the old one is under this name */
    return good;
}

static void remove_entry(int parent, const char *name, int depth);

/* By system calls alone: a signal handler may be doing this, and the heap be what is broken. */
static void remove_entries(int folder, int depth)
{
    _Alignas(struct dirent64) char buffer[2048];
    long n;

    while ((n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(buffer + at);

            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                remove_entry(folder, entry->d_name, depth + 1);
        }
}

/* Removes the entry `name` of the folder `parent`, with all below it. */
static void remove_entry(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || depth > DEPTH_MAX)
        return;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    remove_entries(folder, depth);
    close(folder);
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
