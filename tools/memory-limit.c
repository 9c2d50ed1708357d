/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-limit.h"

#include <errno.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "overflow-memory.h"
#include "resources.h"

/* $TMPDIR, then what lies on a disk where /tmp often does not. */
static const char *default_folder(void)
{
    const char *folder = g_getenv("TMPDIR");

    if (folder && *folder)
        return folder;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

static gboolean read_bytes(const char *text, guint64 *bytes)
{
    gint64 value;

    *bytes = STROBE_MAX_MEM_DEFAULT;
    if (!text)
        return TRUE;
    if (strobe_parse_bytes(text, &value) && value >= (gint64)STROBE_MAX_MEM_MIN) {
        *bytes = (guint64)value;
        return TRUE;
    }
    strobe_complain("--max-mem is \"%s\", expected a size of at least %uMB, such as 512MB", text,
                    STROBE_MAX_MEM_MIN >> 20);
    return FALSE;
}

gboolean strobe_memory_limit_check(const StrobeMemoryFlags *flags)
{
    guint64 bytes;

    return read_bytes(flags->max_mem, &bytes);
}

gboolean strobe_memory_limit_begin(StrobeMemoryFlags *flags, int *code)
{
    g_autofree char *max_mem = g_steal_pointer(&flags->max_mem);
    g_autofree char *tmp_dir = g_steal_pointer(&flags->tmp_dir);
    guint64 bytes;
    int file;

    if (!read_bytes(max_mem, &bytes)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    strobe_resources_set(bytes, tmp_dir ? tmp_dir : default_folder(), FALSE);
    file = strobe_resources_scratch(NULL);
    if (file >= 0) {
        strobe_resources_set(bytes, strobe_resources_folder(NULL),
                             overflow_memory_begin(bytes, file));
        return TRUE;
    }
    strobe_complain("Cannot make a file in the folder for temporary files: folder=\"%s\": %s",
                    strobe_resources_folder(NULL), g_strerror(errno));
    *code = STROBE_EXIT_WRITE;
    return FALSE;
}
