/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that a trace told apart, one record a series, as the one row that a table has for them.
 * Records of one moment wait until the next begins; what a record does not tell is taken from
 * another of the same source that tells nothing else.
 */
#ifndef STROBE_DB_MERGE_H
#define STROBE_DB_MERGE_H

#include "db-kinds.h"

typedef struct Merge Merge;

Merge *merge_new(DbKind *kind, KindTake take);
void merge_free(Merge *merge);

void merge_take(Db *db, DbKind *kind, const StrobeView *record);
/* Hands on what waits. */
void merge_end(Db *db, Merge *merge);

#endif
