/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-storage.h"

#include <stdlib.h>
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

StrobeStorage strobe_mock_storage(uint64_t log_bytes, uint64_t sorter_bytes)
{
    return (StrobeStorage){.struct_size = sizeof(StrobeStorage),
                           .log_bytes = log_bytes,
                           .sorter_bytes = sorter_bytes,
                           .open_file = open_file,
                           .place = "/tmp"};
}
