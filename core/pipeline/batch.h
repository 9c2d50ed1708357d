/* SPDX-License-Identifier: Apache-2.0 */
/* Records that were read together, and the blocks that they point into: shared by all consumers,
 * freed by the last one. */
#ifndef STROBE_CORE_BATCH_H
#define STROBE_CORE_BATCH_H

#include "filter.h"
#include "reader.h"

#define STROBE_BATCH 2048u      /* records at most */
#define STROBE_BATCH_BLOCKS 32u /* that they point into, at most */

typedef struct StrobeBatch {
    gint refs; /* atomic */
    guint n;
    StrobeView views[STROBE_BATCH];
    guint n_kinds; /* that there are among them */
    const StrobeKindView *kinds[STROBE_BATCH];
    guint16 kind_of[STROBE_BATCH]; /* of each record, its place among these */
    guint n_blocks;
    StrobeBlockMemory *blocks[STROBE_BATCH_BLOCKS];
    gsize bytes; /* all of that */
} StrobeBatch;

/* The next records that pass `filter` (NULL: all). `n_read` grows by all records that were read.
 * NULL at the end, or with an error. */
StrobeBatch *strobe_batch_read(StrobeReader *reader, StrobeFilter *filter, guint64 *n_read,
                               GError **error);

/* Any thread. */
StrobeBatch *strobe_batch_ref(StrobeBatch *batch);
void strobe_batch_unref(StrobeBatch *batch);

#endif
