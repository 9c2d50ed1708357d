/* SPDX-License-Identifier: Apache-2.0 */
#include "resources.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

static guint64 memory = STROBE_MAX_MEM_DEFAULT;
static gsize text_bytes = STROBE_TEXT_BYTES_IN_MEMORY;
static void (*on_thread)(void);
static bool (*on_borrow)(uint64_t);
static void (*on_give_back)(uint64_t);
static const char *temporary;

void strobe_resources_set(guint64 memory_bytes, const char *folder, gboolean heap_overflows)
{
    text_bytes = heap_overflows ? STROBE_TEXT_BYTES_IN_FILE : STROBE_TEXT_BYTES_IN_MEMORY;
    memory = memory_bytes;
    temporary = g_intern_string(folder);
}

void strobe_resources_on_thread(void (*begins)(void))
{
    on_thread = begins;
}

void strobe_resources_thread_begins(void)
{
    if (on_thread)
        on_thread();
}

void strobe_resources_on_borrow(bool (*lend)(uint64_t bytes), void (*take_back)(uint64_t bytes))
{
    on_borrow = lend;
    on_give_back = take_back;
}

gboolean strobe_resources_borrow(guint64 bytes)
{
    return on_borrow && on_borrow(bytes);
}

void strobe_resources_give_back(guint64 bytes)
{
    if (bytes && on_give_back)
        on_give_back(bytes);
}

guint64 strobe_resources_memory(void)
{
    return memory;
}

gsize strobe_resources_text_bytes(void)
{
    return text_bytes;
}

const char *strobe_resources_folder(const char *otherwise)
{
    if (temporary)
        return temporary;
    return otherwise ? otherwise : g_get_tmp_dir();
}

int strobe_resources_scratch(const char *otherwise)
{
    const char *folder = strobe_resources_folder(otherwise);
    g_autofree char *name = g_build_filename(folder, ".strobe-XXXXXX", NULL);
    int file;

    /* A folder that somebody named is there: one made for it would be left behind. */
    if (!temporary && g_mkdir_with_parents(folder, 0750))
        return -1;
    file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    /* Not every file system has files without a name. */
    file = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        unlink(name);
    return file;
}

StrobeSafeFile *strobe_resources_packed_scratch(const char *otherwise, guint64 plain_bytes)
{
    int file = strobe_resources_scratch(otherwise);

    return file < 0 ? NULL : strobe_safe_file_scratch_in(file, plain_bytes);
}
