/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks in the pool. libc only. */
#ifndef STROBE_CORE_TRACK_TABLE_H
#define STROBE_CORE_TRACK_TABLE_H

#include <strobe/record.h>
#include "pool.h"

/* Adds a track and returns its id (from 1); 0 when the table is full. Any thread, lock-free. */
uint32_t strobe_track_add(struct pool_header *header, const StrobeTrack *track);

/* As add, but a track of equal type, number, device, group and name is found again. Takes time in
 * proportion to the number of tracks. */
uint32_t strobe_track_find_or_add(struct pool_header *header, const StrobeTrack *track);

/* Adds the calling thread's track. */
uint32_t strobe_track_of_thread(struct pool_header *header);

/* The stored form of a published track, NULL if it is not (yet) published. */
const struct strobe_stored_track *strobe_track_get(const struct pool_header *header, uint32_t id);

#endif
