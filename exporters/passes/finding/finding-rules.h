/* SPDX-License-Identifier: Apache-2.0 */
/* Derives findings from the measurements. */
#ifndef STROBE_PASSES_FINDING_RULES_H
#define STROBE_PASSES_FINDING_RULES_H

#include "finding-case.h"

void finding_free(gpointer finding);

/* Returns the findings (Finding), the most severe first. `is_incomplete`: records were lost, so the
 * confidence of all findings is lower. (transfer full) */
GPtrArray *finding_rules_apply(const Measures *measures, const GArray *steps,
                               gboolean is_incomplete);

#endif
