/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics that a reader collects about a capture. */
#ifndef STROBE_CORE_READER_STATS_H
#define STROBE_CORE_READER_STATS_H

#include <glib.h>
#include <strobe/record.h>
#include "clock-trend.h"

/* Statistics of a capture. Complete when the reader has reached the end. */
typedef struct StrobeReaderStats {
    guint64 n_records;
    guint64 n_unfinished;
    /* records that began before or after the window, so belong to another window */
    guint64 n_outside;
    guint64 n_device_outside; /* the part of n_outside that is on a device's clock, for which this
                                 may be wrong */
    guint64 n_nameless;       /* records whose name is missing, because its string was lost */
    guint64 n_unsure;         /* records on a device's clock with an unsure host time */
    guint64 n_blocks;
    guint64 n_bytes;        /* size of the files */
    guint64 n_damaged;      /* number of skipped parts */
    guint64 n_loss_records; /* number of loss records in n_records */
    guint64 lost[STROBE_LOSS_CAUSES];
    gboolean sealed;       /* the window was closed properly or recovered */
    gboolean recovered;    /* recovered by a later run, because the writer had also ended */
    gboolean continued;    /* the window continues in a later segment, which was not read */
    guint64 n_segments;    /* number of segments that were read */
    guint64 first_segment; /* number of the first existing segment; earlier segments were removed */
    gint64 begin_ns, end_ns; /* the window, in ns since the epoch */
    /* computed from the pairs, or the writer's summary if its errors are larger */
    StrobeClockSummary clock;
    double ns_per_tick; /* rate of the host clock, 0 if there is only one pair */
} StrobeReaderStats;

#endif
