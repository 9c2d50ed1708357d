/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a thread buffer's blocks. They lie in a capture as they were filled, but for the few
 * that the writer came to late; only those are kept in memory, whatever the capture's length.
 */
#ifndef STROBE_CORE_BLOCK_ORDER_H
#define STROBE_CORE_BLOCK_ORDER_H

#include "block-cursor.h"

typedef struct StrobeBlockOrder StrobeBlockOrder;

/* Late blocks that are put into their place; beyond these they come as they lie in the file. */
#define STROBE_LATE_BLOCKS_MAX 262144u

StrobeBlockOrder *strobe_block_order_new(void);
void strobe_block_order_free(StrobeBlockOrder *order);

/* The first walk over a segment of the capture: begins it, and sees each block of records. */
void strobe_block_order_begin(StrobeBlockOrder *order, guint segment);
void strobe_block_order_note(StrobeBlockOrder *order, const StrobeBlockPlace *place);
/* After the first walk over all segments; returns the number of late blocks without a place. */
guint64 strobe_block_order_finish(StrobeBlockOrder *order);

/* The second walk over a segment, after strobe_block_order_begin. TRUE with the offset of a late
 * block's header that must be read before `place`; call again until FALSE. */
gboolean strobe_block_order_take(StrobeBlockOrder *order, const StrobeBlockPlace *place,
                                 guint64 *offset);
/* Was it taken already? */
gboolean strobe_block_order_was_taken(const StrobeBlockOrder *order, const StrobeBlockPlace *place);

#endif
