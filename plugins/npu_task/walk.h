/* SPDX-License-Identifier: Apache-2.0 */
/* The records in a buffer that the vendor's library filled. Its own function for that keeps a place
 * for each thread that a walk which stops early leaves behind: it is not used. */
#ifndef STROBE_PLUGINS_NPU_TASK_WALK_H
#define STROBE_PLUGINS_NPU_TASK_WALK_H

#include <string.h>

#include "mspti-abi.h"

/* Bytes of a record of each kind; 0: no such kind is known. */
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

/* The library's function for the size of a kind's records; of its second argument, a version, it
 * makes no use. */
typedef int32_t MsptiStructSize(int32_t kind, uint32_t version, size_t *size);

typedef struct MsptiWalk {
    const uint8_t *bytes;
    size_t valid, at; /* `at` == valid: all was read; less, after the end: the rest is no record */
    MsptiStructSize *size_of; /* NULL: the library has none */
} MsptiWalk;

/* Of a kind that is newer than this table, by the library; 0: nothing says it. */
static inline size_t mspti_newer_bytes(const MsptiWalk *walk, int32_t kind)
{
    size_t size = 0;

    if (kind < MSPTI_KINDS || !walk->size_of || walk->size_of(kind, 0, &size) != MSPTI_SUCCESS)
        return 0;
    return size >= sizeof kind ? size : 0;
}

/* The next record, NULL at the end. Where nothing says how long a record of the kind is, or the
 * record is cut off, the walk ends there. A kind from MSPTI_KINDS on is one to be walked past. */
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
