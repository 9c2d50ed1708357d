/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that Strobe's commands create, replace and remove. They never follow symbolic links. */
#ifndef STROBE_TOOLS_FOLDER_H
#define STROBE_TOOLS_FOLDER_H

#include "folder-path.h"

/* Creates `path` with its parents if necessary (strobe_folder_open), and checks that a file can be
 * made in it. Sets *made, unless `made` is NULL, to the number of created folders, for
 * strobe_folder_remove_empty. FALSE with an error. */
gboolean strobe_folder_check_writable(const char *path, guint *made, GError **error);
/* Removes the folder `path` and its parents, `made` folders in all, as far as they are empty. */
void strobe_folder_remove_empty(const char *path, guint made);

/* A folder in which a command works, or which will replace another folder. */
typedef struct StrobeFreshFolder {
    char *path; /* for messages, and for access if no other user can change folders on the path */
    char *name; /* name of the folder in the folder `around` */
    /* path of the folder `around` if it was created for this folder, in which case it is removed
     * again if it stays empty; NULL: `around` existed before */
    char *parent;
    int around; /* descriptor of the folder that contains this folder */
    /* descriptor of the folder, which is locked while the command uses the folder; if a folder of
     * such a name is not locked, its command was killed */
    int lock;
} StrobeFreshFolder;

/* Creates an empty hidden folder next to `path`. Removes the folders that killed commands left
 * there, if no other user can rename entries there. */
gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Like strobe_folder_begin, in the open folder `around`, which is the parent of `path`. */
gboolean strobe_folder_begin_in(StrobeFreshFolder *fresh, int around, const char *path,
                                GError **error);
/* Moves the folder to `path` and removes the folder that was there; on failure discards the
 * folder. */
gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Removes the folders that killed commands left next to `path`, as strobe_folder_begin does. */
void strobe_folder_clear(const char *path);
/* Renames the folder `from` to `to`, which must not exist. Signals do not interrupt the call.
 * Returns 0, or -1 with errno set. */
int strobe_folder_move(const char *from, const char *to);
void strobe_folder_discard(StrobeFreshFolder *fresh);

/* Creates a folder with mode 0700: in $XDG_RUNTIME_DIR if this user owns that folder and may write
 * to it, otherwise in /tmp. Removes the folders that killed commands of this user left there. The
 * caller removes the folder with strobe_folder_discard. */
gboolean strobe_folder_private(StrobeFreshFolder *folder, GError **error);

/* Returns the number of entries in the folder, 0 if it cannot be read. */
guint strobe_folder_count(const char *path);

#endif
