/* SPDX-License-Identifier: Apache-2.0 */
/* Self times of operators or marked ranges by call path and block of steps, from records of cpu_op
 * or marker, children first. */
#ifndef STROBE_TOOLS_DIFF_TREE_H
#define STROBE_TOOLS_DIFF_TREE_H

#include <strobe/exporter.h>

#include "diff-rows.h"
#include "diff-steps.h"

typedef struct StrobeDiffTree StrobeDiffTree;

/* What went no further than a sum. */
typedef struct StrobeDiffRest {
    guint64 n_outside; /* operators in no step */
    double outside_ns;
    guint64 n_async; /* that ended on another thread: no self time */
} StrobeDiffRest;

/* What it is made of. */
typedef enum StrobeDiffTreeForm {
    STROBE_DIFF_OPERATORS,
    STROBE_DIFF_STACKS, /* an operator with a recorded stack counts on that, without its own name */
    STROBE_DIFF_MARKS,  /* ranges that the program marked */
} StrobeDiffTreeForm;

StrobeDiffTree *strobe_diff_tree_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                     const StrobeDiffSteps *steps, StrobeDiffTreeForm form);
void strobe_diff_tree_free(StrobeDiffTree *tree); /* NULL is fine */

/* A record of cpu_op, or for STROBE_DIFF_MARKS of marker. Ranges that the program or the framework
 * marked itself are no operators, and steps are no ranges. */
void strobe_diff_tree_add(StrobeDiffTree *tree, const StrobeView *record);
/* No more records: all times go to the rows of one side. */
void strobe_diff_tree_finish(StrobeDiffTree *tree, StrobeDiffRows *rows, guint side,
                             StrobeDiffRest *rest);

#endif
