/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects a part of a capture by time, kind, track and name. Passes and exporters see only the
 * selected raw records, as if no other records existed.
 *
 * A record is in a range of time if it begins in the range, so each record is in exactly one of
 * several adjacent ranges. Every filter keeps the records about the whole capture (metadata,
 * devices, losses, clocks). Steps are filtered only by time.
 */
#ifndef STROBE_CORE_FILTER_H
#define STROBE_CORE_FILTER_H

#include <glib.h>
#include <strobe/exporter.h>

#include "reader.h"

typedef struct StrobeFilter StrobeFilter;

StrobeFilter *strobe_filter_new(void);
/* Returns a copy with the same conditions and zero counts. */
StrobeFilter *strobe_filter_copy(const StrobeFilter *filter);
void strobe_filter_free(StrobeFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeFilter, strobe_filter_free)

/* Conditions of one type are alternatives; a record must fulfil one condition of each type. */

/* Adds a range of time in ns since the epoch; `end_ns` itself is outside of it. */
void strobe_filter_add_time(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Limits the filter further: a record must also be in this range of time. */
void strobe_filter_narrow(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns);
/* Add a condition with a shell pattern. The pattern of a track must match the track's name or its
 * label, such as "stream 3 (compute)". */
void strobe_filter_add_kind(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_track(StrobeFilter *filter, const char *pattern);
void strobe_filter_add_name(StrobeFilter *filter, const char *pattern);

/* Does the filter have no condition, so that every record passes? */
gboolean strobe_filter_is_whole(const StrobeFilter *filter);

/* Moves the views that pass the filter to the front of the array; returns their number. All views
 * must come from `reader`. */
gsize strobe_filter_apply(StrobeFilter *filter, const StrobeReader *reader, StrobeView *views,
                          gsize n);

/* Return the number of records that met the conditions, and the number of records that did not.
 * Neither number includes steps or kinds that every filter keeps. */
guint64 strobe_filter_kept(const StrobeFilter *filter);
guint64 strobe_filter_left_out(const StrobeFilter *filter);

/* Do records of this kind pass every filter? */
gboolean strobe_filter_is_about_all(const char *kind);

/* Returns times that divide the kept records into at most `n` parts with about equal numbers of
 * records. The result is a GArray of gint64 (free it with g_array_unref): times in ns, in order,
 * all later than the first record. */
GArray *strobe_filter_divide(const StrobeFilter *filter, guint n);

/* Returns the label of a track, such as "thread 4711 (python3)" (free it). */
char *strobe_track_label(const StrobeTrackView *track);

#endif
