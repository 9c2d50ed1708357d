/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the metadata of started ranges until they end, on any thread. */
#ifndef STROBE_PLUGINS_MARKER_KEPT_METADATA_H
#define STROBE_PLUGINS_MARKER_KEPT_METADATA_H

#include <stdint.h>

/* What a program attaches to a mark besides its name. */
typedef struct MarkMetadata {
    uint64_t argument;         /* STROBE_ABSENT_U64: none */
    int64_t category;          /* STROBE_ABSENT_I64: none */
    const char *category_name; /* NULL: none */
    uint64_t connection; /* id that links it to the mark on the device; STROBE_ABSENT_U64: none */
    uint64_t key; /* the range's key if it differs from the key that its metadata is kept under; 0:
                     the same */
} MarkMetadata;

/* Keeps the metadata under the key. If the table is full at the key's place, the range is recorded
 * without metadata. */
void kept_metadata_put(uint64_t key, const MarkMetadata *metadata);
/* Removes the metadata of the key from the table and returns 1; 0: there is none. */
int kept_metadata_take(uint64_t key, MarkMetadata *metadata);
/* Removes the metadata of ranges that never ended. Call it while no marks are recorded. */
void kept_metadata_clear(void);

#endif
