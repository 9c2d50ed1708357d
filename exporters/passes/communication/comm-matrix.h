/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a step: for each type of operation, group and pair of ranks, the best, middle and
 * worst links by bandwidth, and their total. */
#ifndef STROBE_PASSES_COMM_MATRIX_H
#define STROBE_PASSES_COMM_MATRIX_H

#include "comm-figures.h"

/* All links between two ranks, for one type of operation and one group. */
typedef struct MatrixLink {
    guint32 source, target;
    /* elements of type Link, in the order of operations; matrix_rank sorts them by bandwidth */
    GArray *links;
} MatrixLink;

typedef struct MatrixGroup {
    const char *word; /* static text for the type of operation */
    char *hash;
    GPtrArray *links; /* elements of type MatrixLink, in the order of first use */
} MatrixGroup;

/* Called with each row of the matrix. In the row of a total, `op_name` is 0. */
typedef gboolean (*MatrixRow)(void *user, const MatrixGroup *group, const char *rank,
                              const Link *link);

GPtrArray *matrix_new(void); /* elements of type MatrixGroup */
void matrix_add(GPtrArray *matrix, const char *word, const char *hash, const GArray *links);
/* Calls `row` for all rows in the Ascend profiler's order: for each group first the rows of all
 * pairs of ranks with the first word ("top1"), then those with the next word, and so on. Returns
 * FALSE if `row` returned FALSE. */
gboolean matrix_rank(const GPtrArray *matrix, MatrixRow row, void *user);

#endif
