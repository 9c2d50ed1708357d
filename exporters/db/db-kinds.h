/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of records, and the rows that its records make. */
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

/* The kind of records that were taken before. NULL: there is none, or another one lies there. */
DbKind *db_kind_of(Db *db, const StrobeKindView *view);

/* Finds the fields. */
void db_kind_know(DbKind *kind, const StrobeWantedField *fields, guint n);
/* The kind's rows in a table, made when first asked for. */
RowMap *db_kind_map(Db *db, DbKind *kind, guint i, const char *table, RowSpecial special);

#endif
