/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and temporary files of record logs and external sorters (record-log.h, external-sorter.h).
 * A host makes it; a plugin gets it from the host and hands it to these helpers. Since 1.0.
 */
#ifndef STROBE_HELPERS_STORAGE_H
#define STROBE_HELPERS_STORAGE_H

#include <string.h>

#include <strobe/exporter.h>

struct StrobeStorage {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t log_bytes;    /* that all record logs together may keep in memory */
    uint64_t used_bytes;   /* that they keep; atomic */
    uint64_t sorter_bytes; /* that each external sorter may keep in memory */
    /* Returns the descriptor of a new, empty file without a name; -1 with errno set. Any thread. */
    int32_t (*open_file)(StrobeStorage *storage);
    const char *place; /* of these files, for messages only */
};

/* A pass or an exporter could not keep or sort `what`: says so, and it has failed. */
static inline StrobeStatus strobe_storage_fail(const StrobeConsumerHost *host, StrobeInstance *self,
                                               const char *what, int error)
{
    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot keep %s in the folder for temporary files: %s: %s", what,
                      host->storage(self)->place, strerror(error));
}

#endif
