/* SPDX-License-Identifier: Apache-2.0 */
#include "folder-path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"

#define LINKS_MAX 40
#define DEPTH_MAX 64

typedef struct Walk {
    int folder;    /* descriptor (O_PATH) of the folder that the walk has reached */
    GString *rest; /* the part of the path that is still to be walked */
    gboolean makes;
    guint n_links;
} Walk;

static void enter_folder(Walk *walk, int folder)
{
    close(walk->folder);
    walk->folder = folder;
}

/* Removes the first name from the path and returns it (free it). NULL: the path has ended. */
static char *take_name(GString *rest)
{
    gsize skip = strspn(rest->str, "/"), n = strcspn(rest->str + skip, "/");
    char *name = n ? g_strndup(rest->str + skip, n) : NULL;

    g_string_erase(rest, 0, (gssize)(skip + n));
    return name;
}

/* Follows a link: puts its target before the rest of the path. FALSE with errno ELOOP for a link of
 * another user, who could change its target at any time. */
static gboolean follow_link(Walk *walk, int link, uid_t owner)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(link, "", target, sizeof target);

    if (n < 0 || (gsize)n == sizeof target || ++walk->n_links > LINKS_MAX ||
        (owner != 0 && owner != geteuid())) {
        errno = ELOOP;
        return FALSE;
    }
    if (n > 0 && target[0] == '/')
        enter_folder(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    g_string_prepend_c(walk->rest, '/');
    g_string_prepend_len(walk->rest, target, n);
    return TRUE;
}

static gboolean walk_one(Walk *walk, const char *name)
{
    int next = openat(walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    if (next < 0 && errno == ENOENT && walk->makes &&
        (mkdirat(walk->folder, name, 0750) == 0 || errno == EEXIST))
        next = openat(walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
        return FALSE;
    gboolean good = fstat(next, &status) == 0;
    if (good && S_ISDIR(status.st_mode)) {
        enter_folder(walk, next);
        return TRUE;
    }
    if (good && S_ISLNK(status.st_mode)) {
        good = follow_link(walk, next, status.st_uid);
    } else {
        good = FALSE;
        errno = ENOTDIR;
    }
    int number = errno;
    close(next);
    errno = number;
    return good;
}

/* Walks to the end of the path. Returns the part of the path that could not be opened (free it),
 * with errno set. NULL: success. */
static char *walk_all(Walk *walk, const char *path)
{
    char *name;

    walk->folder = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (walk->folder < 0)
        return g_strdup(path);
    walk->rest = g_string_new(path);
    while ((name = take_name(walk->rest)) && walk_one(walk, name))
        g_free(name);
    int number = errno;
    g_string_free(walk->rest, TRUE);
    if (name)
        close(walk->folder);
    errno = number;
    return name;
}

int strobe_folder_open(const char *path, const char *what, GError **error)
{
    Walk walk = {.makes = TRUE};
    g_autofree char *name = walk_all(&walk, path);

    if (!name)
        return walk.folder;
    if (errno == ELOOP)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot %s \"%s\": \"%s\" in it is a symbolic link of another user, or one of "
                    "too many",
                    what, path, name);
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot %s \"%s\": %s", what, path,
                    g_strerror(errno));
    return -1;
}

int strobe_folder_find(const char *path)
{
    Walk walk = {.makes = FALSE};
    g_autofree char *name = walk_all(&walk, path);

    return name ? -1 : walk.folder;
}

int strobe_folder_open_in(int parent, const char *name)
{
    struct stat status;
    int folder = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder < 0 || (fstat(folder, &status) == 0 && status.st_uid == geteuid()))
        return folder;
    close(folder);
    errno = EPERM;
    return -1;
}

char *strobe_folder_held_path(int folder, const char *name)
{
    return g_strdup_printf("/proc/self/fd/%d/%s", folder, name);
}

/* ---- removal ---- */

static void remove_entry(int parent, const char *name, int depth);

/* Removes the entries of a folder. Uses only system calls, because a signal handler may call this
 * while the heap is damaged. */
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

/* Removes the entry `name` of the folder `parent`, with everything below it. */
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

void strobe_folder_remove_in(int parent, const char *name)
{
    remove_entry(parent, name, 0);
}

void strobe_folder_remove(const char *path)
{
    remove_entry(AT_FDCWD, path, 0);
}
