/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table into the fields of a kind, by formats/ascend-db.c. */
#ifndef STROBE_ASCEND_DB_ROW_READER_H
#define STROBE_ASCEND_DB_ROW_READER_H

#include "ascend-db-emit.h"
#include "ascend-db-texts.h"

typedef struct RowSlot {
    const char *name;          /* of the column */
    const AscendDbColumn *row; /* NULL: a column that formats/ does not know */
    guint at;                  /* column of the statement */
    guint offset, type;        /* in the fields; type 0: nowhere */
} RowSlot;

typedef struct RowReader {
    Import *import;
    DbFile *file;
    DbTable *table;
    const AscendDbTable *format;
    const StrobeKind *kind; /* with a field "ascend_db.<column>" for each unknown column */
    GArray *slots;          /* of RowSlot */
    GString *columns;       /* as in SELECT, for a statement whose column 0 is the row's id */
} RowReader;

/* NULL if the file has no such table. Unknown columns are listed. `base` is the kind that is
 * filled, NULL: the format's. */
RowReader *row_reader_new(Import *import, DbFile *file, const AscendDbTable *format,
                          const StrobeKind *base);
void row_reader_free(RowReader *reader);

/* Adds a text field to the reader's kind, before its first record. Returns the field's offset, 0:
 * the kind has no room. */
guint row_reader_add_text(RowReader *reader, const char *name, const char *summary);

/* For a table whose records are not of the reader's kind: with columns that are not known it is
 * read once more, as a table that is not known. */
void row_reader_keep_unknown(RowReader *reader);

/* The values of the columns that are not fields. A missing time is the session's begin; an end
 * is never before the begin. */
typedef struct RowPlace {
    gint64 begin_ns, end_ns;
    guint64 global_tid; /* or the pid, shifted */
    gint32 device;
    StrobeStringId name;
    gboolean has_begin, has_end, has_tid, has_device;
} RowPlace;

/* Damage in a value is told, and the value left absent. */
void row_reader_place(RowReader *reader, sqlite3_stmt *statement, RowPlace *place);
void row_reader_fill(RowReader *reader, sqlite3_stmt *statement, void *fields);

/* The statement's column of this name, -1 if the table has none; and its whole number, `absent` if
 * it is none. */
gint row_reader_at(const RowReader *reader, const char *column);
gint64 row_reader_integer(const RowReader *reader, sqlite3_stmt *statement, const char *column,
                          gint64 absent);

/* A whole number, also where it is written as text or as a real. */
gboolean row_read_integer(sqlite3_stmt *statement, guint at, gint64 *value);

/* "timestampNs" as the field name "timestamp_ns". */
char *row_field_name(const char *column);

#endif
