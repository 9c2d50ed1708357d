/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a window in the lanes: the gate is shut and nobody is inside a bracket. libc only. */
#ifndef STROBE_CORE_LANE_END_H
#define STROBE_CORE_LANE_END_H

#include "pool.h"
#include "ring.h"

/* Hands over what the lanes hold of the window: their blocks, and their open spans as unfinished
 * records in these. Lanes whose thread is stuck inside a bracket keep theirs.
 * A span for which no block gets free is counted as lost. */
void strobe_lanes_end(struct pool_header *pool, uint32_t window, uint64_t end, StrobeRing *ring);

#endif
