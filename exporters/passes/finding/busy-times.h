/* SPDX-License-Identifier: Apache-2.0 */
/* Busy times of each thread by cause, and the resulting parts of each step. */
#ifndef STROBE_PASSES_BUSY_TIMES_H
#define STROBE_PASSES_BUSY_TIMES_H

#include <glib.h>
#include <strobe/exporter.h>

#include "cause-names.h"

/* Maximum number of intervals for each thread and part; further ones are merged over gaps, which
 * makes sums too large by the gaps. */
#define BUSY_STRETCHES_MAX 262144u
#define BUSY_STEPS_MAX 1048576u

typedef struct BusyStep {
    gint64 number; /* -1: the whole window */
    gint64 begin_ns, end_ns;
    guint64 thread;
    gint64 parts[N_PARTS + 1]; /* ns; [N_PARTS]: all other time */
} BusyStep;

typedef struct BusyTimes BusyTimes;

BusyTimes *busy_times_new(void);
void busy_times_free(BusyTimes *times);

void busy_times_add(BusyTimes *times, StrobeTrackId track, StepPart part, gint64 begin_ns,
                    gint64 end_ns);
/* Adds a step that the thread with this kernel id announced. */
void busy_times_add_step(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns);

/* Adds a step that the framework marked with an operator. Marks are used only if no step was
 * announced, as in imported results. */
void busy_times_add_mark(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns);

/* The steps (BusyStep) in order of begin, with their parts; without steps, one for the whole
 * window. Call this once. The array belongs to `times`. */
const GArray *busy_times_steps(BusyTimes *times, const StrobeConsumerHost *host,
                               StrobeInstance *self);
gboolean busy_times_has_steps(const BusyTimes *times);

#endif
