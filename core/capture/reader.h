/* SPDX-License-Identifier: Apache-2.0 */
/* Streams the records of one capture, in one or several segments, with memory independent of its
 * length; skips and reports damaged parts. */
#ifndef STROBE_CORE_READER_H
#define STROBE_CORE_READER_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/exporter.h>
#include "shared-block.h"
#include "clock-map.h"
#include "reader-stats.h"

typedef struct StrobeReader StrobeReader;

/* Opens a capture: a directory with all its segments (a result directory), or one file. Fails if
 * the file is not a capture or has no readable METADATA block. Blocks of a thread buffer come in
 * the order in which they were filled. A span that is open at the end of a segment is a record in a
 * later segment; if only the first segment is read, the span is unfinished. */
StrobeReader *strobe_reader_open(const char *path, GError **error);
/* Like strobe_reader_open, without the external data in the capture's folder (external-data.h). */
StrobeReader *strobe_reader_open_own(const char *path, GError **error);
void strobe_reader_free(StrobeReader *reader);

/* Returns the next records, at most `max`, and their number; 0 at the end or on an I/O error
 * (then error is set). The views are valid until the next call. */
gsize strobe_reader_next(StrobeReader *reader, StrobeView *views, gsize max, GError **error);

/* Returns the memory that the views of the last call point to; NULL if there are none. The reader
 * does not change this memory while a caller has a reference to it. */
StrobeBlockMemory *strobe_reader_memory(const StrobeReader *reader);

/* Keeps the string ids of records valid as long as the reader; call it before the first record is
 * read. Without this call the id of an inline string may be invalid after the next
 * strobe_reader_next, but memory does not grow with the number of inline strings. */
void strobe_reader_keep_strings(StrobeReader *reader);

/* Returns the fraction of the file that has been read, 0..1. */
double strobe_reader_progress(const StrobeReader *reader);

/* Returns the metadata of the session as stored by the recorder (pid, host, command, rank ...). */
JsonObject *strobe_reader_metadata(const StrobeReader *reader);
const StrobeReaderStats *strobe_reader_stats(const StrobeReader *reader);
/* Returns the difference between the times of records and CLOCK_MONOTONIC of the recording host,
 * which is the same for all records. */
gint64 strobe_reader_monotonic_offset(const StrobeReader *reader);
/* Returns the events of the counter, in order of time, and their number in *n, at most
 * STROBE_CLOCK_EVENTS_MAX. */
const StrobeClockEvent *strobe_reader_clock_events(const StrobeReader *reader, guint *n);
/* Returns the view of device clock number `index`, from 0; NULL after the last clock.
 * StrobeTrackView.clock of a track points to the same view. */
const StrobeClockView *strobe_reader_device_clock(const StrobeReader *reader, guint32 index);
/* Return the number of lost records and the number of stored records. The sum is the number of
 * records that collectors tried to record in this window. A record with a truncated text is
 * stored. */
guint64 strobe_reader_stats_lost(const StrobeReaderStats *stats);
guint64 strobe_reader_stats_stored(const StrobeReaderStats *stats);
/* Returns one text for each damaged place, with its offset and the reason: at most 100 texts,
 * NULL-terminated. */
const char *const *strobe_reader_damage(const StrobeReader *reader);

StrobeText strobe_reader_string(const StrobeReader *reader, StrobeStringId id);
gsize strobe_reader_stack(const StrobeReader *reader, StrobeStackId id,
                          const StrobeStringId **frames);
const StrobeTrackView *strobe_reader_track(const StrobeReader *reader, StrobeTrackId id);
/* Returns the track's id in the files; 0: there is no such track. */
guint32 strobe_reader_captured_track(const StrobeReader *reader, StrobeTrackId id);
guint32 strobe_reader_n_tracks(const StrobeReader *reader); /* ids are 1..n */
const StrobeKindView *strobe_reader_kind(const StrobeReader *reader, guint32 index);
guint32 strobe_reader_n_kinds(const StrobeReader *reader); /* indices are 0..n-1 */

/* Add a text or a stack to the reader's tables, for derived records, and return its id. */
StrobeStringId strobe_reader_intern(StrobeReader *reader, const char *bytes, gsize length);
StrobeStackId strobe_reader_intern_stack(StrobeReader *reader, const StrobeStringId *frames,
                                         gsize n);

#endif
