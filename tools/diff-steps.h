/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a compared result, in order, and their blocks: one for each step or, if there are
 * many steps, one for a group of successive steps. */
#ifndef STROBE_TOOLS_DIFF_STEPS_H
#define STROBE_TOOLS_DIFF_STEPS_H

#include <glib.h>

#define STROBE_DIFF_STEPS_MAX 1048576u
#define STROBE_DIFF_OUTSIDE -1

typedef struct StrobeDiffStep {
    gint64 begin_ns, end_ns, number;
} StrobeDiffStep;

typedef struct StrobeDiffSteps {
    GArray *steps;     /* of StrobeDiffStep; in order of begin once finished */
    GArray *blocks;    /* of guint: number of steps in each; never empty once finished */
    gboolean is_whole; /* one block: the whole result, with or without steps */
    guint64 n_unfinished, n_dropped;
    GHashTable *by_number; /* private */
} StrobeDiffSteps;

void strobe_diff_steps_init(StrobeDiffSteps *steps);
void strobe_diff_steps_clear(StrobeDiffSteps *steps);
/* An unfinished step is counted and left out. */
void strobe_diff_steps_add(StrobeDiffSteps *steps, const StrobeDiffStep *step,
                           gboolean is_unfinished);
/* All steps are known. `is_whole`: the result is compared as one block. */
void strobe_diff_steps_finish(StrobeDiffSteps *steps, gboolean is_whole);
/* Appends the duration of each step in ns, a double. */
void strobe_diff_steps_get(const StrobeDiffSteps *steps, GArray *durations);
/* The block of a time, and of a step's number; STROBE_DIFF_OUTSIDE: none. */
gint strobe_diff_steps_at(const StrobeDiffSteps *steps, gint64 at_ns);
gint strobe_diff_steps_of(const StrobeDiffSteps *steps, gint64 number);

#endif
