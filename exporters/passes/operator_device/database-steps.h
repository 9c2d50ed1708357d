/* SPDX-License-Identifier: Apache-2.0 */
/* The database's rule for the device time of a step: all tasks of the calls inside the step. */
#ifndef STROBE_PASSES_DATABASE_STEPS_H
#define STROBE_PASSES_DATABASE_STEPS_H

#include "kernel-map.h"

typedef struct DatabaseStep {
    gint64 begin_ns, end_ns; /* of its first task, and of its last one */
    guint last;              /* its last task, place in kernels */
} DatabaseStep;

typedef struct DatabaseSteps DatabaseSteps;

/* The map must be finished, and must outlive it. */
DatabaseSteps *database_steps_new(const KernelMap *map);
void database_steps_free(DatabaseSteps *steps);
/* FALSE: no call between the two host times has a task. */
gboolean database_steps_find(const DatabaseSteps *steps, gint64 begin_ns, gint64 end_ns,
                             DatabaseStep *step);

#endif
