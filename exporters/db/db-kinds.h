/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of records, with the tables to which its records go. */
#ifndef STROBE_DB_KINDS_H
#define STROBE_DB_KINDS_H

#include <strobe/helpers/fields.h>

#include "row-map.h"

#define KIND_MAPS_MAX 4u

typedef void (*KindTake)(Db *db, DbKind *kind, const StrobeView *record);

struct DbKind {
    const StrobeKindView *view;
    const StrobeFieldView *fields; /* with the number of fields and the id: identifies the kind */
    guint32 n_fields;
    StrobeKindId id;
    KindTake take; /* NULL: the kind's records have no rows */
    RowMap *maps[KIND_MAPS_MAX];
    /* offsets of the fields that the kind's code reads, NULL: not looked up yet */
    guint32 *known;
    gpointer own;        /* data of the kind's code, freed with the kind */
    struct Merge *merge; /* of a kind whose samples may come in several records, NULL: none */
};

/* Returns the cached kind of a record. NULL: it is not in the cache. */
DbKind *db_kind_of(Db *db, const StrobeKindView *view);

/* Looks up the offsets of `fields`. */
void db_kind_know(DbKind *kind, const StrobeWantedField *fields, guint n);
/* Returns the conversion of the kind's records to rows of the table; created at the first call with
 * `i`. */
RowMap *db_kind_map(Db *db, DbKind *kind, guint i, const char *table, RowSpecial special);

#endif
