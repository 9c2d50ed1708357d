/* SPDX-License-Identifier: Apache-2.0 */
#include "trusted-file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <grp.h>
#include <link.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Uses dladdr only for a library: for the program itself dladdr returns argv[0], which any caller
 * can set. */
char *strobe_own_file(void)
{
    struct link_map *map = NULL;
    Dl_info info;

    if (!dladdr1((void *)(uintptr_t)strobe_own_file, &info, (void **)&map, RTLD_DL_LINKMAP) ||
        !map || !map->l_name)
        return NULL;
    if (!*map->l_name)
        return realpath("/proc/self/exe", NULL);
    return g_path_is_absolute(map->l_name) ? realpath(map->l_name, NULL) : NULL;
}

/* ---- one file or folder ---- */

static gboolean has_only(char *const *members, const char *name)
{
    while (*members && strcmp(*members, name) == 0)
        members++;
    return !*members;
}

/* Is `gid` the owner's private group? It has the owner's name and no other members. */
static gboolean is_private_group(uid_t uid, gid_t gid)
{
    struct passwd owner, *found_owner = NULL;
    struct group group, *found_group = NULL;
    char owner_text[4096], group_text[4096];

    return getpwuid_r(uid, &owner, owner_text, sizeof owner_text, &found_owner) == 0 &&
           found_owner && owner.pw_gid == gid &&
           getgrgid_r(gid, &group, group_text, sizeof group_text, &found_group) == 0 &&
           found_group && strcmp(group.gr_name, owner.pw_name) == 0 &&
           has_only(group.gr_mem, owner.pw_name);
}

static uid_t owner_of_strobe(void)
{
    g_autofree char *file = strobe_own_file();
    struct stat st;

    return file && stat(file, &st) == 0 ? st.st_uid : 0;
}

static gboolean is_trusted(uid_t uid)
{
    return uid == 0 || uid == geteuid() || uid == owner_of_strobe();
}

static char *owner_fault(const char *path, uid_t uid)
{
    return g_strdup_printf("%s is owned by user %u, neither root nor you nor the owner of Strobe",
                           path, (unsigned)uid);
}

static char *writer_fault(const char *path, const struct stat *st)
{
    if (st->st_mode & S_IWOTH)
        return g_strdup_printf("%s is writable by everybody", path);
    if ((st->st_mode & S_IWGRP) && !is_private_group(st->st_uid, st->st_gid))
        return g_strdup_printf("%s is writable by group %u", path, (unsigned)st->st_gid);
    return NULL;
}

/* Checks the file itself, or the folder that contains it. That folder must not be writable for
 * others even if it is sticky, because others could add files. */
static char *find_fault(const char *path, const struct stat *st)
{
    return is_trusted(st->st_uid) ? writer_fault(path, st) : owner_fault(path, st->st_uid);
}

static gboolean is_above_strobe(const char *path)
{
    g_autofree char *own = strobe_own_file();
    gsize n = strcmp(path, "/") == 0 ? 0 : strlen(path);

    return own && strncmp(own, path, n) == 0 && own[n] == '/';
}

/* Checks a folder above the folder that contains the file. A folder above Strobe itself is trusted,
 * because a user who can change it can change Strobe anyway; in a container it may be mounted from
 * a user of the host. */
static char *find_fault_above(const char *path, const struct stat *st)
{
    char *fault = NULL;

    if (!is_trusted(st->st_uid))
        fault = owner_fault(path, st->st_uid);
    else if (!(st->st_mode & S_ISVTX))
        fault = writer_fault(path, st);
    if (fault && is_above_strobe(path))
        g_clear_pointer(&fault, g_free);
    return fault;
}

/* ---- walking to the file from the root ---- */

static char *system_fault(const char *path)
{
    return g_strdup_printf("%s: %s", path, g_strerror(errno));
}

/* Opens and checks the folder `name` in the folder `at`. After this no untrusted user can replace
 * it. -1: `fault` has the reason. */
static int enter_folder(int at, const char *name, const char *path, gboolean is_last, char **fault)
{
    int folder = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (folder < 0 || fstat(folder, &st))
        *fault = system_fault(path);
    else
        *fault = is_last ? find_fault(path, &st) : find_fault_above(path, &st);
    if (*fault && folder >= 0)
        close(folder);
    return *fault ? -1 : folder;
}

/* Opens and checks all folders of `real`, a path without links. */
static int walk_to(const char *real, char **fault)
{
    g_auto(GStrv) names = g_strsplit(real + 1, "/", -1);
    g_autoptr(GString) path = g_string_new("/");
    gboolean is_root = !names[0] || !*names[0];
    int at = enter_folder(AT_FDCWD, "/", path->str, is_root, fault);

    for (guint i = 0; !is_root && at >= 0 && names[i]; i++) {
        int above = at;
        g_string_append_printf(path, "%s%s", i ? "/" : "", names[i]);
        at = enter_folder(above, names[i], path->str, !names[i + 1], fault);
        close(above);
    }
    return at;
}

int strobe_trusted_open_folder(const char *path, char **fault)
{
    char *real = realpath(path, NULL);
    int folder = real ? walk_to(real, fault) : -1;

    if (!real)
        *fault = system_fault(path);
    free(real);
    return folder;
}

static char *find_file_fault(const char *path, int file)
{
    struct stat st;

    if (file < 0 && errno == ELOOP)
        return g_strdup_printf("%s is a symbolic link", path);
    if (file < 0 || fstat(file, &st))
        return system_fault(path);
    return S_ISREG(st.st_mode) ? find_fault(path, &st)
                               : g_strdup_printf("%s is not a regular file", path);
}

int strobe_trusted_open(const char *path, char **fault)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    int folder = strobe_trusted_open_folder(parent, fault);

    if (folder < 0)
        return -1;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *fault = find_file_fault(path, file);
    close(folder);
    if (*fault && file >= 0)
        close(file);
    return *fault ? -1 : file;
}
