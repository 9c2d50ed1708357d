/* SPDX-License-Identifier: Apache-2.0 */
/* Derives findings from the measurements. */
#ifndef STROBE_PASSES_FINDING_RULES_H
#define STROBE_PASSES_FINDING_RULES_H

#include "measures.h"

typedef struct Finding {
    const char *id, *table, *advice;
    char *summary, *evidence;
    double share;      /* %; of the time of all steps; absent: not a share of time */
    double confidence; /* % */
    guint64 count;
    const char *severity; /* "high", "medium", "low", "unknown" */
} Finding;

void finding_free(gpointer finding);

/* Findings (Finding), in the order of weight; `is_incomplete`: records were lost, which reduces
 * all confidences. (transfer full) */
GPtrArray *finding_rules_apply(const Measures *measures, const GArray *steps,
                               gboolean is_incomplete);

#endif
