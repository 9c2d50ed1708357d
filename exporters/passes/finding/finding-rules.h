/* SPDX-License-Identifier: Apache-2.0 */
/* From what was measured to findings. */
#ifndef STROBE_PASSES_FINDING_RULES_H
#define STROBE_PASSES_FINDING_RULES_H

#include "finding-case.h"

void finding_free(gpointer finding);

/* Findings (Finding), the heaviest first; `is_incomplete`: records were lost, so all are less sure.
 * (transfer full) */
GPtrArray *finding_rules_apply(const Measures *measures, const GArray *steps,
                               gboolean is_incomplete);

#endif
