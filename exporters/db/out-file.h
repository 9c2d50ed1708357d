/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a database with prepared statements in one transaction. The file appears complete or not
 * at all. Only one thread at a time may use it.
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

/* `name` is copied; the other arguments must outlive the result. The file is made when the database
 * gets its first row. */
OutFile *out_file_new(const char *name, int directory, StrobeStorage *storage, OutFailure *failure);
/* A database that is removed when the OutFile is freed. */
OutFile *out_file_new_temporary(StrobeStorage *storage, OutFailure *failure);
/* Removes the database if it was not finished. */
void out_file_free(OutFile *file);

/* A table, which running `create` makes at its first row. `name` has quotes if it needs them.
 * `key`: column of the primary key, -1: none. A row without a key, or with the key of another row,
 * gets the next free key at the end. This function may run while another thread inserts rows. */
OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key);
guint out_table_n_columns(const OutTable *table);

/* Inserts a row, which begins with its RowHead. The row may wait for more rows, so it must stay
 * valid until out_file_rest is called. */
void out_table_put(OutTable *table, const guint8 *row);
/* Inserts the rows that wait. */
void out_file_rest(OutFile *file);

/* Returns the database with all its rows; NULL: it has no rows, or something has failed. */
sqlite3 *out_file_sql(OutFile *file);
/* Stores that an SQL statement has failed, with SQLite's message. */
void out_file_fail(OutFile *file);

/* Call this after the last row: inserts the rows that wait for a key, and commits. */
void out_file_end(OutFile *file);
/* Call this after out_file_end: syncs the database and renames it into place, unless something has
 * failed. */
void out_file_finish(OutFile *file);
/* Number of rows that got another key, because theirs was used. */
guint64 out_file_n_moved(const OutFile *file);

#endif
