/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to memory, by category: single events, and what was held after each moment. */
#ifndef STROBE_MEMORY_TIMELINE_TIMELINE_H
#define STROBE_MEMORY_TIMELINE_TIMELINE_H

#include "categories.h"

/* The numbers that PyTorch's profiler gives them. */
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
    guint8 category; /* of the version that there is; of one that is written to the old one */
    guint8 next;     /* of the version that is written */
} TimelineEvent;

/* What is held from a time on. */
typedef struct TimelineSample {
    gint64 at_us;
    gint64 held[N_CATEGORIES];
} TimelineSample;

/* Of TimelineEvent, by time and action. */
GArray *timeline_events(const Categories *categories);
/* Of TimelineSample: one for each us in which something happened. What was there before is there at
 * the first of them. */
GArray *timeline_samples(const GArray *events);

static inline gint64 timeline_sum(const TimelineSample *sample)
{
    gint64 sum = 0;

    for (guint i = 0; i < N_CATEGORIES; i++)
        sum += sample->held[i];
    return sum;
}

#endif
