/* SPDX-License-Identifier: Apache-2.0 */
/* The input of all rules, and their output. */
#ifndef STROBE_PASSES_FINDING_CASE_H
#define STROBE_PASSES_FINDING_CASE_H

#include "measures.h"

#define OUTLIER_STEPS_MIN 5u /* with fewer there is no usual step */

typedef struct Case {
    const Measures *m;
    const GArray *steps; /* of BusyStep */
    guint first;         /* index of the first step that counts */
    gint64 steps_ns;
    gint64 parts_ns[N_PARTS + 1];
    guint n_steps;
} Case;

typedef struct Finding {
    const char *id, *table, *advice;
    char *summary, *evidence;
    double share;       /* % of the time of all steps; absent: not a share of time */
    double explained;   /* %; the part that other findings may explain: it lowers the severity */
    gboolean is_effect; /* other findings cause it: it comes last among those of its severity */
    double confidence;  /* % */
    guint64 count;
    const char *severity; /* "high", "medium", "low", "unknown" */
} Finding;

/* Duration of the step with this index. */
gint64 case_step_ns(const Case *c, guint i);
gint64 case_median_step(const Case *c);

/* The share in %; 0 if `whole` is 0. */
static inline double share_of(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0;
}

#endif
