/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database that is written with prepared statements in one transaction. It appears complete or
 * not at all. One thread at a time.
 */
#ifndef STROBE_DB_OUT_FILE_H
#define STROBE_DB_OUT_FILE_H

#include <sqlite3.h>
#include <strobe/helpers/storage.h>

#include "row-buffer.h"

enum { OUT_FAILURE_BEGUN = 1, OUT_FAILURE_REPORTED = 2 };

/* The first failure of databases that belong together. */
typedef struct OutFailure {
    gint is_set; /* atomic; set after the text is complete */
    char *text;  /* freed with g_free by the owner */
} OutFailure;

typedef struct OutFile OutFile;

/* `name` is copied, the other arguments must outlive it. No file is made before the first row. */
OutFile *out_file_new(const char *name, int directory, StrobeStorage *storage, OutFailure *failure);
/* A database that is removed when the OutFile is freed. */
OutFile *out_file_new_temporary(StrobeStorage *storage, OutFailure *failure);
/* Removes the database if it was not finished. */
void out_file_free(OutFile *file);

/* A table, made by running `create` at its first row. `name` is already quoted. `key`: the
 * column of the primary key, -1: none; a row without a key, or with a used one, gets the next
 * free number at the end. One thread calls this, while another one may insert rows. */
OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key);
guint out_table_n_columns(const OutTable *table);

/* Inserts a row, which begins with its RowHead. The row may wait for further rows, so it must stay
 * valid until out_file_rest. */
void out_table_put(OutTable *table, const guint8 *row);
/* Inserts the waiting rows. */
void out_file_rest(OutFile *file);

/* The database with all its rows; NULL: it has no rows, or something has failed. */
sqlite3 *out_file_sql(OutFile *file);
/* Stores an SQL failure. */
void out_file_fail(OutFile *file);

/* No more rows follow: inserts those that wait for a key, and commits. */
void out_file_end(OutFile *file);
/* Call it after out_file_end: syncs the database and renames it into place, unless something has
 * failed. */
void out_file_finish(OutFile *file);
/* Number of rows that got a different key. */
guint64 out_file_n_moved(const OutFile *file);

#endif
