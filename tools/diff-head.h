/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the head overhead for `strobe diff --by head`: means over inferences. */
#ifndef STROBE_TOOLS_DIFF_HEAD_H
#define STROBE_TOOLS_DIFF_HEAD_H

#include <strobe/exporter.h>

#include "diff-rows.h"

#define STROBE_DIFF_HEAD_PARTS 9u

/* One part, over the inferences that have it. */
typedef struct StrobeDiffHeadPart {
    guint64 n;
    double mean, squares; /* ns; like in StrobeDiffSample */
} StrobeDiffHeadPart;

typedef struct StrobeDiffHead {
    StrobeDiffHeadPart parts[STROBE_DIFF_HEAD_PARTS];
    guint64 n_inferences;
} StrobeDiffHead;

/* Adds a record of head_overhead; ignores those that compiled, are nested or contradict
 * themselves. */
void strobe_diff_head_add(StrobeDiffHead *head, const StrobeView *record);

/* The run has ended: adds a unit for each part that any inference has; the inferences are the
 * units if runs are not. */
void strobe_diff_head_end_run(const StrobeDiffHead *head, StrobeDiffRows *rows, guint side);

#endif
