/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One database that is being written. Rows become pages in the order in which they come
 * (bulk-load.h) until somebody asks for SQL or a row does not fit that order; then they go in by
 * statements, in one transaction. It appears whole, when it is finished, or not at all. One thread
 * at a time.
 */
#ifndef STROBE_DB_OUT_FILE_H
#define STROBE_DB_OUT_FILE_H

#include <sqlite3.h>

#include "row-buffer.h"

enum { OUT_FAILURE_BEGUN = 1, OUT_FAILURE_TOLD = 2 };

/* The first failure of databases that belong together. */
typedef struct OutFailure {
    gint is_set; /* atomic; the text is there when it has been told */
    char *text;  /* freed with g_free by the owner */
} OutFailure;

typedef struct OutFile OutFile;

/* `name` is copied, the rest lent: `directory` for the file, `scratch` for what goes again. With
 * `is_scratch` all of it goes again, and there are statements from its first row on. No file is
 * made before that. */
OutFile *out_file_new(const char *name, gboolean is_scratch, int directory, int scratch,
                      OutFailure *failure);
/* Nothing appears of what was not finished. */
void out_file_free(OutFile *file);

/* A table, made when its first row comes by running `create`. `name` is quoted already. `key`: the
 * column that is the primary key, -1: none; a row without it, or with one that is taken, gets the
 * next free number at the end. By one thread, while another one may put rows in. */
OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key);
guint out_table_n_columns(const OutTable *table);

/* Puts a row in, its RowHead first, which stays where it is until out_file_rest. */
void out_table_put(OutTable *table, const guint8 *row);
void out_file_rest(OutFile *file);

/* The database with all its rows, NULL: there are none, or something has failed. */
sqlite3 *out_file_sql(OutFile *file);
/* Keeps a failure of SQL. */
void out_file_fail(OutFile *file);

/* No more rows come: what waited for the others goes in, and all is in the file. */
void out_file_end(OutFile *file);
/* Then syncs and renames into place, unless something has failed. */
void out_file_finish(OutFile *file);
/* Rows that got another key than they came with. */
guint64 out_file_n_moved(const OutFile *file);

#endif
