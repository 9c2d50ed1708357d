/* SPDX-License-Identifier: Apache-2.0 */
/* Self times of operators by call path and block of steps, from cpu_op records children first. */
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

/* `by_stack`: an operator with a recorded stack counts on that, without its own name. */
StrobeDiffTree *strobe_diff_tree_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                     const StrobeDiffSteps *steps, gboolean by_stack);
void strobe_diff_tree_free(StrobeDiffTree *tree); /* NULL is fine */

/* A record of cpu_op. Ranges that the program or the framework marked itself are no operators. */
void strobe_diff_tree_add(StrobeDiffTree *tree, const StrobeView *record);
/* No more records: all times go to the rows of one side. */
void strobe_diff_tree_finish(StrobeDiffTree *tree, StrobeDiffRows *rows, guint side,
                             StrobeDiffRest *rest);

#endif
