/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a project that are sent to the board. */
#ifndef STROBE_REMOTE_PROJECT_FILES_H
#define STROBE_REMOTE_PROJECT_FILES_H

#include <glib.h>

#define STROBE_PROJECT_FILES_MAX 100000u

typedef struct StrobeProjectFile {
    char *name; /* path below the work folder on the board */
    char *path; /* path on this machine */
    gboolean is_executable;
    guint64 n_bytes;
} StrobeProjectFile;

void strobe_project_file_free(StrobeProjectFile *file);

/* Returns all regular files below the folder (StrobeProjectFile), sorted by name. Leaves out .git,
 * profiling, JOB*, Strobe's own files (.strobe-*), and files that match a pattern in .strobeignore.
 * NULL with an error, for example if there is a link that leads out of the project, a socket, a
 * device or a name with a control character. Free with g_ptr_array_unref. */
GPtrArray *strobe_project_files_list(const char *folder, GError **error);

/* Adds the file `path` on this machine, with the path `name` below the work folder on the board.
 * FALSE with an error. */
gboolean strobe_project_files_add(GPtrArray *files, const char *name, const char *path,
                                  GError **error);

#endif
