/* SPDX-License-Identifier: Apache-2.0 */
/* What went over the links of a step, by type of operation: best, middle and worst of each link. */
#ifndef STROBE_PASSES_COMM_MATRIX_H
#define STROBE_PASSES_COMM_MATRIX_H

#include "comm-figures.h"

/* All links between two ranks of one type of operation in one group. */
typedef struct MatrixLink {
    guint32 source, target;
    GArray *links; /* of Link, as the operations came; by bandwidth once ranked */
} MatrixLink;

typedef struct MatrixGroup {
    const char *word; /* static */
    char *hash;
    GPtrArray *links; /* of MatrixLink, as first seen */
} MatrixGroup;

/* One line of the matrix; `op_name` 0 of a total. */
typedef gboolean (*MatrixRow)(void *user, const MatrixGroup *group, const char *rank,
                              const Link *link);

GPtrArray *matrix_new(void); /* of MatrixGroup */
void matrix_add(GPtrArray *matrix, const char *word, const char *hash, const GArray *links);
/* Hands out all rows, rank by rank, as the original orders them. FALSE when `row` gave up. */
gboolean matrix_rank(const GPtrArray *matrix, MatrixRow row, void *user);

#endif
