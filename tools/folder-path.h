/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that are opened once, so that no other user can redirect the files made below them;
 * and their removal. */
#ifndef STROBE_TOOLS_FOLDER_PATH_H
#define STROBE_TOOLS_FOLDER_PATH_H

#include <glib.h>

/* Opens the folder `path` for names below it (O_PATH); creates it with its parents (0750) if
 * necessary. Follows a symbolic link only if this user or root owns it. -1 with the error set,
 * which begins with "Cannot `what`". */
int strobe_folder_open(const char *path, const char *what, GError **error);
/* The same for an existing folder; -1 with errno set, ELOOP: the path contains such a link. */
int strobe_folder_find(const char *path);
/* Opens the folder `name` of the open folder `parent` in the same way, if it belongs to this
 * user and is not a link; -1 with errno set, EPERM: it belongs to another user. */
int strobe_folder_open_in(int parent, const char *name);
/* A path through the open folder, valid even if the folder's own path changes (free it). */
char *strobe_folder_held_path(int folder, const char *name);

/* Removes a folder and its contents; leaves what cannot be removed. A signal handler may call
 * it. */
void strobe_folder_remove(const char *path);
/* The same for the entry `name` of an open folder. */
void strobe_folder_remove_in(int parent, const char *name);

#endif
