/* SPDX-License-Identifier: Apache-2.0 */
/* Reports plugin folders that the user named and that cannot be read. */
#ifndef STROBE_TOOLS_PLUGIN_FOLDERS_H
#define STROBE_TOOLS_PLUGIN_FOLDERS_H

#include <glib.h>

typedef void (*StrobePluginFolderFault)(const char *origin, const char *folder, const char *fault,
                                        gpointer user);

/* Calls `tell` for each folder that cannot be read: of the command line (`named`, NULL-terminated,
 * may be NULL) with the origin "--plugin-path", and of $STROBE_PLUGIN_PATH. Returns the number of
 * these folders on the command line. */
guint strobe_plugin_folders_examine(const char *const *named, StrobePluginFolderFault tell,
                                    gpointer user);

/* Prints an error for each folder of the command line that cannot be read, and a warning for each
 * one of the environment. FALSE: there was an error; exit with *code. */
gboolean strobe_plugin_folders_check(char *const *named, int *code);

#endif
