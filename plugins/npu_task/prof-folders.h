/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folders PROF_* in a result directory. */
#ifndef STROBE_PLUGINS_NPU_TASK_PROF_FOLDERS_H
#define STROBE_PLUGINS_NPU_TASK_PROF_FOLDERS_H

#include <stdint.h>

#define PROF_FOLDERS_MAX 16u
#define PROF_NAME_MAX 256u

typedef struct ProfFolders {
    uint32_t n;
    char names[PROF_FOLDERS_MAX][PROF_NAME_MAX];
} ProfFolders;

/* Looks for folders PROF_* in `directory`. Adds the folders that are new, and calls `added` with
 * the name of each. */
void npu_prof_folders_look(ProfFolders *folders, const char *directory,
                           void (*added)(const char *name));

#endif
