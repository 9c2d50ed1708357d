/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that were named to look for plugins in, and cannot be read. */
#ifndef STROBE_TOOLS_PLUGIN_FOLDERS_H
#define STROBE_TOOLS_PLUGIN_FOLDERS_H

#include <glib.h>

typedef void (*StrobePluginFolderFault)(const char *origin, const char *folder, const char *fault,
                                        gpointer user);

/* Tells of each such folder of the command line (NULL-terminated, may be NULL), with the origin
 * "--plugin-path", and of $STROBE_PLUGIN_PATH. Returns how many are of the command line. */
guint strobe_plugin_folders_examine(const char *const *named, StrobePluginFolderFault tell,
                                    gpointer user);

/* The same with complaints: what a command line names has to be there, what the environment names
 * is worth a warning. FALSE: exit with *code. */
gboolean strobe_plugin_folders_check(char *const *named, int *code);

#endif
