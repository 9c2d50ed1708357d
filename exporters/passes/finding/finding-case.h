/* SPDX-License-Identifier: Apache-2.0 */
/* What all rules look at. */
#ifndef STROBE_PASSES_FINDING_CASE_H
#define STROBE_PASSES_FINDING_CASE_H

#include "measures.h"

#define OUTLIER_STEPS_MIN 5u /* with fewer there is no usual step */

typedef struct Case {
    const Measures *m;
    const GArray *steps; /* of BusyStep */
    guint first;         /* the first one that counts */
    gint64 steps_ns;
    gint64 parts_ns[N_PARTS + 1];
    guint n_steps;
} Case;

/* How long the step with this index takes; the median of all steps. */
gint64 case_step_ns(const Case *c, guint i);
gint64 case_median_step(const Case *c);

/* In %, 0 of nothing. */
static inline double share_of(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0;
}

#endif
