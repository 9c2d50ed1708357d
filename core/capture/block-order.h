/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a thread buffer's blocks. In a capture they are in the order in which they were
 * filled, except for a few that were written late. Only these are kept in memory, for captures
 * of any length.
 */
#ifndef STROBE_CORE_BLOCK_ORDER_H
#define STROBE_CORE_BLOCK_ORDER_H

#include "block-cursor.h"

typedef struct StrobeBlockOrder StrobeBlockOrder;

/* Maximum number of late blocks that are sorted; further ones keep their position in the file. */
#define STROBE_LATE_BLOCKS_MAX 262144u

StrobeBlockOrder *strobe_block_order_new(void);
void strobe_block_order_free(StrobeBlockOrder *order);

/* The first walk over a segment of the capture: begin starts it, see is called for each block of
 * records. */
void strobe_block_order_begin(StrobeBlockOrder *order, guint segment);
void strobe_block_order_note(StrobeBlockOrder *order, const StrobeBlockPlace *place);
/* Call after the first walk over all segments; returns the number of late blocks that are not
 * sorted. */
guint64 strobe_block_order_finish(StrobeBlockOrder *order);

/* The second walk over a segment, after strobe_block_order_begin. TRUE with the offset of a late
 * block's header that must be read before `place`; call it again until it returns FALSE. */
gboolean strobe_block_order_take(StrobeBlockOrder *order, const StrobeBlockPlace *place,
                                 guint64 *offset);
/* Was the block already taken? */
gboolean strobe_block_order_was_taken(const StrobeBlockOrder *order, const StrobeBlockPlace *place);

#endif
