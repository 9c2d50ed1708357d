/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader finds out about a capture. */
#ifndef STROBE_CORE_READER_STATS_H
#define STROBE_CORE_READER_STATS_H

#include <glib.h>
#include <strobe/record.h>
#include "clock-trend.h"

/* What was found out about a capture. Complete once the reader has come to its end. */
typedef struct StrobeReaderStats {
    guint64 n_records;
    guint64 n_unfinished;
    guint64 n_outside;        /* begun before or after the window: they belong to another one */
    guint64 n_device_outside; /* of these, those of a device's clock, which may be wrong */
    guint64 n_nameless; /* the string of their name was lost before they were, or is forgotten */
    guint64 n_unsure;   /* of a device's clock, and when on the host is not known for certain */
    guint64 n_blocks;
    guint64 n_bytes;        /* of the files */
    guint64 n_damaged;      /* parts that were skipped */
    guint64 n_loss_records; /* of n_records, those that tell of losses */
    guint64 lost[STROBE_LOSS_CAUSES];
    gboolean sealed;          /* the window was closed properly or recovered */
    gboolean recovered;       /* by a later run: the writer had ended too */
    gboolean continued;       /* in a later segment, which was not read */
    guint64 n_segments;       /* that were read */
    guint64 first_segment;    /* number of the first of them; those before it are gone */
    gint64 begin_ns, end_ns;  /* of the window, since the epoch */
    StrobeClockSummary clock; /* what its pairs say, or its writer said: the worse of both */
    double ns_per_tick;       /* of the host clock, 0 where one pair is all there is */
} StrobeReaderStats;

#endif
