/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a compared result, in order, and their blocks. A block is a step or, if there are
 * many steps, a group of successive steps. */
#ifndef STROBE_TOOLS_DIFF_STEPS_H
#define STROBE_TOOLS_DIFF_STEPS_H

#include <glib.h>

#define STROBE_DIFF_STEPS_MAX 1048576u
#define STROBE_DIFF_OUTSIDE -1

typedef struct StrobeDiffStep {
    gint64 begin_ns, end_ns, number;
} StrobeDiffStep;

typedef struct StrobeDiffSteps {
    GArray *steps; /* of StrobeDiffStep; sorted by begin by strobe_diff_steps_finish */
    /* of guint: number of steps in each block; not empty after strobe_diff_steps_finish */
    GArray *blocks;
    gboolean is_whole; /* the whole result is one block, with or without steps */
    guint64 n_unfinished, n_dropped;
    GHashTable *by_number; /* private */
} StrobeDiffSteps;

void strobe_diff_steps_init(StrobeDiffSteps *steps);
void strobe_diff_steps_clear(StrobeDiffSteps *steps);
/* Adds a step. An unfinished step is only counted. */
void strobe_diff_steps_add(StrobeDiffSteps *steps, const StrobeDiffStep *step,
                           gboolean is_unfinished);
/* Sorts the steps by begin and divides them into blocks. If `is_whole` is TRUE or there is no step,
 * makes only one block, for the whole result. The caller must call this after the last step. */
void strobe_diff_steps_finish(StrobeDiffSteps *steps, gboolean is_whole);
/* Appends the duration of each step in ns to `durations`, an array of double. */
void strobe_diff_steps_get(const StrobeDiffSteps *steps, GArray *durations);
/* strobe_diff_steps_at returns the block that contains a time, strobe_diff_steps_of the block of
 * the step with a number. STROBE_DIFF_OUTSIDE: there is no such block. */
gint strobe_diff_steps_at(const StrobeDiffSteps *steps, gint64 at_ns);
gint strobe_diff_steps_of(const StrobeDiffSteps *steps, gint64 number);

#endif
