/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by category: single events, and the allocated bytes after each microsecond with events. */
#ifndef STROBE_MEMORY_FLOW_TIMELINE_H
#define STROBE_MEMORY_FLOW_TIMELINE_H

#include "categories.h"

/* The numbers of PyTorch's profiler. */
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
    guint8 category; /* category of the version; for a write, of the old version */
    guint8 next;     /* for a write, of the new version */
} TimelineEvent;

/* Allocated bytes from a time on. */
typedef struct TimelineSample {
    gint64 at_us;
    gint64 held[N_CATEGORIES];
} TimelineSample;

/* The events (TimelineEvent), by time and action. */
GArray *timeline_events(const Categories *categories);
/* The samples (TimelineSample): one for each microsecond with events. Blocks from before the window
 * are in the first. */
GArray *timeline_samples(const GArray *events);

static inline gint64 timeline_sum(const TimelineSample *sample)
{
    gint64 sum = 0;

    for (guint i = 0; i < N_CATEGORIES; i++)
        sum += sample->held[i];
    return sum;
}

#endif
