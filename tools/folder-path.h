/* SPDX-License-Identifier: Apache-2.0 */
/* Opens folders once, so that no other user can redirect the files that are made below them; and
 * removes folders. */
#ifndef STROBE_TOOLS_FOLDER_PATH_H
#define STROBE_TOOLS_FOLDER_PATH_H

#include <glib.h>

/* Opens the folder `path` (O_PATH), to be used for names below it. Creates it and its parents
 * (0750) if necessary. Follows a symbolic link only if this user or root owns it. -1 with an error,
 * whose text begins with "Cannot" and `what`. */
int strobe_folder_open(const char *path, const char *what, GError **error);
/* Opens an existing folder as strobe_folder_open does, but never creates it. -1 with errno set;
 * ELOOP: the path contains a link of another user. */
int strobe_folder_find(const char *path);
/* Opens the folder `name` of the open folder `parent` (O_PATH), if the folder belongs to this user
 * and is not a link. -1 with errno set; EPERM: the folder belongs to another user. */
int strobe_folder_open_in(int parent, const char *name);
/* Returns a path of the entry `name` through the descriptor `folder`. The path stays valid if the
 * folder is moved. Free it. */
char *strobe_folder_held_path(int folder, const char *name);

/* Removes a folder and its contents, except entries that cannot be removed. A signal handler may
 * call this. */
void strobe_folder_remove(const char *path);
/* Removes the entry `name` of the open folder `parent`, with everything below it, except entries
 * that cannot be removed. A signal handler may call this. */
void strobe_folder_remove_in(int parent, const char *name);

#endif
