/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the parts of the time before the first kernel for `strobe diff --by head`: means over
 * inferences. */
#ifndef STROBE_TOOLS_DIFF_HEAD_H
#define STROBE_TOOLS_DIFF_HEAD_H

#include <strobe/exporter.h>

#include "diff-rows.h"

#define STROBE_DIFF_HEAD_PARTS 9u

/* The times of a part in the inferences that have it. */
typedef struct StrobeDiffHeadPart {
    guint64 n;
    double mean, squares; /* mean and sum of squared deviations, in ns, see StrobeDiffSample */
} StrobeDiffHeadPart;

typedef struct StrobeDiffHead {
    StrobeDiffHeadPart parts[STROBE_DIFF_HEAD_PARTS];
    guint64 n_inferences;
} StrobeDiffHead;

/* Adds a record of the kind head_overhead, which describes an inference. Ignores inferences that
 * compile, are nested in another one, or have an error. */
void strobe_diff_head_add(StrobeDiffHead *head, const StrobeView *record);

/* Call this at the end of a run: adds a unit to the row of each part that some inference has. If
 * there are not several runs, each inference is a unit. */
void strobe_diff_head_end_run(const StrobeDiffHead *head, StrobeDiffRows *rows, guint side);

#endif
