/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of records, and the rows of its records. */
#ifndef STROBE_DB_KINDS_H
#define STROBE_DB_KINDS_H

#include <strobe/helpers/fields.h>

#include "row-map.h"

#define KIND_MAPS_MAX 4u

typedef void (*KindTake)(Db *db, DbKind *kind, const StrobeView *record);

struct DbKind {
    const StrobeKindView *view;
    const StrobeFieldView *fields; /* with n and id: to detect the same kind */
    guint32 n_fields;
    StrobeKindId id;
    KindTake take; /* NULL: no row */
    RowMap *maps[KIND_MAPS_MAX];
    guint32 *known;      /* offsets of the fields that its code reads, NULL: not looked up yet */
    gpointer own;        /* freed with the kind */
    struct Merge *merge; /* for samples that may come in parts, NULL: none */
};

/* The cached kind of a record. NULL: none, or the slot has another one. */
DbKind *db_kind_of(Db *db, const StrobeKindView *view);

/* Finds the fields. */
void db_kind_know(DbKind *kind, const StrobeWantedField *fields, guint n);
/* The kind's rows in a table, created at the first call. */
RowMap *db_kind_map(Db *db, DbKind *kind, guint i, const char *table, RowSpecial special);

#endif
