/* SPDX-License-Identifier: Apache-2.0 */
/* From what was measured to findings. */
#ifndef STROBE_PASSES_FINDING_RULES_H
#define STROBE_PASSES_FINDING_RULES_H

#include "measures.h"

typedef struct Finding {
    const char *id, *table, *advice;
    char *summary, *evidence;
    double share;       /* %; of the time of all steps, absent: not a share of time */
    double explained;   /* %; what other findings may explain of it, which makes it less severe */
    gboolean is_effect; /* follows from others: stands after those of its severity */
    double confidence;  /* % */
    guint64 count;
    const char *severity; /* "high", "medium", "low", "unknown" */
} Finding;

void finding_free(gpointer finding);

/* Findings (Finding), the heaviest first; `is_incomplete`: records were lost, so all are less sure.
 * (transfer full) */
GPtrArray *finding_rules_apply(const Measures *measures, const GArray *steps,
                               gboolean is_incomplete);

#endif
