/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a table's row by a number in one of its columns, even if the table has no index for it. */
#ifndef STROBE_ASCEND_DB_LOOKUP_H
#define STROBE_ASCEND_DB_LOOKUP_H

#include "db-file.h"

/* Returns a statement for the row whose column `key` equals parameter 1. The statement's results
 * are the row's id and `columns` (written as in SELECT). If several rows match, the result is the
 * first one. If the column has no index, the function makes one in SQLite's temporary file. Returns
 * NULL if there is no such table or column. */
sqlite3_stmt *lookup_new(DbFile *file, const char *table, const char *key, const char *columns);

/* Finds the row with this key. Returns FALSE if there is none. The row's values are valid until the
 * next call. `lookup` may be NULL. */
gboolean lookup_find(sqlite3_stmt *lookup, gint64 key);

#endif
