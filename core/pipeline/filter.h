/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects a part of a capture by time, kind, track and name. Passes and exporters see the selected
 * raw records, as if no others had been recorded.
 *
 * A record is in a stretch of time if it begins there, so adjacent stretches hold each record once.
 * Every filter keeps records about the capture as a whole (metadata, devices, losses, clocks).
 * Steps are filtered by time alone.
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

/* Conditions of one type are alternatives; those of different types must all hold. */

/* ns since the epoch, the end not included. */
void strobe_filter_add_time(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Limits the filter further to this stretch. */
void strobe_filter_narrow(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Shell patterns. A track's is for its name, or for its label, "stream 3 (compute)". */
void strobe_filter_add_kind(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_track(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_name(StrobeFilter *filter, const char *pattern);

/* Has it no condition? */
gboolean strobe_filter_is_whole(const StrobeFilter *filter);

/* Moves the views that pass the filter to the front; returns how many. Views of one reader. */
gsize strobe_filter_apply(StrobeFilter *filter, const StrobeReader *reader, StrobeView *views,
                          gsize n);

/* How many records met the conditions, and how many did not. Steps, and kinds that every filter
 * keeps, are in neither number. */
guint64 strobe_filter_kept(const StrobeFilter *filter);
guint64 strobe_filter_left_out(const StrobeFilter *filter);

/* Does every filter keep records of this kind? */
gboolean strobe_filter_is_about_all(const char *kind);

/* Times that divide what was kept into `n` parts of about as many records, at most: in order, each
 * later than the first record. Free with g_array_unref; of gint64, ns. */
GArray *strobe_filter_divide(const StrobeFilter *filter, guint n);

/* The label of a track: "thread 4711 (python3)". Free it. */
char *strobe_track_label(const StrobeTrackView *track);

#endif
