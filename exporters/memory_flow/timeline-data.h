/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline of memory as the data of a page. */
#ifndef STROBE_MEMORY_FLOW_TIMELINE_DATA_H
#define STROBE_MEMORY_FLOW_TIMELINE_DATA_H

#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>

#include "memory-records.h"
#include "timeline.h"

typedef struct TimelineText {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    char *device; /* "cpu", "npu:0" */
    Flow *flow;
    Categories *categories;
    GArray *events, *samples;
    gint64 most_allocated, most_reserved; /* as the allocator counts; absent: not reported */
} TimelineText;

/* The timeline of one of the records' devices. */
TimelineText *timeline_text_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                MemoryRecords *records, const MemoryDevice *device);
void timeline_text_free(TimelineText *text);

/* {device, begin, n_blocks, most_allocated, most_reserved, is_thinned, peak, times, held, blocks}:
 * `begin` is in ns since the window's begin, the other times are in us since then. A long timeline
 * is thinned: each of `parts` keeps its extremes. */
void timeline_write_data(const TimelineText *text, guint parts, StrobeJsonWriter *json);

#endif
