/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that Strobe's commands make, replace and remove. Symbolic links are never followed. */
#ifndef STROBE_TOOLS_FOLDER_H
#define STROBE_TOOLS_FOLDER_H

#include <glib.h>

/* A new folder of mode 0700 in $XDG_RUNTIME_DIR if that is ours, else in /tmp. Free the path. */
char *strobe_folder_private(GError **error);

/* Makes `path` with its parents (0750) if need be, and proves that a file can be made in it. */
gboolean strobe_folder_check_writable(const char *path, GError **error);

/* A new empty folder beside `path`, to be filled and put in its place. Free the path. */
char *strobe_folder_beside(const char *path, GError **error);

/* Puts `fresh` where `path` is and removes what was there. On failure both are left. */
gboolean strobe_folder_replace(const char *fresh, const char *path, GError **error);

/* Removes a folder and all in it; what cannot be removed is left. */
void strobe_folder_remove(const char *path);

/* Number of files in it, 0 if it cannot be read. */
guint strobe_folder_count(const char *path);

#endif
