/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the records of a sample into one row of a table. A trace has a separate event for each
 * series of the sample, and an import makes one record of each event. Records wait until a record
 * with a later time arrives. If a record lacks a field, the field is taken from another record of
 * the same source and time that does not contradict the record.
 */
#ifndef STROBE_DB_MERGE_H
#define STROBE_DB_MERGE_H

#include "db-kinds.h"

typedef struct Merge Merge;

Merge *merge_new(DbKind *kind, KindTake take);
void merge_free(Merge *merge);

void merge_take(Db *db, DbKind *kind, const StrobeView *record);
/* Writes the rows of the records that wait. Must be called after the last record. */
void merge_end(Db *db, Merge *merge);

#endif
