/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for steps that take far longer than the others. */
#ifndef STROBE_PASSES_OUTLIER_RULE_H
#define STROBE_PASSES_OUTLIER_RULE_H

#include "finding-case.h"

/* TRUE if such steps exist: `out` then names them and the part of the step that takes their extra
 * time. */
gboolean outlier_rule_detect(const Case *c, Finding *out);

#endif
