/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the records of each kind. */
#ifndef STROBE_DB_KINDS_H
#define STROBE_DB_KINDS_H

#include <strobe/helpers/fields.h>

#include "row-map.h"

#define KIND_MAPS_MAX 4u

typedef void (*KindTake)(Db *db, DbKind *kind, const StrobeView *record);

struct DbKind {
    const StrobeKindView *view;
    const StrobeFieldView *fields; /* with n and id: is it the same kind still? */
    guint32 n_fields;
    StrobeKindId id;
    KindTake take; /* NULL: no row */
    RowMap *maps[KIND_MAPS_MAX];
    guint32 *known;      /* offsets of the fields that its code reads, NULL: not looked for */
    gpointer own;        /* freed with the kind */
    struct Merge *merge; /* of samples that may come in parts, NULL: none */
};

/* Hands on what waits for other parts of its sample. */
void db_kinds_end(Db *db);

DbKind *db_kind_of(Db *db, const StrobeKindView *view);
void db_kind_free(gpointer kind);

/* Finds the fields. */
void db_kind_know(DbKind *kind, const StrobeWantedField *fields, guint n);
/* The kind's rows in a table, made when first asked for. */
RowMap *db_kind_map(Db *db, DbKind *kind, guint i, const char *table, RowSpecial special);

/* ---- one file each ---- */

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

void facts_take_metadata(Db *db, DbKind *kind, const StrobeView *record);
void facts_take_device(Db *db, DbKind *kind, const StrobeView *record);
/* What stands once in the database; enumerations. */
void facts_end(Db *db);

void analysis_take_step(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_time(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_bandwidth(Db *db, DbKind *kind, const StrobeView *record);
void analysis_take_matrix(Db *db, DbKind *kind, const StrobeView *record);

/* A kind that the formats have no table for: all its fields. FALSE: there are too many such. */
gboolean generic_prepare(Db *db, DbKind *kind);
void generic_take(Db *db, DbKind *kind, const StrobeView *record);

#endif
