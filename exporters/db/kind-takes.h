/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the records of the kinds to rows. */
#ifndef STROBE_DB_KIND_TAKES_H
#define STROBE_DB_KIND_TAKES_H

#include "db-kinds.h"

/* Adds the rows of a record. */
void db_take_record(Db *db, const StrobeView *record);
/* Passes on the records that wait for other parts of their sample. Must be called after the last
 * record. */
void db_kinds_end(Db *db);
void db_kind_free(gpointer kind);

/* ---- kinds that have their own file ---- */

void tasks_take(Db *db, DbKind *kind, const StrobeView *record);
void pmu_take(Db *db, DbKind *kind, const StrobeView *record);

Communication *communication_new(Db *db);
void communication_free(Communication *c);
void communication_end(Communication *c);
void communication_take_op(Db *db, DbKind *kind, const StrobeView *record);
void communication_take_task(Db *db, DbKind *kind, const StrobeView *record);

void memory_take_event(Db *db, DbKind *kind, const StrobeView *record);
void memory_take_total(Db *db, DbKind *kind, const StrobeView *record);
void memory_take_block(Db *db, DbKind *kind, const StrobeView *record);

void markers_take(Db *db, DbKind *kind, const StrobeView *record);

void metadata_take_metadata(Db *db, DbKind *kind, const StrobeView *record);
void metadata_take_device(Db *db, DbKind *kind, const StrobeView *record);
/* Writes the enumerations, and the tables that a database has only once. Must be called after the
 * last record. */
void metadata_end(Db *db);

void analysis_take_step(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_time(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_bandwidth(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_matrix(Db *db, DbKind *kind, const StrobeView *record);

/* Makes a table for a kind that has none in the formats, with all fields of the kind. Returns FALSE
 * if there are too many such kinds. */
gboolean generic_prepare(Db *db, DbKind *kind);
void generic_take(Db *db, DbKind *kind, const StrobeView *record);

#endif
