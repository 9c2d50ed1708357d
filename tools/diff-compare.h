/* SPDX-License-Identifier: Apache-2.0 */
/* The results of two sides, read and compared. */
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
    gboolean is_whole; /* the results as wholes, since one of them has no steps */
    GPtrArray *notes;  /* texts: what could not be compared, and why */
} StrobeDiff;

/* `paths[side]` are the results of a side, NULL-terminated: the caller's. */
StrobeDiff *strobe_diff_new(char *const *const paths[STROBE_DIFF_SIDES], StrobeDiffBy by,
                            const StrobeDiffRule *rule);
void strobe_diff_free(StrobeDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeDiff, strobe_diff_free)

/* Does all of it; captures made on the way lie in what `scratch` makes. */
gboolean strobe_diff_compare(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                             gpointer user, GError **error);

/* "A", or of several runs "A2". */
char *strobe_diff_name_run(const StrobeDiffSide *side, guint index);
/* The steps of all runs of a side. */
guint strobe_diff_count_steps(const StrobeDiffSide *side);

#endif
