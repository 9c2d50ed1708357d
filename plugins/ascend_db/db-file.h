/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an untrusted database. SQLite runs no code from it and writes no file beside it. Scans
 * survive damaged pages. */
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
    int descriptor; /* its own */
    sqlite3 *sql;
    guint64 bytes;
    guint64 n_calls;      /* of the progress handler, by the statement under way */
    const char *left_out; /* why some of it is not read; NULL: all of it is read */
    GPtrArray *tables;
} DbFile;

typedef struct DbColumn {
    char *name;
    char *type; /* as declared */
    gboolean is_key;
} DbColumn;

typedef struct DbTable {
    char *name;
    char *sql;          /* as it was created */
    GPtrArray *columns; /* of DbColumn */
    gboolean is_taken;  /* read, or known and left out */
} DbTable;

/* Opens the file behind the descriptor (not taken over). NULL and an allocated `error` if it is no
 * database or has no readable schema. */
DbFile *db_file_open(int descriptor, const char *name, char **error);
void db_file_free(DbFile *file);

/* The table of this name, NULL if there is none; views and virtual tables are none. */
DbTable *db_file_table(const DbFile *file, const char *name);
const DbColumn *db_table_column(const DbTable *table, const char *name);

/* Reads the whole file and returns a description of its flaw, NULL if it has none. Free it with
 * g_free. */
char *db_file_flaw(DbFile *file);

/* Runs a statement without a result. */
gboolean db_file_run(DbFile *file, const char *sql);
/* Returns NULL if the statement cannot be prepared, and reports the damage if `table` is given. */
sqlite3_stmt *db_file_prepare(DbFile *file, const char *table, const char *sql);
/* Returns TRUE for a row. Returns FALSE at the end and after an error, which it reports. */
gboolean db_file_step(DbFile *file, const char *table, sqlite3_stmt *statement);

/* Reports damage at a row of a table. */
void db_file_damage(DbFile *file, const char *table, gint64 row, const char *column,
                    const char *reason);

/* `"name"`, quoted; freed with g_free. */
char *db_quote(const char *name);

/* ---- scans ---- */

/* A scan over all rows of a table in the order of their ids. If a page is damaged, the scan goes
 * on from the end of the table back to the damage. */
typedef struct DbScan {
    DbFile *file;
    const char *table;
    char *columns;
    sqlite3_stmt *statement; /* column 0 is the row's id; those asked for begin at 1 */
    gint64 row;              /* id of the current row */
    gint64 low, high;        /* ids that are done: up to low, and from high on */
    gboolean is_backward, has_row;
    guint64 n;
} DbScan;

/* `columns` as in SELECT. */
void db_scan_init(DbScan *scan, DbFile *file, const char *table, const char *columns);
gboolean db_scan_next(DbScan *scan);
void db_scan_clear(DbScan *scan);

#endif
