/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks in the pool. Ids only grow; the place of a track is used again.
 *
 * Threads take their places without a lock and in constant time. A thread that has ended leaves its
 * place to the writer, which frees it when the capture holds the track's definition and all
 * its records: what recovery finds is then either in the capture or in the pool. libc only.
 */
#ifndef STROBE_CORE_TRACK_TABLE_H
#define STROBE_CORE_TRACK_TABLE_H

#include <strobe/record.h>
#include "pool.h"

/* Id of the track of equal type, number, clock, device, group and name, a new one if there is none;
 * 0 when the table is full. A thread asked for without a name is known by its number alone, and its
 * own track stays from then on, so that the id can be kept. Any thread, lock-free, in time
 * proportional to the number of tracks of that type. */
uint32_t strobe_track_find_or_add(struct pool_header *header, const StrobeTrack *track);

/* Adds the calling thread's own track as that of the thread buffer; returns its id, 0 (and counted)
 * when the table is full. */
uint32_t strobe_track_begin_thread(struct pool_header *header, uint32_t thread_buffer);

/* The thread whose track the thread buffer has (none: nothing happens) has ended, and all its
 * records are committed in the thread buffer's blocks so far. */
void strobe_track_end_thread(struct pool_header *header, uint32_t thread_buffer);

/* Another thread is about to write a record on the thread buffer's track `id`: that stays from then
 * on. The thread buffer's thread cannot end, nor its thread buffer be another's, before that record
 * is begun. */
void strobe_track_keep(struct pool_header *header, const struct pool_thread_buffer *thread_buffer,
                       uint32_t id);

/* Copies the track that is published in a place (from 0); 0 if there is none. Any thread. */
int strobe_track_at(const struct pool_header *header, uint32_t place,
                    struct strobe_stored_track *out);

/* Number of places below which there may be a track, of threads and of others; the latter begin at
 * STROBE_POOL_THREAD_TRACKS. */
uint32_t strobe_track_n_thread_places(const struct pool_header *header);
uint32_t strobe_track_n_other_places(const struct pool_header *header);

/*
 * The writer's two steps around a cycle that writes everything: `begin` picks the tracks of
 * threads that have ended by now, `end` frees them. `end` is left out when not all was written:
 * those tracks are freed by a later cycle. When the table is full by then, further threads record
 * on track 0.
 */
void strobe_track_sweep_begin(struct pool_header *header);
void strobe_track_sweep_end(struct pool_header *header);
/* Where blocks stay in the pool (the ring): frees those whose blocks have been given up. */
void strobe_track_sweep_ring(struct pool_header *header);

#endif
