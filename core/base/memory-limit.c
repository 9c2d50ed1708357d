/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-limit.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ROOM_BYTES ((gsize)1 << 20)

static guint64 memory = STROBE_MAX_MEM_DEFAULT;
static const char *temporary;

void strobe_memory_limit_set(guint64 bytes, const char *folder)
{
    memory = bytes;
    temporary = g_intern_string(folder);
}

guint64 strobe_memory_limit(void)
{
    return memory;
}

void strobe_memory_check_room(void)
{
    g_free(g_malloc(ROOM_BYTES));
}

const char *strobe_temporary_folder(const char *otherwise)
{
    if (temporary)
        return temporary;
    return otherwise ? otherwise : g_get_tmp_dir();
}

int strobe_temporary_file(const char *otherwise)
{
    const char *folder = strobe_temporary_folder(otherwise);
    g_autofree char *name = g_build_filename(folder, ".strobe-XXXXXX", NULL);
    int file;

    /* A user's folder must exist: a folder made here would never be removed. */
    if (!temporary && g_mkdir_with_parents(folder, 0750))
        return -1;
    file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    /* This file system has no files without a name. */
    file = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        unlink(name);
    return file;
}

gboolean strobe_folder_is_memory(const char *folder)
{
    struct statfs system;

    return statfs(folder, &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

gboolean strobe_temporary_has_disk(void)
{
    return temporary || !strobe_folder_is_memory(g_get_tmp_dir());
}
