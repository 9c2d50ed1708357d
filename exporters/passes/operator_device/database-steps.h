/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the device time of a step by the rule of the Ascend profiler's databases: all tasks of the
 * calls inside a step belong to the step. */
#ifndef STROBE_PASSES_DATABASE_STEPS_H
#define STROBE_PASSES_DATABASE_STEPS_H

#include "kernel-map.h"

typedef struct DatabaseStep {
    gint64 begin_ns, end_ns; /* begin of the step's first task, and end of its last task */
    guint last;              /* index of the step's last task in KernelMap.kernels */
} DatabaseStep;

typedef struct DatabaseSteps DatabaseSteps;

/* `map` must be finished, and must outlive the result. */
DatabaseSteps *database_steps_new(const KernelMap *map);
void database_steps_free(DatabaseSteps *steps);
/* Finds the tasks of the calls between two host times. Returns FALSE if no call between them has a
 * task. */
gboolean database_steps_find(const DatabaseSteps *steps, gint64 begin_ns, gint64 end_ns,
                             DatabaseStep *step);

#endif
