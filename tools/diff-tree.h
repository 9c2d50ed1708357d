/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the self times of operators or marked ranges by call path and block of steps, from
 * records of the kinds cpu_op or marker. The caller must add an inner operator before the operator
 * around it. */
#ifndef STROBE_TOOLS_DIFF_TREE_H
#define STROBE_TOOLS_DIFF_TREE_H

#include <strobe/exporter.h>

#include "diff-rows.h"
#include "diff-steps.h"

typedef struct StrobeDiffTree StrobeDiffTree;

/* Totals of the operators that are in no row. */
typedef struct StrobeDiffRest {
    guint64 n_outside; /* number of operators in no step */
    double outside_ns;
    /* number of operators that ended on another thread, and so have no self time */
    guint64 n_async;
} StrobeDiffRest;

/* The items that are read from the records. */
typedef enum StrobeDiffTreeForm {
    STROBE_DIFF_OPERATORS,
    /* operators; the time of one with a recorded stack counts for the stack, without the operator's
     * own name */
    STROBE_DIFF_STACKS,
    STROBE_DIFF_MARKS, /* ranges that the program marked */
} StrobeDiffTreeForm;

StrobeDiffTree *strobe_diff_tree_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                     const StrobeDiffSteps *steps, StrobeDiffTreeForm form);
void strobe_diff_tree_free(StrobeDiffTree *tree); /* NULL is fine */

/* Adds a record of the kind cpu_op or, for STROBE_DIFF_MARKS, marker. Ignores records of cpu_op
 * that are marked ranges, and records of marker that are steps. */
void strobe_diff_tree_add(StrobeDiffTree *tree, const StrobeView *record);
/* Call this after the last record: adds all times to the rows of one side. */
void strobe_diff_tree_finish(StrobeDiffTree *tree, StrobeDiffRows *rows, guint side,
                             StrobeDiffRest *rest);

#endif
