/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for threads that wait for a lock. */
#ifndef STROBE_PASSES_LOCK_RULE_H
#define STROBE_PASSES_LOCK_RULE_H

#include "finding-case.h"

gboolean lock_rule_detect(const Case *c, Finding *out);

#endif
