/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a timeline of memory as JSON, which a page shows. */
#ifndef STROBE_MEMORY_FLOW_TIMELINE_DATA_H
#define STROBE_MEMORY_FLOW_TIMELINE_DATA_H

#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>

#include "memory-records.h"
#include "timeline.h"

typedef struct TimelineText {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    char *device; /* for example "cpu" or "npu:0" */
    Flow *flow;
    Categories *categories;
    GArray *events, *samples;
    /* largest totals that the allocator reported; absent: not reported */
    gint64 most_allocated, most_reserved;
} TimelineText;

/* Makes the timeline of one of the devices in `records`. */
TimelineText *timeline_text_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                MemoryRecords *records, const MemoryDevice *device);
void timeline_text_free(TimelineText *text);

/* Writes an object with the members device, begin, n_blocks, most_allocated, most_reserved,
 * is_thinned, peak, times, held and blocks. `begin` is the time of the first event, in ns since the
 * window's begin; the other times are in us since `begin`. A long timeline is thinned: it is
 * divided into `parts`, and each part keeps only its extreme samples. */
void timeline_write_data(const TimelineText *text, guint parts, StrobeJsonWriter *json);

#endif
