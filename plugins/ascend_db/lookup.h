/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a table's row by a number in one of its columns, even if the table has no index for it. */
#ifndef STROBE_ASCEND_DB_LOOKUP_H
#define STROBE_ASCEND_DB_LOOKUP_H

#include "db-file.h"

/* Returns a statement for the row whose column `key` equals parameter 1. Its results are the row's
 * id and `columns` (written as in SELECT). If several rows match, the first counts. A key without
 * an index gets one in SQLite's temporary file. NULL if there is no such table or column. */
sqlite3_stmt *lookup_new(DbFile *file, const char *table, const char *key, const char *columns);

/* Returns TRUE if there is such a row. Its values are valid until the next call. `lookup` may be
 * NULL. */
gboolean lookup_find(sqlite3_stmt *lookup, gint64 key);

#endif
