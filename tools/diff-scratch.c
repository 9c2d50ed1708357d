/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-scratch.h"

#include "folder.h"
#include "memory-limit.h"

/* Returns the path of the folder for imports, which it makes at the first call. NULL with an
 * error. */
static const char *make_scratch(gpointer user, GError **error)
{
    StrobeFreshFolder *scratch = user;

    if (!scratch->path) {
        g_autofree char *path =
            g_build_filename(strobe_temporary_folder(NULL), "strobe-diff", NULL);
        strobe_folder_begin(scratch, path, error);
    }
    return scratch->path;
}

gboolean strobe_diff_compare_all(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    StrobeFreshFolder scratch = {.lock = -1, .around = -1};
    gboolean good = strobe_diff_compare(diff, registry, make_scratch, &scratch, error);

    strobe_folder_discard(&scratch);
    return good;
}
