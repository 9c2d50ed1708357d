/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and temporary files of record logs, external sorters and state arrays (record-log.h,
 * external-sorter.h, state-array.h). The host makes it; a plugin gets it from the host and passes
 * it to these helpers. Since 1.0.
 */
#ifndef STROBE_HELPERS_STORAGE_H
#define STROBE_HELPERS_STORAGE_H

#include <string.h>

#include <strobe/exporter.h>

struct StrobeStorage {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t log_bytes;    /* memory limit of all record logs together */
    uint64_t used_bytes;   /* memory that all record logs together use; atomic */
    uint64_t sorter_bytes; /* memory limit of each external sorter */
    /* Returns the descriptor of a new, empty file without a name; -1 with errno set. Any thread. */
    int32_t (*open_file)(StrobeStorage *storage);
    const char *place; /* folder of the files, for messages only */
    /* Resizes `block` from `old_bytes` to `bytes` (NULL and 0: makes a new block) and returns its
     * new address; new bytes are zero. A large block is a mapped temporary file. 0 bytes: frees the
     * block. Never fails: without memory the host ends the command with a message. Any thread. */
    void *(*state)(StrobeStorage *storage, void *block, size_t old_bytes, size_t bytes);
};

/* Passes to `fail` that a pass or an exporter could not keep or sort `what`, and returns the
 * status. */
static inline StrobeStatus strobe_storage_fail(const StrobeConsumerHost *host, StrobeInstance *self,
                                               const char *what, int error)
{
    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot keep %s in the folder for temporary files: %s: %s", what,
                      host->storage(self)->place, strerror(error));
}

#endif
