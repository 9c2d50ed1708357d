/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks in the pool. The ids of tracks are never reused; the table's entries are.
 *
 * Threads take their entries without a lock and in constant time. The writer frees the entry of an
 * ended thread when the capture holds the track's definition and all its records. So recovery finds
 * every track in the capture or in the pool. libc only.
 */
#ifndef STROBE_CORE_TRACK_TABLE_H
#define STROBE_CORE_TRACK_TABLE_H

#include <strobe/record.h>
#include "pool.h"

/* Returns the id of a track with equal type, number, clock, device, group and name; adds the track
 * if there is none. Returns 0 if the table is full. A thread's track without a name means the
 * thread's own track, which is then marked as kept, so that the caller can keep the id. Any thread,
 * lock-free, in time proportional to the number of tracks of that type. */
uint32_t strobe_track_find_or_add(struct pool_header *header, const StrobeTrack *track);

/* Adds the calling thread's own track as the track of the thread buffer. Returns its id, or 0 if
 * the table is full, which is counted. */
uint32_t strobe_track_begin_thread(struct pool_header *header, uint32_t thread_buffer);

/* Records that the thread whose track the thread buffer has, if any, has ended. All records of this
 * thread must be committed in the thread buffer's blocks. */
void strobe_track_end_thread(struct pool_header *header, uint32_t thread_buffer);

/* Marks the thread buffer's track `id` as kept, because another thread is about to write a record
 * on it. Until this record is begun, the buffer's owner must not end, so that the buffer gets no
 * other owner. */
void strobe_track_keep(struct pool_header *header, const struct pool_thread_buffer *thread_buffer,
                       uint32_t id);

/* Copies the published track of an entry (from 0). Returns 0 if the entry has no published track.
 * Any thread. */
int strobe_track_at(const struct pool_header *header, uint32_t place,
                    struct strobe_stored_track *out);

/* Return upper bounds of the used entries, for threads and for other tracks. The entries for other
 * tracks begin at STROBE_POOL_THREAD_TRACKS. */
uint32_t strobe_track_n_thread_places(const struct pool_header *header);
uint32_t strobe_track_n_other_places(const struct pool_header *header);

/*
 * The writer calls these functions before and after a cycle that writes everything: `begin` selects
 * the tracks of ended threads, and `end` frees them. If not everything was written, the writer
 * skips `end`, and a later cycle frees these tracks. If the table becomes full before that, further
 * threads record on track 0.
 */
void strobe_track_sweep_begin(struct pool_header *header);
void strobe_track_sweep_end(struct pool_header *header);
/* Frees the tracks of ended threads whose blocks have all been reused. For a ring, whose blocks
 * stay in the pool. */
void strobe_track_sweep_ring(struct pool_header *header);

#endif
