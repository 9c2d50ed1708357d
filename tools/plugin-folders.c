/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-folders.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "command.h"

#define OPTION "--plugin-path"
#define VARIABLE "STROBE_PLUGIN_PATH"

static gboolean examine_folder(const char *origin, const char *folder, StrobePluginFolderFault tell,
                               gpointer user)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        close(file);
        return TRUE;
    }
    tell(origin, folder, g_strerror(errno), user);
    return FALSE;
}

guint strobe_plugin_folders_examine(const char *const *named, StrobePluginFolderFault tell,
                                    gpointer user)
{
    const char *listed = getauxval(AT_SECURE) ? NULL : g_getenv(VARIABLE);
    g_auto(GStrv) folders = g_strsplit(listed ? listed : "", ":", -1);
    guint n = 0;

    for (; named && *named; named++)
        n += !examine_folder(OPTION, *named, tell, user);
    for (char **folder = folders; *folder; folder++)
        if (**folder)
            examine_folder(VARIABLE, *folder, tell, user);
    return n;
}

static void print_fault(const char *origin, const char *folder, const char *fault, gpointer user)
{
    (void)user;
    strobe_complain("%sCannot look for plugins in \"%s\" (%s): %s",
                    g_str_equal(origin, OPTION) ? "" : "warning: ", folder, origin, fault);
}

gboolean strobe_plugin_folders_check(char *const *named, int *code)
{
    if (!strobe_plugin_folders_examine((const char *const *)named, print_fault, NULL))
        return TRUE;
    *code = STROBE_EXIT_PLUGIN;
    return FALSE;
}
