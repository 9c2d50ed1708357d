/* SPDX-License-Identifier: Apache-2.0 */
/* Reports plugin folders that the user named and that cannot be read. */
#ifndef STROBE_TOOLS_PLUGIN_FOLDERS_H
#define STROBE_TOOLS_PLUGIN_FOLDERS_H

#include <glib.h>

typedef void (*StrobePluginFolderFault)(const char *origin, const char *folder, const char *fault,
                                        gpointer user);

/* Calls `tell` for each such folder of the command line (`named`, NULL-terminated, may be NULL),
 * with the origin "--plugin-path", and for each of $STROBE_PLUGIN_PATH. Returns the number of such
 * folders on the command line. */
guint strobe_plugin_folders_examine(const char *const *named, StrobePluginFolderFault tell,
                                    gpointer user);

/* Prints a message for each such folder: an error for the command line, a warning for the
 * environment. FALSE: exit with *code. */
gboolean strobe_plugin_folders_check(char *const *named, int *code);

#endif
