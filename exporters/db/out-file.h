/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One database that is being written, in one transaction of prepared statements. It appears whole
 * when it is finished, or not at all. One thread at a time.
 */
#ifndef STROBE_DB_OUT_FILE_H
#define STROBE_DB_OUT_FILE_H

#include <sqlite3.h>
#include <strobe/helpers/storage.h>

#include "row-buffer.h"

enum { OUT_FAILURE_BEGUN = 1, OUT_FAILURE_REPORTED = 2 };

/* The first failure of databases that belong together. */
typedef struct OutFailure {
    gint is_set; /* atomic; the text is there when it has been told */
    char *text;  /* freed with g_free by the owner */
} OutFailure;

typedef struct OutFile OutFile;

/* `name` is copied, the rest must outlive it. No file is made before the first row. */
OutFile *out_file_new(const char *name, int directory, StrobeStorage *storage, OutFailure *failure);
/* The same for a database that goes when it is freed. */
OutFile *out_file_new_temporary(StrobeStorage *storage, OutFailure *failure);
/* A database that was not finished does not appear. */
void out_file_free(OutFile *file);

/* A table, made by running `create` when its first row comes. `name` is quoted already. `key`: the
 * column that is the primary key, -1: none; a row without it, or with one that is taken, gets the
 * next free number at the end. By one thread, while another one may put rows in. */
OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key);
guint out_table_n_columns(const OutTable *table);

/* Inserts a row, its RowHead first. It may wait for others, so it stays in place until
 * out_file_rest. */
void out_table_put(OutTable *table, const guint8 *row);
/* Inserts the rows that wait. */
void out_file_rest(OutFile *file);

/* The database with all its rows, NULL: there are none, or something has failed. */
sqlite3 *out_file_sql(OutFile *file);
/* Keeps a failure of SQL. */
void out_file_fail(OutFile *file);

/* No more rows come: inserts those that wait for a key, and commits. */
void out_file_end(OutFile *file);
/* Then syncs and renames into place, unless something has failed. */
void out_file_finish(OutFile *file);
/* Rows that got another key than they came with. */
guint64 out_file_n_moved(const OutFile *file);

#endif
