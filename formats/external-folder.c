/* SPDX-License-Identifier: Apache-2.0 */
#include "external-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/file-part.h>
#include <sys/stat.h>
#include <unistd.h>

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *external_folder_names(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (dir && names->len < EXTERNAL_NAMES_MAX && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            g_ptr_array_add(names, g_strdup(entry->d_name));
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    g_ptr_array_sort(names, compare_names);
    return names;
}

int external_folder_open(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int external_folder_open_file(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    return -1;
}

char *external_folder_read(int at, const char *name, gsize max, gsize *length)
{
    int fd = external_folder_open_file(at, name);
    g_autofree char *bytes = NULL;
    gint64 n;

    *length = 0;
    if (fd < 0)
        return NULL;
    bytes = g_malloc(max + 2);
    n = strobe_file_part_read(fd, 0, bytes, max + 1);
    int number = n < 0 ? errno : EFBIG;
    close(fd);
    if (n < 0 || (gsize)n > max) {
        errno = number;
        return NULL;
    }
    bytes[n] = 0;
    *length = (gsize)n;
    return g_steal_pointer(&bytes);
}

const char *external_folder_find(const GPtrArray *names, int folder, const char *prefix)
{
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        int fd;

        if (!g_str_has_prefix(name, prefix) || g_str_has_suffix(name, ".done"))
            continue;
        fd = external_folder_open_file(folder, name);
        if (fd < 0)
            continue;
        close(fd);
        return name;
    }
    return NULL;
}
