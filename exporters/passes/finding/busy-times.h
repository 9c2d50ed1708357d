/* SPDX-License-Identifier: Apache-2.0 */
/* When each thread was busy with what, and which part of each step that was. */
#ifndef STROBE_PASSES_BUSY_TIMES_H
#define STROBE_PASSES_BUSY_TIMES_H

#include <glib.h>
#include <strobe/exporter.h>

#include "cause-names.h"

/* Stretches a thread and part; more are joined over gaps, so that sums may be too large by these.
 */
#define BUSY_STRETCHES_MAX 262144u
#define BUSY_STEPS_MAX 1048576u

typedef struct BusyStep {
    gint64 number; /* -1: the whole window */
    gint64 begin_ns, end_ns;
    guint64 thread;
    gint64 parts[N_PARTS + 1]; /* ns; [N_PARTS]: the rest */
} BusyStep;

typedef struct BusyTimes BusyTimes;

BusyTimes *busy_times_new(void);
void busy_times_free(BusyTimes *times);

void busy_times_add(BusyTimes *times, StrobeTrackId track, StepPart part, gint64 begin_ns,
                    gint64 end_ns);
/* A step that the thread of this kernel id announced. */
void busy_times_add_step(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns);

/* Of BusyStep, by begin, with their parts. Without steps the window is one of them. To be called
 * once; the array is the times'. */
const GArray *busy_times_steps(BusyTimes *times, const StrobeConsumerHost *host,
                               StrobeInstance *self);
gboolean busy_times_has_steps(const BusyTimes *times);

/* How much of a time lies in a set of stretches (Interval), which is merged. */
gint64 busy_times_covered(const GArray *set, gint64 begin_ns, gint64 end_ns);

#endif
