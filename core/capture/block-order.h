/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a thread buffer's blocks. In a capture these blocks are in the order in which they
 * were filled, except for a few blocks that were written late. Only the late blocks are kept in
 * memory, so a capture may have any length.
 */
#ifndef STROBE_CORE_BLOCK_ORDER_H
#define STROBE_CORE_BLOCK_ORDER_H

#include "block-cursor.h"

typedef struct StrobeBlockOrder StrobeBlockOrder;

/* Maximum number of late blocks that are sorted; further late blocks keep their position in the
 * file. */
#define STROBE_LATE_BLOCKS_MAX 262144u

StrobeBlockOrder *strobe_block_order_new(void);
void strobe_block_order_free(StrobeBlockOrder *order);

/* For the first walk over a segment of the capture: call strobe_block_order_begin at the start of
 * the segment, and strobe_block_order_note for each block of records. */
void strobe_block_order_begin(StrobeBlockOrder *order, guint segment);
void strobe_block_order_note(StrobeBlockOrder *order, const StrobeBlockPlace *place);
/* Sorts the late blocks; call it after the first walk over all segments. Returns the number of late
 * blocks that are not sorted. */
guint64 strobe_block_order_finish(StrobeBlockOrder *order);

/* For the second walk over a segment, after strobe_block_order_begin. Returns TRUE with the offset
 * of the header of a late block that must be read before `place`; call it again until it returns
 * FALSE. */
gboolean strobe_block_order_take(StrobeBlockOrder *order, const StrobeBlockPlace *place,
                                 guint64 *offset);
/* Has strobe_block_order_take already returned this block? */
gboolean strobe_block_order_was_taken(const StrobeBlockOrder *order, const StrobeBlockPlace *place);

#endif
