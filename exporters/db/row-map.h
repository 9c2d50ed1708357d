/* SPDX-License-Identifier: Apache-2.0 */
/* Converts records of a kind to rows of a table, as formats/ascend-db.c describes. */
#ifndef STROBE_DB_ROW_MAP_H
#define STROBE_DB_ROW_MAP_H

#include "db-state.h"

typedef struct RowMap RowMap;

/* Adds the value of a column that the formats cannot describe. The function must add exactly one
 * value. */
typedef void (*RowSpecial)(Db *db, const RowMap *map, const AscendDbColumn *column,
                           const StrobeView *record, RowBuffer *rows);

#define ROW_RECENT 8u

typedef struct RowSlot {
    const AscendDbColumn *column; /* NULL: the formats do not have this column of the source */
    guint8 from;
    guint8 type; /* type of the field */
    guint8 form; /* STRING_* */
    gboolean has_absent;
    guint32 offset;
    gint64 absent;      /* value that is written if the record's field is absent */
    gint64 absent_text; /* number of the text for an absent value; -1: not determined yet */
    struct {
        StrobeStringId name;
        gboolean is_known; /* `name` was looked up; `id` is its number, -1: it has none */
        gint64 id;
    } recent[ROW_RECENT]; /* a cache of the last names of an enumeration, with their numbers */
} RowSlot;

struct RowMap {
    const AscendDbTable *format;
    const StrobeKindView *view;
    OutTable *table; /* NULL until the first row */
    RowSpecial special;
    guint n_slots;
    RowSlot *slots;
};

/* `special` adds the values of special columns; NULL: the table has no such columns. */
RowMap *row_map_new(Db *db, const AscendDbTable *format, const StrobeKindView *view,
                    RowSpecial special);
void row_map_free(RowMap *map);

/* Lets `special` add the values of this column from now on. */
void row_map_by_code(RowMap *map, const char *column);

/* row_map_put adds a row for the record. row_map_fill only adds the record's values to a row that
 * the caller has begun. */
void row_map_put(Db *db, RowMap *map, const StrobeView *record);
void row_map_fill(Db *db, RowMap *map, const StrobeView *record, RowBuffer *rows);
OutTable *row_map_table(Db *db, RowMap *map);

/* Returns the offset of a field of any type, and sets `type`. Returns STROBE_FIELD_MISSING if there
 * is no such field. */
guint32 row_field(const StrobeKindView *view, const char *name, guint8 *type);

/* Adds a text as valid UTF-8 without NUL. */
void row_put_text(RowBuffer *rows, StrobeText text);

#endif
