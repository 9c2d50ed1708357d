/* SPDX-License-Identifier: Apache-2.0 */
/* Converts records of a kind to rows of a table, by formats/ascend-db.c. */
#ifndef STROBE_DB_ROW_MAP_H
#define STROBE_DB_ROW_MAP_H

#include "db-state.h"

typedef struct RowMap RowMap;

/* Puts exactly one value that the formats cannot describe. */
typedef void (*RowSpecial)(Db *db, const RowMap *map, const AscendDbColumn *column,
                           const StrobeView *record, RowBuffer *rows);

#define ROW_RECENT 8u

typedef struct RowSlot {
    const AscendDbColumn *column; /* NULL: a column that the formats lack */
    guint8 from;
    guint8 type; /* of the field */
    guint8 form; /* STRING_* */
    gboolean has_absent;
    guint32 offset;
    gint64 absent;      /* written if the field has no value */
    gint64 absent_text; /* number of its text, -1: not looked up yet */
    struct {
        StrobeStringId name;
        gboolean is_known; /* `id` has this name's number; otherwise it has none */
        gint64 id;
    } recent[ROW_RECENT]; /* names in the enumeration */
} RowSlot;

struct RowMap {
    const AscendDbTable *format;
    const StrobeKindView *view;
    OutTable *table; /* NULL until the first row */
    RowSpecial special;
    guint n_slots;
    RowSlot *slots;
};

/* `special` may be NULL if no column needs it. */
RowMap *row_map_new(Db *db, const AscendDbTable *format, const StrobeKindView *view,
                    RowSpecial special);
void row_map_free(RowMap *map);

/* From now on `special` puts the values of this column. */
void row_map_by_code(RowMap *map, const char *column);

/* row_map_put puts one row of the record; row_map_fill puts only the row's values. */
void row_map_put(Db *db, RowMap *map, const StrobeView *record);
void row_map_fill(Db *db, RowMap *map, const StrobeView *record, RowBuffer *rows);
OutTable *row_map_table(Db *db, RowMap *map);

/* Offset of a field of any type, STROBE_FIELD_MISSING if there is none. */
guint32 row_field(const StrobeKindView *view, const char *name, guint8 *type);

/* Puts a text as valid UTF-8 without NUL. */
void row_put_text(RowBuffer *rows, StrobeText text);

#endif
