/* SPDX-License-Identifier: Apache-2.0 */
/* The input and the output of the rules for findings. */
#ifndef STROBE_PASSES_FINDING_CASE_H
#define STROBE_PASSES_FINDING_CASE_H

#include "measures.h"

#define OUTLIER_STEPS_MIN 5u /* Minimum number of steps; fewer steps have no usual duration. */

typedef struct Case {
    const Measures *m;
    const GArray *steps; /* elements of type BusyStep */
    guint first;         /* index of the first step that is used */
    gint64 steps_ns;
    gint64 parts_ns[N_PARTS + 1];
    guint n_steps;
} Case;

typedef struct Finding {
    const char *id, *table, *advice;
    char *summary, *evidence;
    /* % of the time of all steps; absent: the finding does not concern a share of time */
    double share;
    /* part of `share` that other findings may explain, in %; reduces the severity */
    double explained;
    /* other findings cause this finding, so it comes last among those of its severity */
    gboolean is_effect;
    double confidence; /* % */
    guint64 count;
    const char *severity; /* "high", "medium", "low", "unknown" */
} Finding;

/* Returns the duration of the step with the index `i`. */
gint64 case_step_ns(const Case *c, guint i);
gint64 case_median_step(const Case *c);

/* Returns the share of `part` in `whole` in %; 0 if `whole` is 0. */
static inline double share_of(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0;
}

#endif
