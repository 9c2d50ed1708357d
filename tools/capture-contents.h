/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the contents of a capture in one pass. */
#ifndef STROBE_TOOLS_CAPTURE_CONTENTS_H
#define STROBE_TOOLS_CAPTURE_CONTENTS_H

#include "reader.h"

typedef struct StrobeKindCount {
    char *name;
    guint32 shape;
    guint64 n;
    gint64 total_ns; /* sum of the spans' durations */
} StrobeKindCount;

typedef struct StrobeTrackCount {
    char *label; /* for example "thread 4711 (python3)" */
    guint64 pid;
    guint64 n;
} StrobeTrackCount;

typedef struct StrobeDeviceClockEntry {
    char *label; /* label of the clock's track */
    StrobeClockView clock;
} StrobeDeviceClockEntry;

typedef struct StrobeLossCount {
    guint32 cause; /* STROBE_LOSS_* */
    /* label of the track of the thread that lost the records; NULL: the losses are not those of one
     * thread */
    char *thread;
    guint64 number; /* number of that track */
    guint64 n;
    gint64 begin_ns, end_ns; /* from the first loss to the last */
} StrobeLossCount;

typedef struct StrobeContents {
    GPtrArray *kinds;  /* of StrobeKindCount, most records first */
    GPtrArray *tracks; /* of StrobeTrackCount, tracks with records in the order of their ids */
    GPtrArray *losses; /* of StrobeLossCount, most lost first */
    GArray *incomplete_steps; /* of gint64: numbers of the steps that touch a gap */
    JsonObject *metadata;     /* NULL: the capture has none, or it cannot be read */
    StrobeReaderStats stats;
    char **damage;
    StrobeClockEvent *clock_events; /* jumps and pauses of the clock's counter */
    guint n_clock_events;
    GPtrArray *device_clocks; /* of StrobeDeviceClockEntry */
    gint64 overhead_ns;       /* sum of the collector_call spans */
    guint64 n_steps;
} StrobeContents;

/* Reads the capture `source`, a source for strobe_reader_open(), and counts its contents. */
StrobeContents *strobe_contents_read(const char *source, GError **error);
void strobe_contents_free(StrobeContents *contents);

/* Returns the name of a shape of records, for example "span". */
const char *strobe_shape_name(guint32 shape);

#endif
