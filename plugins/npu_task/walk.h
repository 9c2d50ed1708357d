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

typedef struct MsptiWalk {
    const uint8_t *bytes;
    size_t valid, at; /* `at` == valid: all was read; less, after the end: the rest is no record */
} MsptiWalk;

/* The next record, NULL at the end. Where the kind is not known, or the record is cut off, nothing
 * says where the next one begins: the walk ends there. */
static inline const void *mspti_walk_next(MsptiWalk *walk, int32_t *kind)
{
    const uint8_t *record = walk->bytes + walk->at;
    size_t left = walk->valid - walk->at, size;

    if (left < sizeof *kind)
        return NULL;
    memcpy(kind, record, sizeof *kind);
    size = *kind > 0 && *kind < MSPTI_KINDS ? mspti_record_bytes[*kind] : 0;
    if (size == 0 || size > left)
        return NULL;
    walk->at += size;
    return record;
}

#endif
