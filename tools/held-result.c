/* SPDX-License-Identifier: Apache-2.0 */
#include "held-result.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "error.h"
#include "folder.h"

/* Returns the path with `directory` replaced by a path through the descriptor `folder`. If it is
 * not inside `directory`, returns a copy. Free it. */
static char *route_path(int folder, const char *directory, const char *path)
{
    gsize n = strlen(directory);

    if (strncmp(path, directory, n) != 0 || (path[n] != '\0' && path[n] != '/'))
        return g_strdup(path);
    return g_strdup_printf("/proc/self/fd/%d/.%s", folder, path + n);
}

static gboolean is_of_user(int folder, const char *path)
{
    struct stat status;
    int failed = path ? fstatat(folder, path, &status, 0) : fstat(folder, &status);

    return failed ? errno == ENOENT : status.st_uid == geteuid();
}

gboolean strobe_held_result_open(StrobeHeldResult *held, const StrobeResult *named, GError **error)
{
    const char *directory = named->directory;

    *held = (StrobeHeldResult){.named = named, .folder = -1};
    if (!directory) {
        held->result.capture = g_strdup(named->capture);
        held->result.source = g_strdup(named->source);
        held->is_own = is_of_user(AT_FDCWD, named->capture);
        return TRUE;
    }
    held->folder = strobe_folder_find(directory);
    /* the path leads through a link of another user */
    gboolean is_led = held->folder < 0 && errno == ELOOP;
    if (is_led)
        held->folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (held->folder < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", directory,
                    g_strerror(errno));
        return FALSE;
    }
    held->result.directory = route_path(held->folder, directory, directory);
    held->result.capture = route_path(held->folder, directory, named->capture);
    held->result.source = route_path(held->folder, directory, named->source);
    held->is_own = !is_led && is_of_user(held->folder, NULL) &&
                   is_of_user(held->folder, STROBE_FRAMEWORK_DIR) &&
                   is_of_user(AT_FDCWD, held->result.capture);
    return TRUE;
}

void strobe_held_result_close(StrobeHeldResult *held)
{
    g_free(held->result.directory);
    g_free(held->result.capture);
    g_free(held->result.source);
    if (held->folder >= 0)
        close(held->folder);
}

GError *strobe_held_result_name(const StrobeHeldResult *held, GError *error)
{
    if (held->folder >= 0)
        strobe_command_name(error, held->result.directory, held->named->directory);
    return error;
}

void strobe_held_result_refuse(const char *path, GError **error)
{
    g_set_error(error, STROBE_USAGE_ERROR, 0,
                "%s belongs to another user and is only read: name a folder for the output with -o",
                path);
}
