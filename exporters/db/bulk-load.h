/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database made of rows without SQLite's statements: each table's pages are composed as its rows
 * come and written once. What it makes SQLite opens, and goes on with. The writing thread's.
 */
#ifndef STROBE_DB_BULK_LOAD_H
#define STROBE_DB_BULK_LOAD_H

#include <strobe/helpers/safe-file.h>

#include "row-buffer.h"

typedef struct BulkLoad BulkLoad;
typedef struct BulkTable BulkTable;

/* `file` is lent, and empty. */
BulkLoad *bulk_load_new(StrobeSafeFile *file);
void bulk_load_free(BulkLoad *load); /* NULL is fine; its tables go with it */

/* Makes a table by `create`, a CREATE TABLE of so many columns without constraints but for an
 * INTEGER PRIMARY KEY, which is the column `key`, -1: none. NULL: *error says why, to be freed with
 * g_free. */
BulkTable *bulk_load_table(BulkLoad *load, const char *create, guint n_columns, gint key,
                           char **error);

typedef enum BulkPut {
    BULK_PUT = 0,
    BULK_OUT_OF_ORDER, /* there is no key, or it is not larger than all before: not put */
    BULK_FAILED,       /* see bulk_load_error */
} BulkPut;

/* Puts a row, its RowHead first. */
BulkPut bulk_table_put(BulkTable *table, const guint8 *row);
/* The largest key so far, G_MININT64: none. */
gint64 bulk_table_largest_key(const BulkTable *table);

/* errno of the first failure, 0: none. */
int bulk_load_error(const BulkLoad *load);
/* Completes the file: a database, all in it. Returns bulk_load_error. */
int bulk_load_finish(BulkLoad *load);

#endif
