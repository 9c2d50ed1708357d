/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one kind come in runs: found once a batch, so that who asks for some of the kinds need
 * not look at each record. */
#ifndef STROBE_CORE_VIEW_RUNS_H
#define STROBE_CORE_VIEW_RUNS_H

#include <glib.h>
#include <strobe/exporter.h>

#define STROBE_BATCH 2048u

#define STROBE_RUN_SLOTS 64u

typedef struct StrobeViewRuns {
    const StrobeView *views;
    guint n;
    const StrobeKindView *kinds[STROBE_BATCH]; /* that there are */
    guint16 n_of[STROBE_BATCH];                /* of each, how many */
    guint n_kinds;
    struct {
        guint16 kind; /* place in kinds */
        guint16 n;
    } runs[STROBE_BATCH];
    guint n_runs;
    guint16 slots[STROBE_RUN_SLOTS]; /* by a kind's address, to its place */
} StrobeViewRuns;

/* The views are lent, at most STROBE_BATCH of them. */
void strobe_view_runs_find(StrobeViewRuns *runs, const StrobeView *views, guint n);

#endif
