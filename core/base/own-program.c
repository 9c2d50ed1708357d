/* SPDX-License-Identifier: Apache-2.0 */
#include "own-program.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the path of the file from which this code was loaded to `path`. */
static int find_own_file(char path[PATH_MAX])
{
    struct link_map *map = NULL;
    Dl_info info;

    if (!dladdr1((void *)(uintptr_t)strobe_find_own_program, &info, (void **)&map,
                 RTLD_DL_LINKMAP) ||
        !map || !map->l_name)
        return ENOENT;
    return realpath(*map->l_name ? map->l_name : "/proc/self/exe", path) ? 0 : errno;
}

int strobe_find_own_program(const char *name, char path[PATH_MAX])
{
    static const char *const folders[] = {"", "strobe/", "../" STROBE_PLUGIN_SUBDIR "/",
                                          "../core/"};
    char own[PATH_MAX];
    int error = find_own_file(own);

    if (error)
        return error;
    *(strrchr(own, '/') + 1) = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (snprintf(path, PATH_MAX, "%s%s%s", own, folders[i], name) < PATH_MAX &&
            access(path, X_OK) == 0)
            return 0;
    return ENOENT;
}
