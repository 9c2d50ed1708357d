/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture holds, counted in one pass over it. */
#ifndef STROBE_TOOLS_CAPTURE_CONTENTS_H
#define STROBE_TOOLS_CAPTURE_CONTENTS_H

#include "reader.h"

typedef struct StrobeKindCount {
    char *name;
    guint32 shape;
    guint64 n;
    gint64 total_ns; /* of spans */
} StrobeKindCount;

typedef struct StrobeTrackCount {
    char *label; /* "thread 4711 (python3)" */
    guint64 pid;
    guint64 n;
} StrobeTrackCount;

typedef struct StrobeContents {
    GPtrArray *kinds;  /* of StrobeKindCount, most records first */
    GPtrArray *tracks; /* of StrobeTrackCount, in the order of their ids; those with records */
    JsonObject *facts; /* NULL: none readable */
    StrobeReaderStats stats;
    char **damage;
    StrobeClockEvent *clock_events; /* what happened to the counter */
    guint n_clock_events;
    gint64 overhead_ns; /* sum of the collector_call spans */
    guint64 n_steps;
} StrobeContents;

StrobeContents *strobe_contents_read(const char *capture, GError **error);
void strobe_contents_free(StrobeContents *contents);

/* "span", "instant" ... */
const char *strobe_shape_name(guint32 shape);

#endif
