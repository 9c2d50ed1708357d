/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a capture: by time, kind, track and name. What is cut out of the raw records is what
 * passes and exporters see, as if no more had been recorded.
 *
 * A record is in a stretch of time if it begins there, so that stretches side by side hold each
 * record once. What says of the capture as a whole how it is to be read (facts, devices, losses,
 * clocks) is in every cut, and steps are cut by time alone.
 */
#ifndef STROBE_CORE_FILTER_H
#define STROBE_CORE_FILTER_H

#include <glib.h>
#include <strobe/exporter.h>

#include "reader.h"

typedef struct StrobeFilter StrobeFilter;

StrobeFilter *strobe_filter_new(void);
/* With the same conditions, and nothing counted. */
StrobeFilter *strobe_filter_copy(const StrobeFilter *filter);
void strobe_filter_free(StrobeFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeFilter, strobe_filter_free)

/* Conditions of one type are alternatives; those of different sorts must all hold. */

/* ns since the epoch, the end not included. */
void strobe_filter_add_time(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Only what the cut holds and lies in this stretch. */
void strobe_filter_narrow(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Shell patterns. A track's is for its name, or for its label, "stream 3 (compute)". */
void strobe_filter_add_kind(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_track(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_name(StrobeFilter *filter, const char *pattern);

/* Has it no condition? */
gboolean strobe_filter_is_whole(const StrobeFilter *filter);

/* Moves what is in the cut to the front; returns how many. Views of one reader. */
gsize strobe_filter_apply(StrobeFilter *filter, const StrobeReader *reader, StrobeView *views,
                          gsize n);

/* Of the conditions on records: how many held them, how many not. What is in every cut, and
 * steps, are in neither. */
guint64 strobe_filter_kept(const StrobeFilter *filter);
guint64 strobe_filter_left_out(const StrobeFilter *filter);

/* Is it in every cut? */
gboolean strobe_filter_is_about_all(const char *kind);

/* Times that divide what was kept into `n` parts of about as many records, at most: in order, each
 * later than the first record. Free with g_array_unref; of gint64, ns. */
GArray *strobe_filter_divide(const StrobeFilter *filter, guint n);

/* How a track is told: "thread 4711 (python3)". Free it. */
char *strobe_track_label(const StrobeTrackView *track);

#endif
