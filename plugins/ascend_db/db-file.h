/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an untrusted database. SQLite runs no code from the database and creates no files in its
 * folder. Scans continue after damaged pages. */
#ifndef STROBE_ASCEND_DB_FILE_H
#define STROBE_ASCEND_DB_FILE_H

#include <glib.h>
#include <sqlite3.h>
#include <strobe/importer.h>

#define DB_COLUMNS_MAX 64u

typedef struct DbFile {
    const StrobeImporterHost *host; /* NULL: damage is not reported */
    StrobeInstance *self;
    char *name;     /* for messages */
    int descriptor; /* a duplicate, which DbFile closes */
    sqlite3 *sql;
    guint64 bytes;
    guint64 n_calls; /* calls of the progress handler for the current statement */
    /* reason why a part of the file is not read; NULL: the whole file is read */
    const char *left_out;
    GPtrArray *tables;
} DbFile;

typedef struct DbColumn {
    char *name;
    char *type; /* the declared type */
    gboolean is_key;
} DbColumn;

typedef struct DbTable {
    char *name;
    char *sql;          /* the statement that created the table */
    GPtrArray *columns; /* elements of type DbColumn */
    gboolean is_taken;  /* the table was already read, or must not be read */
} DbTable;

/* Opens the database of the descriptor. The caller must still close the descriptor. Returns NULL,
 * with an allocated `error`, if the file is not a database, or its schema cannot be read. */
DbFile *db_file_open(int descriptor, const char *name, char **error);
void db_file_free(DbFile *file);

/* Returns the table with this name; NULL: there is none, or it is a view or a virtual table. */
DbTable *db_file_table(const DbFile *file, const char *name);
const DbColumn *db_table_column(const DbTable *table, const char *name);

/* Checks the whole file. Returns a description of the first damage; NULL: there is none. The caller
 * must free the result with g_free. */
char *db_file_flaw(DbFile *file);

/* Runs a statement that has no result. Returns FALSE after an error. */
gboolean db_file_run(DbFile *file, const char *sql);
/* Prepares a statement. Returns NULL if this fails, and then reports damage if `table` is given. */
sqlite3_stmt *db_file_prepare(DbFile *file, const char *table, const char *sql);
/* Gets the next row. Returns FALSE at the end, and after an error, which this function reports. */
gboolean db_file_step(DbFile *file, const char *table, sqlite3_stmt *statement);

/* Reports damage at a row of a table. */
void db_file_damage(DbFile *file, const char *table, gint64 row, const char *column,
                    const char *reason);

/* Returns the name in quotes for SQL. The caller must free the result with g_free. */
char *db_quote(const char *name);

/* ---- scans ---- */

/* A scan over all rows of a table in the order of their ids. If a page is damaged, the scan
 * continues from the end of the table backwards to the damage. */
typedef struct DbScan {
    DbFile *file;
    const char *table;
    char *columns;
    sqlite3_stmt *statement; /* column 0 is the row's id; the requested columns begin at 1 */
    gint64 row;              /* id of the current row */
    /* the rows with ids up to `low` and from `high` on have been read */
    gint64 low, high;
    gboolean is_backward, has_row;
    guint64 n;
} DbScan;

/* Begins a scan. `columns` is a list of columns, as in a SELECT. */
void db_scan_init(DbScan *scan, DbFile *file, const char *table, const char *columns);
gboolean db_scan_next(DbScan *scan);
void db_scan_clear(DbScan *scan);

#endif
