/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the metadata of started ranges until the ranges end, which can be on any thread. */
#ifndef STROBE_PLUGINS_MARKER_KEPT_METADATA_H
#define STROBE_PLUGINS_MARKER_KEPT_METADATA_H

#include <stdint.h>

/* The data that a program attaches to a mark, besides the name. */
typedef struct MarkMetadata {
    uint64_t argument;         /* STROBE_ABSENT_U64: there is none */
    int64_t category;          /* STROBE_ABSENT_I64: there is none */
    const char *category_name; /* NULL: there is none */
    /* id that links the mark to the same mark on the device; STROBE_ABSENT_U64: there is none */
    uint64_t connection;
    /* key of the range if the metadata is stored under a different key; 0: the same key */
    uint64_t key;
} MarkMetadata;

/* Stores the metadata under the key. If the table has no free entry near the key's hash, the range
 * is recorded without metadata. */
void kept_metadata_put(uint64_t key, const MarkMetadata *metadata);
/* Removes the metadata of the key from the table. Returns 1, or 0 if there is none. */
int kept_metadata_take(uint64_t key, MarkMetadata *metadata);
/* Removes the metadata of ranges that never ended. The caller must ensure that no marks are
 * recorded meanwhile. */
void kept_metadata_clear(void);

#endif
