/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for steps that take far longer than the other steps. */
#ifndef STROBE_PASSES_OUTLIER_RULE_H
#define STROBE_PASSES_OUTLIER_RULE_H

#include "finding-case.h"

/* Returns whether there are steps that take far longer than the others. If there are, describes
 * them in `out`, and names the part of the steps that takes their additional time. */
gboolean outlier_rule_detect(const Case *c, Finding *out);

#endif
