/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through the records in a buffer that MSPTI filled. MSPTI's own function for this is not
 * used: it stores its position for each thread, and would continue at the old position if a walk
 * had stopped before the end. */
#ifndef STROBE_PLUGINS_NPU_TASK_WALK_H
#define STROBE_PLUGINS_NPU_TASK_WALK_H

#include <string.h>

#include "mspti-abi.h"

/* Size of a record of each kind in bytes; 0: the kind is not known. */
static const uint8_t mspti_record_bytes[MSPTI_KINDS] = {
    [MSPTI_KIND_MARKER] = sizeof(MsptiMarker),
    [MSPTI_KIND_KERNEL] = sizeof(MsptiKernel),
    [MSPTI_KIND_API] = sizeof(MsptiApi),
    [MSPTI_KIND_HCCL] = sizeof(MsptiHccl),
    [MSPTI_KIND_MEMORY] = sizeof(MsptiMemory),
    [MSPTI_KIND_MEMSET] = sizeof(MsptiMemset),
    [MSPTI_KIND_MEMCPY] = sizeof(MsptiMemcpy),
    [MSPTI_KIND_EXTERNAL] = sizeof(MsptiExternal),
    [MSPTI_KIND_COMMUNICATION] = sizeof(MsptiCommunication),
    [MSPTI_KIND_ACL_API] = sizeof(MsptiApi),
    [MSPTI_KIND_NODE_API] = sizeof(MsptiApi),
    [MSPTI_KIND_RUNTIME_API] = sizeof(MsptiApi),
};

/* MSPTI's function for the size of a kind's records; it ignores its second argument, a version. */
typedef int32_t MsptiStructSize(int32_t kind, uint32_t version, size_t *size);

typedef struct MsptiWalk {
    const uint8_t *bytes;
    /* after the walk: `at` is equal to `valid` if everything was read; otherwise no known record
     * begins at `at` */
    size_t valid, at;
    MsptiStructSize *size_of; /* NULL: the library has no such function */
} MsptiWalk;

/* Returns MSPTI's size of a kind that is newer than mspti_record_bytes; 0: unknown. */
static inline size_t mspti_newer_bytes(const MsptiWalk *walk, int32_t kind)
{
    size_t size = 0;

    if (kind < MSPTI_KINDS || !walk->size_of || walk->size_of(kind, 0, &size) != MSPTI_SUCCESS)
        return 0;
    return size >= sizeof kind ? size : 0;
}

/* Returns the next record; NULL: there is none. A record whose size is unknown, or that is cut off,
 * ends the walk. The caller must skip records whose kind is MSPTI_KINDS or more. */
static inline const void *mspti_walk_next(MsptiWalk *walk, int32_t *kind)
{
    const uint8_t *record = walk->bytes + walk->at;
    size_t left = walk->valid - walk->at, size;

    if (left < sizeof *kind)
        return NULL;
    memcpy(kind, record, sizeof *kind);
    size = *kind > 0 && *kind < MSPTI_KINDS ? mspti_record_bytes[*kind]
                                            : mspti_newer_bytes(walk, *kind);
    if (size == 0 || size > left)
        return NULL;
    walk->at += size;
    return record;
}

#endif
