/* SPDX-License-Identifier: Apache-2.0 */
#include "output-place.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "error.h"
#include "folder.h"
#include "signal-cleanup.h"

static gboolean set_error(const char *path, GError **error)
{
    const char *reason = errno == EPERM     ? "it belongs to another user"
                         : errno == ENOTDIR ? "it is a symbolic link, or no folder"
                                            : g_strerror(errno);

    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write into \"%s\": %s", path, reason);
    return FALSE;
}

static gboolean open_below(StrobeOutputPlace *place, const char *parent, const char *around,
                           GError **error)
{
    place->parent = strobe_folder_open(parent ? parent : ".", "make the folder", error);
    if (place->parent < 0)
        return FALSE;
    place->name = g_path_get_basename(around);
    g_autofree char *held = strobe_folder_held_path(place->parent, place->name);
    place->is_new = strobe_signal_cleanup_make(held) == 0;
    if (!place->is_new && errno != EEXIST)
        return set_error(around, error);
    place->around = strobe_folder_open_in(place->parent, place->name);
    return place->around >= 0 || set_error(around, error);
}

gboolean strobe_output_place_open(StrobeOutputPlace *place, const StrobeHeldResult *held,
                                  const char *parent, const char *output, GError **error)
{
    g_autofree char *around = g_path_get_dirname(output);

    *place = (StrobeOutputPlace){.around = -1, .parent = -1};
    if (parent || held->folder < 0)
        return open_below(place, parent, around, error);
    place->around = fcntl(held->folder, F_DUPFD_CLOEXEC, 3);
    return place->around >= 0 || set_error(around, error);
}

static void remove_around(const StrobeOutputPlace *place)
{
    if (place->parent >= 0)
        unlinkat(place->parent, place->name, AT_REMOVEDIR);
}

void strobe_output_place_keep(StrobeOutputPlace *place)
{
    if (!place->is_new)
        return;
    g_autofree char *held = strobe_folder_held_path(place->parent, place->name);
    strobe_signal_cleanup_remove(held);
    place->is_new = FALSE;
}

void strobe_output_place_close(StrobeOutputPlace *place)
{
    if (place->is_new) {
        strobe_output_place_keep(place);
        remove_around(place);
    }
    if (place->around >= 0)
        close(place->around);
    if (place->parent >= 0)
        close(place->parent);
    g_clear_pointer(&place->name, g_free);
    place->around = place->parent = -1;
}

void strobe_output_place_discard(StrobeOutputPlace *place)
{
    strobe_folder_remove_in(place->around, STROBE_OUTPUT_DIR);
    remove_around(place);
}

char *strobe_output_place_path(const StrobeOutputPlace *place)
{
    return strobe_folder_held_path(place->around, STROBE_OUTPUT_DIR);
}
