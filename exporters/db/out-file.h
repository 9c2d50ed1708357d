/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a database with prepared statements in one transaction. The file appears complete or not
 * at all. Only one thread at a time may use an OutFile.
 */
#ifndef STROBE_DB_OUT_FILE_H
#define STROBE_DB_OUT_FILE_H

#include <sqlite3.h>
#include <strobe/helpers/storage.h>

#include "row-buffer.h"

enum { OUT_FAILURE_BEGUN = 1, OUT_FAILURE_REPORTED = 2 };

/* The first failure of several databases that are written together. */
typedef struct OutFailure {
    gint is_set; /* atomic; set after the text is complete */
    char *text;  /* freed with g_free by the owner */
} OutFailure;

typedef struct OutFile OutFile;

/* `name` is copied; the other arguments must outlive the result. The first row makes the file. */
OutFile *out_file_new(const char *name, int directory, StrobeStorage *storage, OutFailure *failure);
/* Makes a database that is removed when the OutFile is freed. */
OutFile *out_file_new_temporary(StrobeStorage *storage, OutFailure *failure);
/* Removes the database if it was not finished. */
void out_file_free(OutFile *file);

/* Adds a table, which the SQL statement `create` makes at its first row. `name` has quotes if it
 * needs them. `key`: column of the primary key, -1: none. A row without a key, or with the key of
 * another row, gets the next free key at the end. The caller may call this function while another
 * thread inserts rows. */
OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key);
guint out_table_n_columns(const OutTable *table);

/* Inserts a row, which begins with its RowHead. The table may insert the row later, so the row must
 * stay valid until out_file_rest is called. */
void out_table_put(OutTable *table, const guint8 *row);
/* Inserts all rows that out_table_put has not inserted yet. */
void out_file_rest(OutFile *file);

/* Returns the database with all its rows; NULL: it has no rows, or something has failed. */
sqlite3 *out_file_sql(OutFile *file);
/* Stores SQLite's message as the failure of an SQL statement. */
void out_file_fail(OutFile *file);

/* Inserts the rows that wait for a key, and commits the transaction. Must be called after the last
 * row. */
void out_file_end(OutFile *file);
/* Syncs the database and renames it into place, unless something has failed. Must be called after
 * out_file_end. */
void out_file_finish(OutFile *file);
/* Returns the number of rows that got another key because their own was used. */
guint64 out_file_n_moved(const OutFile *file);

#endif
