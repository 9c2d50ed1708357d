/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-limit.h"

#include <errno.h>
#include <unistd.h>

#include "command.h"
#include "memory-bound.h"
#include "options.h"
#include "overflow-memory.h"
#include "resources.h"

/* The first that can be written to of $TMPDIR, what lies on a disk where /tmp often does not, and
 * /tmp. -1: none. */
static int open_default(guint64 bytes)
{
    const char *const folders[] = {g_getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int file = -1;

    for (guint i = 0; i < G_N_ELEMENTS(folders) && file < 0; i++) {
        if (!folders[i] || !*folders[i] || !g_file_test(folders[i], G_FILE_TEST_IS_DIR))
            continue;
        strobe_resources_set(bytes, folders[i], FALSE);
        file = strobe_resources_scratch(NULL);
    }
    return file;
}

/* -1 after a complaint. */
static int open_named(guint64 bytes, const char *folder)
{
    strobe_resources_set(bytes, folder, FALSE);
    int file = strobe_resources_scratch(NULL);
    if (file < 0)
        strobe_complain("Cannot make a file in the folder for temporary files: folder=\"%s\": %s",
                        folder, g_strerror(errno));
    return file;
}

/* Without a file temporary ones lie with the output, and the heap is memory. */
static void go_without(guint64 bytes)
{
    strobe_resources_set(bytes, NULL, FALSE);
    strobe_complain("warning: no folder for temporary files can be written to: --max-mem "
                    "cannot be kept to (see --tmp-dir)");
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
    g_autofree char *hint = strobe_bytes_hint(text);
    strobe_complain("--max-mem is \"%s\", expected a size of at least %uMB, such as 512MB%s", text,
                    STROBE_MAX_MEM_MIN >> 20, hint);
    return FALSE;
}

/* The system's own limits come before: what is kept in memory leaves room in them for the rest. */
static void fit_bound(guint64 *bytes, gboolean is_named)
{
    StrobeMemoryBound bound;

    if (!strobe_memory_bound_find("", &bound) || *bytes <= bound.share)
        return;
    guint64 fitting = MAX(bound.share, STROBE_MAX_MEM_MIN);
    if (is_named && fitting < *bytes)
        strobe_complain("warning: --max-mem of %" G_GUINT64_FORMAT
                        " MB does not fit into %s, %" G_GUINT64_FORMAT
                        " MB: taken as %" G_GUINT64_FORMAT " MB",
                        *bytes >> 20, bound.name, bound.limit >> 20, fitting >> 20);
    *bytes = MIN(*bytes, fitting);
}

gboolean strobe_memory_limit_check(const StrobeMemoryFlags *flags, int *code)
{
    guint64 bytes;

    if (!read_bytes(flags->max_mem, &bytes)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    if (!flags->tmp_dir)
        return TRUE;
    int file = open_named(bytes, flags->tmp_dir);
    if (file < 0) {
        *code = STROBE_EXIT_WRITE;
        return FALSE;
    }
    close(file);
    return TRUE;
}

gboolean strobe_memory_limit_begin(StrobeMemoryFlags *flags, int *code)
{
    g_autofree char *max_mem = g_steal_pointer(&flags->max_mem);
    g_autofree char *tmp_dir = g_steal_pointer(&flags->tmp_dir);
    guint64 bytes;

    if (!read_bytes(max_mem, &bytes)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    fit_bound(&bytes, max_mem != NULL);
    int file = tmp_dir ? open_named(bytes, tmp_dir) : open_default(bytes);
    if (file < 0 && tmp_dir) {
        strobe_resources_set(bytes, NULL, FALSE);
        *code = STROBE_EXIT_WRITE;
        return FALSE;
    }
    if (file < 0) {
        go_without(bytes);
        return TRUE;
    }
    const char *folder = strobe_resources_folder(NULL);
    g_setenv("SQLITE_TMPDIR", folder, TRUE); /* SQLite sorts indexes in files there */
    strobe_resources_set(bytes, folder, overflow_memory_begin(bytes, file, folder));
    return TRUE;
}
