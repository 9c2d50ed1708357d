/* SPDX-License-Identifier: Apache-2.0 */
/* What started ranges say besides their names, until they end on whatever thread. */
#ifndef STROBE_PLUGINS_MARKER_KEPT_METADATA_H
#define STROBE_PLUGINS_MARKER_KEPT_METADATA_H

#include <stdint.h>

/* What a mark says besides its name. */
typedef struct MarkMetadata {
    uint64_t argument;         /* STROBE_ABSENT_U64: none */
    int64_t category;          /* STROBE_ABSENT_I64: none */
    const char *category_name; /* NULL: none */
    uint64_t connection; /* to the mark on the device, STROBE_ABSENT_U64: none was asked for */
    uint64_t key;        /* of the range, 0: the one by which its facts are known */
} MarkMetadata;

/* Nothing is kept of a range without facts, nor where the table is full at its place: the range is
 * then recorded without them. */
void kept_metadata_put(uint64_t key, const MarkMetadata *metadata);
/* 0: there are none of this key. */
int kept_metadata_take(uint64_t key, MarkMetadata *metadata);
/* While no marks are recorded: those of ranges that never ended. */
void kept_metadata_clear(void);

#endif
