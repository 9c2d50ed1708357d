/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the timeline of memory by category: the events, and the allocated bytes after each
 * microsecond that has events. */
#ifndef STROBE_MEMORY_FLOW_TIMELINE_H
#define STROBE_MEMORY_FLOW_TIMELINE_H

#include "categories.h"

/* Actions of events, with the numbers that PyTorch's profiler uses. */
enum {
    ACTION_PREEXISTING = 0,
    ACTION_CREATE = 1,
    ACTION_INCREMENT_VERSION = 2,
    ACTION_DESTROY = 3
};

typedef struct TimelineEvent {
    gint64 at_ns; /* -1: before the window */
    guint64 bytes;
    guint8 action;
    guint8 category; /* category of the version; for a write: of the version before it */
    guint8 next;     /* for a write: category of the new version */
} TimelineEvent;

/* The allocated bytes of each category from a microsecond on. */
typedef struct TimelineSample {
    gint64 at_us;
    gint64 held[N_CATEGORIES];
} TimelineSample;

/* Returns the events (TimelineEvent), sorted by time and action. */
GArray *timeline_events(const Categories *categories);
/* Returns a sample (TimelineSample) for each microsecond that has events. The first sample includes
 * the blocks from before the window. */
GArray *timeline_samples(const GArray *events);

static inline gint64 timeline_sum(const TimelineSample *sample)
{
    gint64 sum = 0;

    for (guint i = 0; i < N_CATEGORIES; i++)
        sum += sample->held[i];
    return sum;
}

#endif
