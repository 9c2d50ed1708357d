/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that are opened once, so that nobody leads what is made below them elsewhere; and their
 * removal. */
#ifndef STROBE_TOOLS_FOLDER_PATH_H
#define STROBE_TOOLS_FOLDER_PATH_H

#include <glib.h>

/* Opens the folder `path` for names below it (O_PATH), made with its parents (0750) if need be. A
 * symbolic link on the way is followed if it is of this user or root. -1 with the error set, which
 * says that it "Cannot `what`". */
int strobe_folder_open(const char *path, const char *what, GError **error);
/* The same of a folder that is there; -1 with errno set, ELOOP: there is such a link on the way. */
int strobe_folder_find(const char *path);
/* Opens the folder `name` of the open folder `parent` like that, if it is this user's and no link;
 * -1 with errno set, EPERM: it is another user's. */
int strobe_folder_open_in(int parent, const char *name);
/* A path that goes through the open folder, whatever becomes of that one's own path (free it). */
char *strobe_folder_held_path(int folder, const char *name);

/* Removes a folder and all in it; what cannot be removed is left. A signal handler may call it. */
void strobe_folder_remove(const char *path);
/* The same for the entry `name` of an open folder. */
void strobe_folder_remove_in(int parent, const char *name);

#endif
