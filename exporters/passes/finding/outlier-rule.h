/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for steps that take far longer than the others. */
#ifndef STROBE_PASSES_OUTLIER_RULE_H
#define STROBE_PASSES_OUTLIER_RULE_H

#include "finding-case.h"

/* TRUE: there are such steps, and `out` says which, and in what part of the step their time goes.
 */
gboolean outlier_rule_detect(const Case *c, Finding *out);

#endif
