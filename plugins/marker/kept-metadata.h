/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the metadata of started ranges until the ranges end, which can be on any thread. */
#ifndef STROBE_PLUGINS_MARKER_KEPT_METADATA_H
#define STROBE_PLUGINS_MARKER_KEPT_METADATA_H

#include <stdint.h>

/* The data that a program attaches to a mark, besides the name. */
typedef struct MarkMetadata {
    uint64_t argument;         /* STROBE_ABSENT_U64: none */
    int64_t category;          /* STROBE_ABSENT_I64: none */
    const char *category_name; /* NULL: none */
    uint64_t connection; /* id that links it to the mark on the device; STROBE_ABSENT_U64: none */
    /* the range's key if the metadata is stored under a different one; 0: the same key */
    uint64_t key;
} MarkMetadata;

/* Stores the metadata under the key. If the table has no free entry near the key's hash, the range
 * is recorded without metadata. */
void kept_metadata_put(uint64_t key, const MarkMetadata *metadata);
/* Removes the metadata of the key from the table. Returns 1, or 0 if there is none. */
int kept_metadata_take(uint64_t key, MarkMetadata *metadata);
/* Removes the metadata of ranges that never ended. Call it while no marks are recorded. */
void kept_metadata_clear(void);

#endif
