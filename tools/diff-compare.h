/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and compares the results of the two sides. */
#ifndef STROBE_TOOLS_DIFF_COMPARE_H
#define STROBE_TOOLS_DIFF_COMPARE_H

#include "diff-run.h"

typedef struct StrobeDiffSide {
    StrobeDiffRun *runs;
    guint n_runs;
} StrobeDiffSide;

typedef struct StrobeDiff {
    StrobeDiffBy by;
    StrobeDiffRule rule;
    StrobeDiffSide sides[STROBE_DIFF_SIDES];
    StrobeDiffRows *rows;
    gboolean is_whole; /* results are compared as a whole, because one of them has no steps */
    GPtrArray *notes;  /* texts about data that could not be compared, with reasons */
} StrobeDiff;

/* Returns a new comparison. `paths[side]` has the paths of a side's results; it is NULL-terminated,
 * owned by the caller, and must outlive the comparison. */
StrobeDiff *strobe_diff_new(char *const *const paths[STROBE_DIFF_SIDES], StrobeDiffBy by,
                            const StrobeDiffRule *rule);
void strobe_diff_free(StrobeDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeDiff, strobe_diff_free)

/* Runs the comparison; temporary captures are in the folder that `scratch` makes. */
gboolean strobe_diff_compare(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                             gpointer user, GError **error);

/* Returns the name of the side's run number `index`: "A" or, if the side has several runs, "A1",
 * "A2" and so on. */
char *strobe_diff_name_run(const StrobeDiffSide *side, guint index);
/* Returns the number of steps in all runs of a side. */
guint strobe_diff_count_steps(const StrobeDiffSide *side);

#endif
