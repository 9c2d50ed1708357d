/* SPDX-License-Identifier: Apache-2.0 */
#include "prof-folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int is_known(const ProfFolders *folders, const char *name)
{
    for (uint32_t i = 0; i < folders->n; i++)
        if (strcmp(folders->names[i], name) == 0)
            return 1;
    return 0;
}

static int is_folder(DIR *dir, const char *name)
{
    struct stat st;

    return fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

void npu_prof_folders_look(ProfFolders *folders, const char *directory,
                           void (*added)(const char *name))
{
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir && folders->n < PROF_FOLDERS_MAX && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, "PROF_", 5) || strlen(entry->d_name) >= PROF_NAME_MAX ||
            is_known(folders, entry->d_name) || !is_folder(dir, entry->d_name))
            continue;
        snprintf(folders->names[folders->n], PROF_NAME_MAX, "%s", entry->d_name);
        added(folders->names[folders->n++]);
    }
    if (dir)
        closedir(dir);
}
