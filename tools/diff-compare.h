/* SPDX-License-Identifier: Apache-2.0 */
/* Two results read and compared. */
#ifndef STROBE_TOOLS_DIFF_COMPARE_H
#define STROBE_TOOLS_DIFF_COMPARE_H

#include "diff-side.h"

typedef struct StrobeDiff {
    StrobeDiffBy by;
    StrobeDiffRule rule;
    StrobeDiffSide sides[STROBE_DIFF_SIDES];
    StrobeDiffRows *rows;
    gboolean is_whole; /* the results as wholes, since one of them has no steps */
    GPtrArray *notes;  /* texts: what could not be compared, and why */
} StrobeDiff;

StrobeDiff *strobe_diff_new(const char *a, const char *b, StrobeDiffBy by,
                            const StrobeDiffRule *rule);
void strobe_diff_free(StrobeDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeDiff, strobe_diff_free)

/* Does all of it; captures made on the way lie in what `scratch` makes. */
gboolean strobe_diff_run(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                         gpointer user, GError **error);

#endif
