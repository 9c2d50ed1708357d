/* SPDX-License-Identifier: Apache-2.0 */
/* Records that were read together, and the capture's blocks that contain their fields. All
 * consumers share a batch; the last of them frees it. */
#ifndef STROBE_CORE_BATCH_H
#define STROBE_CORE_BATCH_H

#include "filter.h"
#include "reader.h"

#define STROBE_BATCH 2048u      /* maximum number of records in a batch */
#define STROBE_BATCH_BLOCKS 32u /* maximum number of blocks of a batch */

typedef struct StrobeBatch {
    gint refs; /* atomic */
    guint n;
    StrobeView views[STROBE_BATCH];
    guint n_kinds; /* number of kinds in the batch */
    const StrobeKindView *kinds[STROBE_BATCH];
    guint16 kind_of[STROBE_BATCH]; /* index of each record's kind in kinds */
    guint n_blocks;
    StrobeBlockMemory *blocks[STROBE_BATCH_BLOCKS];
    gsize bytes; /* memory of the batch and its blocks */
} StrobeBatch;

/* Returns the next records that pass `filter` (NULL: all). `n_read` grows by all records read. NULL
 * at the end, or with an error. */
StrobeBatch *strobe_batch_read(StrobeReader *reader, StrobeFilter *filter, guint64 *n_read,
                               GError **error);

/* Adds a reference. Any thread. */
StrobeBatch *strobe_batch_ref(StrobeBatch *batch);
void strobe_batch_unref(StrobeBatch *batch);

#endif
