/* SPDX-License-Identifier: Apache-2.0 */
/* Collects for each thread the times that have a cause, and divides the time of each step by
 * cause. */
#ifndef STROBE_PASSES_BUSY_TIMES_H
#define STROBE_PASSES_BUSY_TIMES_H

#include <glib.h>
#include <strobe/exporter.h>

#include "cause-names.h"

/* Maximum number of intervals for each thread and part of a step. If there are more, intervals with
 * small gaps between them are merged, and the sums then include these gaps. */
#define BUSY_STRETCHES_MAX 262144u
#define BUSY_STEPS_MAX 1048576u

typedef struct BusyStep {
    gint64 number; /* -1: this is not a step, but the whole window */
    gint64 begin_ns, end_ns;
    guint64 thread;
    /* time of each StepPart in ns; the last element is the time outside of all parts */
    gint64 parts[N_PARTS + 1];
} BusyStep;

typedef struct BusyTimes BusyTimes;

BusyTimes *busy_times_new(void);
void busy_times_free(BusyTimes *times);

void busy_times_add(BusyTimes *times, StrobeTrackId track, StepPart part, gint64 begin_ns,
                    gint64 end_ns);
/* Adds a step that a thread announced. `thread` is the thread's id in the kernel. */
void busy_times_add_step(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns);

/* Adds a step that the framework marked with an operator. Marked steps are used only if no thread
 * announced a step, as in imported results. */
void busy_times_add_mark(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns);

/* Returns the steps (BusyStep) in the order of their begins, with their parts. If there are no
 * steps, returns one step for the whole window. Must be called only once. The array belongs to
 * `times`. */
const GArray *busy_times_steps(BusyTimes *times, const StrobeConsumerHost *host,
                               StrobeInstance *self);
gboolean busy_times_has_steps(const BusyTimes *times);

#endif
