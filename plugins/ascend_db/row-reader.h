/* SPDX-License-Identifier: Apache-2.0 */
/* Converts rows of a table to the fields of a kind, by the tables of formats/ascend-db.c. */
#ifndef STROBE_ASCEND_DB_ROW_READER_H
#define STROBE_ASCEND_DB_ROW_READER_H

#include "ascend-db-emit.h"
#include "ascend-db-texts.h"

typedef struct RowSlot {
    const char *name;          /* name of the column */
    const AscendDbColumn *row; /* NULL: formats/ does not know the column */
    guint at;                  /* index of the column in the statement */
    /* offset and type of the field; type 0: the column has no field */
    guint offset, type;
} RowSlot;

typedef struct RowReader {
    Import *import;
    DbFile *file;
    DbTable *table;
    const AscendDbTable *format;
    /* the kind to fill, with a field "ascend_db.<column>" for each unknown column */
    const StrobeKind *kind;
    GArray *slots;    /* elements of type RowSlot */
    GString *columns; /* the column list for a SELECT whose column 0 is the row's id */
} RowReader;

/* Makes a reader for a table. Returns NULL if the file has no such table. Reports unknown columns
 * to the host. `base` is the kind to fill; NULL: the format's kind. */
RowReader *row_reader_new(Import *import, DbFile *file, const AscendDbTable *format,
                          const StrobeKind *base);
void row_reader_free(RowReader *reader);

/* Adds a text field to the reader's kind. Must be called before the first record. Returns the
 * field's offset; 0: the kind has no room. */
guint row_reader_add_text(RowReader *reader, const char *name, const char *summary);

/* Ensures that the table is later read again, as an unknown table, if it has unknown columns. Must
 * be called for a table whose records are not of the reader's kind. */
void row_reader_keep_unknown(RowReader *reader);

/* The values of a row that are not fields. A missing time is replaced by the session's begin; an
 * end is never before the begin. */
typedef struct RowPlace {
    gint64 begin_ns, end_ns;
    guint64 global_tid; /* pid << 32 | tid; if there is no tid, pid << 32 */
    gint32 device;
    StrobeStringId name;
    gboolean has_begin, has_end, has_tid, has_device;
} RowPlace;

/* Read a row. A damaged value is reported, and its field is absent. */
void row_reader_place(RowReader *reader, sqlite3_stmt *statement, RowPlace *place);
void row_reader_fill(RowReader *reader, sqlite3_stmt *statement, void *fields);

/* row_reader_at returns the index of this column in the statement, or -1 if the table does not have
 * it. row_reader_integer returns the whole number in this column, or `absent` if there is none. */
gint row_reader_at(const RowReader *reader, const char *column);
gint64 row_reader_integer(const RowReader *reader, sqlite3_stmt *statement, const char *column,
                          gint64 absent);

/* Reads a whole number, even if it is stored as text or as a real. */
gboolean row_read_integer(sqlite3_stmt *statement, guint at, gint64 *value);

/* Returns the field name for a column: "timestamp_ns" for "timestampNs". The caller must free the
 * result with g_free. */
char *row_field_name(const char *column);

#endif
