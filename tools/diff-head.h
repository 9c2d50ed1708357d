/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the head overhead that `strobe diff --by head` compares: means over inferences. */
#ifndef STROBE_TOOLS_DIFF_HEAD_H
#define STROBE_TOOLS_DIFF_HEAD_H

#include <strobe/exporter.h>

#include "diff-rows.h"

#define STROBE_DIFF_HEAD_PARTS 9u

/* One part over the inferences that have it. */
typedef struct StrobeDiffHeadPart {
    guint64 n;
    double mean, squares; /* ns; sum of the squares of what each is off the mean */
} StrobeDiffHeadPart;

typedef struct StrobeDiffHead {
    StrobeDiffHeadPart parts[STROBE_DIFF_HEAD_PARTS];
    guint64 n_inferences;
} StrobeDiffHead;

/* A record of head_overhead; those that compiled, are nested or contradict themselves do not
 * count. */
void strobe_diff_head_add(StrobeDiffHead *head, const StrobeView *record);

/* All have been added: a row for each part that any inference has. */
void strobe_diff_head_finish(const StrobeDiffHead *head, StrobeDiffRows *rows, guint side);

#endif
