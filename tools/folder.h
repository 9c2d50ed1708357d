/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that Strobe's commands make, replace and remove. Symbolic links are never followed. */
#ifndef STROBE_TOOLS_FOLDER_H
#define STROBE_TOOLS_FOLDER_H

#include "folder-path.h"

/* Makes `path` with its parents if need be (strobe_folder_open), and proves that a file can be made
 * in it. `made`, unless NULL: how many folders were made, for strobe_folder_remove_empty. */
gboolean strobe_folder_check_writable(const char *path, guint *made, GError **error);
/* Removes `path` and its parents again, as many as were made, of which nothing is in them. */
void strobe_folder_remove_empty(const char *path, guint made);

/* A folder that a command works in, or fills beside the one whose place it is to take. */
typedef struct StrobeFreshFolder {
    char *path;   /* for messages, and where nobody else can change what is on the way to it */
    char *name;   /* in `around` */
    char *parent; /* made for it: goes with it if it stays empty; NULL: was there */
    int around;   /* the folder that it is in, held */
    int lock;     /* itself, held while somebody works on it: without a holder it is a killed one's
                     leavings */
} StrobeFreshFolder;

/* Makes an empty one beside `path`, and removes what killed ones left there, if nobody else can
 * rename what is there. */
gboolean strobe_folder_begin(StrobeFreshFolder *fresh, const char *path, GError **error);
/* The same in the open folder `around`, which is what is around `path`. */
gboolean strobe_folder_begin_in(StrobeFreshFolder *fresh, int around, const char *path,
                                GError **error);
/* Puts it where `path` is and removes what was there; on failure discards it. */
gboolean strobe_folder_finish(StrobeFreshFolder *fresh, const char *path, GError **error);
/* Removes what killed commands left beside `path`; begin does that too. */
void strobe_folder_clear(const char *path);
/* Renames a folder, to what is not there yet, with no interruption in between. 0, or -1 with errno.
 */
int strobe_folder_move(const char *from, const char *to);
void strobe_folder_discard(StrobeFreshFolder *fresh);

/* A new one of mode 0700 in $XDG_RUNTIME_DIR if that is ours, else in /tmp, for
 * strobe_folder_discard. Removes what killed commands of the same user left there. */
gboolean strobe_folder_private(StrobeFreshFolder *folder, GError **error);

/* Number of files in it, 0 if it cannot be read. */
guint strobe_folder_count(const char *path);

#endif
