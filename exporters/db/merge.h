/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges samples that a trace has as separate events, one record for each series, into one row of a
 * table. Records with the same time wait until a record with a later time arrives. A field that a
 * record lacks is taken from another record of the same source that does not contradict it.
 */
#ifndef STROBE_DB_MERGE_H
#define STROBE_DB_MERGE_H

#include "db-kinds.h"

typedef struct Merge Merge;

Merge *merge_new(DbKind *kind, KindTake take);
void merge_free(Merge *merge);

void merge_take(Db *db, DbKind *kind, const StrobeView *record);
/* Passes on the waiting records. */
void merge_end(Db *db, Merge *merge);

#endif
