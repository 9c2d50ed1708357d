/* SPDX-License-Identifier: Apache-2.0 */
/* Compares results, some of which may be results of other profilers; imports these into a temporary
 * folder. */
#ifndef STROBE_TOOLS_DIFF_SCRATCH_H
#define STROBE_TOOLS_DIFF_SCRATCH_H

#include "diff-compare.h"

gboolean strobe_diff_compare_all(StrobeDiff *diff, StrobeRegistry *registry, GError **error);

#endif
