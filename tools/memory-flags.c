/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-flags.h"

#include <errno.h>
#include <unistd.h>

#include "command.h"
#include "system-memory.h"
#include "memory-limit.h"
#include "out-of-memory.h"
#include "options.h"

static gboolean can_write(void)
{
    int file = strobe_temporary_file(NULL);

    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Sets --max-mem, with the first writable folder of $TMPDIR, /var/tmp and /tmp for temporary files.
 * Uses a folder on a tmpfs, whose files are in memory, only if $TMPDIR names it. FALSE: no folder
 * can be used. */
static gboolean take_default(guint64 bytes)
{
    const char *const folders[] = {g_getenv("TMPDIR"), "/var/tmp", "/tmp"};

    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (!folders[i] || !*folders[i] || !g_file_test(folders[i], G_FILE_TEST_IS_DIR))
            continue;
        if (i > 0 && strobe_folder_is_memory(folders[i]))
            continue;
        strobe_memory_limit_set(bytes, folders[i]);
        if (can_write())
            return TRUE;
    }
    return FALSE;
}

/* Sets --max-mem, with the folder that the user named for temporary files. FALSE: no file can be
 * made in the folder; a message was printed. */
static gboolean take_named(guint64 bytes, const char *folder)
{
    strobe_memory_limit_set(bytes, folder);
    if (can_write())
        return TRUE;
    strobe_complain("Cannot make a file in the folder for temporary files: folder=\"%s\": %s",
                    folder, g_strerror(errno));
    return FALSE;
}

/* Sets --max-mem without a folder for temporary files, and prints a warning: these files go to the
 * output folder, and state stays on the heap. */
static void go_without(guint64 bytes)
{
    strobe_memory_limit_set(bytes, NULL);
    strobe_complain("warning: no folder for temporary files on a disk can be written to: --max-mem "
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

/* Reduces *bytes to the part of the system's tightest limit that --max-mem may use, but not below
 * the minimum. `is_named`: the user gave --max-mem, and a warning is printed. */
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

gboolean strobe_memory_flags_check(const StrobeMemoryFlags *flags, int *code)
{
    guint64 bytes;

    if (!read_bytes(flags->max_mem, &bytes)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    if (!flags->tmp_dir || take_named(bytes, flags->tmp_dir))
        return TRUE;
    *code = STROBE_EXIT_WRITE;
    return FALSE;
}

gboolean strobe_memory_flags_apply(StrobeMemoryFlags *flags, int *code)
{
    g_autofree char *max_mem = g_steal_pointer(&flags->max_mem);
    g_autofree char *tmp_dir = g_steal_pointer(&flags->tmp_dir);
    guint64 bytes;

    if (!read_bytes(max_mem, &bytes)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    fit_bound(&bytes, max_mem != NULL);
    strobe_memory_shortage_bound(bytes);
    if (tmp_dir && !take_named(bytes, tmp_dir)) {
        strobe_memory_limit_set(bytes, NULL);
        *code = STROBE_EXIT_WRITE;
        return FALSE;
    }
    if (!tmp_dir && !take_default(bytes)) {
        go_without(bytes);
        return TRUE;
    }
    /* for indexes that SQLite sorts */
    g_setenv("SQLITE_TMPDIR", strobe_temporary_folder(NULL), TRUE);
    return TRUE;
}
