/* SPDX-License-Identifier: Apache-2.0 */
/* The transfers of a step over each link, by type of operation: the best, middle and worst of each
 * link. */
#ifndef STROBE_PASSES_COMM_MATRIX_H
#define STROBE_PASSES_COMM_MATRIX_H

#include "comm-figures.h"

/* All links between two ranks of one type of operation in one group. */
typedef struct MatrixLink {
    guint32 source, target;
    GArray *links; /* of Link, in order of operations; matrix_rank sorts them by bandwidth */
} MatrixLink;

typedef struct MatrixGroup {
    const char *word; /* static */
    char *hash;
    GPtrArray *links; /* of MatrixLink, as first seen */
} MatrixGroup;

/* Gets one line of the matrix; `op_name` is 0 for a total. */
typedef gboolean (*MatrixRow)(void *user, const MatrixGroup *group, const char *rank,
                              const Link *link);

GPtrArray *matrix_new(void); /* of MatrixGroup */
void matrix_add(GPtrArray *matrix, const char *word, const char *hash, const GArray *links);
/* Calls `row` for all rows, rank by rank, in the Ascend profiler's order. FALSE if `row` returned
 * FALSE. */
gboolean matrix_rank(const GPtrArray *matrix, MatrixRow row, void *user);

#endif
