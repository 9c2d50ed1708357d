/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-shares.h"

#include "memory-limit.h"
#include "state-memory.h"

#define LOG_PARTS 8     /* all record logs together may use one part in LOG_PARTS of the memory */
#define SORTER_PARTS 64 /* each sorter may use one part in SORTER_PARTS of the memory */

static int32_t open_file(StrobeStorage *storage)
{
    return strobe_temporary_file(storage->place);
}

static void *resize_state(StrobeStorage *storage, void *block, size_t old_bytes, size_t bytes)
{
    (void)storage;
    return strobe_state_memory(block, old_bytes, bytes);
}

StrobeStorage *strobe_storage_new(const char *otherwise)
{
    StrobeStorage *storage = g_new0(StrobeStorage, 1);

    storage->struct_size = sizeof *storage;
    storage->log_bytes = strobe_memory_limit() / LOG_PARTS;
    storage->sorter_bytes = strobe_memory_limit() / SORTER_PARTS;
    storage->open_file = open_file;
    storage->state = resize_state;
    storage->place = g_strdup(strobe_temporary_folder(otherwise));
    return storage;
}

void strobe_storage_free(StrobeStorage *storage)
{
    if (!storage)
        return;
    g_free((char *)storage->place);
    g_free(storage);
}
