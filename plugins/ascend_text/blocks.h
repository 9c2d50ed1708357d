/* SPDX-License-Identifier: Apache-2.0 */
/* Finds allocations and releases of operator_memory.csv by their times. */
#ifndef STROBE_ASCEND_TEXT_BLOCKS_H
#define STROBE_ASCEND_TEXT_BLOCKS_H

#include "ascend-text-import.h"

enum { BLOCK_ALLOCATION = 0, BLOCK_RELEASE = 1, BLOCK_RELEASE_OF_BLOCK = 2, BLOCK_STATE = 3 };

typedef struct Blocks Blocks;

/* An allocation or a release. Values that are unknown are absent. */
typedef struct BlockEvent {
    gint64 time_ns, size, allocated, reserved, active;
    guint64 number, stream;
    guint32 action; /* BLOCK_* */
    gint32 device;
    gboolean is_ge; /* the allocator is GE, which is part of CANN */
    StrobeStringId name;
} BlockEvent;

/* Reads the whole file once to build the index. Returns NULL if the header is not that of
 * operator_memory.csv. The caller closes `descriptor`. */
Blocks *blocks_new(Import *import, int descriptor, const char *file);
void blocks_free(Blocks *blocks);

/* Finds an event with this time that has not been taken yet, and takes it. Returns FALSE if there
 * is none, or `blocks` is NULL. */
gboolean blocks_take(Blocks *blocks, gboolean is_ge, gint32 device, gint64 time_ns,
                     BlockEvent *event);
/* Gets the next event that has not been taken. Returns FALSE if there is none. */
gboolean blocks_next(Blocks *blocks, BlockEvent *event);

guint64 blocks_n_rows(const Blocks *blocks);

#endif
