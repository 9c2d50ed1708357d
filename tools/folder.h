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
    char *path;   /* for messages, and for access if no other user can change folders on the path */
    char *name;   /* in `around` */
    char *parent; /* created for it: removed with it if it stays empty; NULL: it existed */
    int around;   /* the folder that contains it, open */
    int lock;     /* the folder itself, locked while it is in use: an unlocked one is a leftover
                     of a killed command */
} StrobeFreshFolder;

/* Creates an empty one next to `path`, and removes leftovers of killed commands there, if no
 * other user can rename entries. */
gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error);
/* The same in the open folder `around`, the parent of `path`. */
gboolean strobe_folder_begin_in(StrobeFreshFolder *fresh, int around, const char *path,
                                GError **error);
/* Moves it to `path` and removes the previous folder; on failure discards it. */
gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Removes leftovers of killed commands next to `path`; begin does that too. */
void strobe_folder_clear(const char *path);
/* Renames a folder to an unused name, protected from signals. 0, or -1 with errno. */
int strobe_folder_move(const char *from, const char *to);
void strobe_folder_discard(StrobeFreshFolder *fresh);

/* Creates a folder of mode 0700 in $XDG_RUNTIME_DIR if this user owns it, otherwise in /tmp, for
 * strobe_folder_discard. Removes leftovers of the same user's killed commands there. */
gboolean strobe_folder_private(StrobeFreshFolder *folder, GError **error);

/* Number of files in it, 0 if it cannot be read. */
guint strobe_folder_count(const char *path);

#endif
