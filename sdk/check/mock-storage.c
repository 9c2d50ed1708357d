/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-storage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t open_file(StrobeStorage *storage)
{
    char name[] = "/tmp/strobe-mock-XXXXXX";
    const int file = mkstemp(name);

    (void)storage;
    if (file >= 0)
        unlink(name);
    return file;
}

static void *resize_state(StrobeStorage *storage, void *block, size_t old_bytes, size_t bytes)
{
    char *resized = bytes ? realloc(block, bytes) : NULL;

    (void)storage;
    if (!bytes)
        free(block);
    else if (!resized)
        abort();
    else if (bytes > old_bytes)
        memset(resized + old_bytes, 0, bytes - old_bytes);
    return resized;
}

StrobeStorage strobe_mock_storage(uint64_t log_bytes, uint64_t sorter_bytes)
{
    return (StrobeStorage){.struct_size = sizeof(StrobeStorage),
                           .log_bytes = log_bytes,
                           .sorter_bytes = sorter_bytes,
                           .open_file = open_file,
                           .place = "/tmp",
                           .state = resize_state};
}
