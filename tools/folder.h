/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that Strobe's commands create, replace and remove. They never follow symbolic links. */
#ifndef STROBE_TOOLS_FOLDER_H
#define STROBE_TOOLS_FOLDER_H

#include "folder-path.h"

/* Creates `path` with its parents if necessary (strobe_folder_open), and checks that a file can
 * be made in it. `made`, unless NULL: number of created folders, for strobe_folder_remove_empty. */
gboolean strobe_folder_check_writable(const char *path, guint *made, GError **error);
/* Removes `path` and its parents again, as many as were created, if they are empty. */
void strobe_folder_remove_empty(const char *path, guint made);

/* A folder in which a command works, or which will replace another folder. */
typedef struct StrobeFreshFolder {
    char *path; /* for messages, and for access if no other user can change folders on the path */
    char *name; /* name of the folder in `around` */
    /* its parent, if that was created for it: removed too if it stays empty; NULL: it existed */
    char *parent;
    int around; /* descriptor of the folder that contains it */
    /* descriptor of the folder, locked while it is in use; an unlocked folder was left by a command
     * that was killed */
    int lock;
} StrobeFreshFolder;

/* Creates an empty folder next to `path`. Removes folders there that killed commands left, if no
 * other user can rename entries there. */
gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Like strobe_folder_begin, in the open folder `around`, which is the parent of `path`. */
gboolean strobe_folder_begin_in(StrobeFreshFolder *fresh, int around, const char *path,
                                GError **error);
/* Moves the folder to `path` and removes the folder that was there; on failure discards the
 * folder. */
gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Removes folders that killed commands left next to `path`. strobe_folder_begin does that too. */
void strobe_folder_clear(const char *path);
/* Renames a folder to a name that must not be in use yet; signals do not interrupt that. Returns 0,
 * or -1 with errno. */
int strobe_folder_move(const char *from, const char *to);
void strobe_folder_discard(StrobeFreshFolder *fresh);

/* Creates a folder with mode 0700 in $XDG_RUNTIME_DIR if this user owns that, otherwise in /tmp.
 * Removes folders there that killed commands of this user left. Ends with strobe_folder_discard. */
gboolean strobe_folder_private(StrobeFreshFolder *folder, GError **error);

/* Returns the number of entries in the folder, 0 if it cannot be read. */
guint strobe_folder_count(const char *path);

#endif
