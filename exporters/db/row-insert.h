/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts rows into one table, many with one statement: what SQLite does once for a statement takes
 * longer than what it does for a row. The writing thread's.
 */
#ifndef STROBE_DB_ROW_INSERT_H
#define STROBE_DB_ROW_INSERT_H

#include <sqlite3.h>

#include "row-buffer.h"

typedef struct RowInsert RowInsert;

/* Gets a row that has no key, or one that another row has: it is not in the table. */
typedef void (*RowTaken)(gpointer user, const guint8 *row);

/* `table` is quoted already; `key`: the column that is the primary key, -1: none; `largest_key`: of
 * the rows that are in the table, G_MININT64: none. NULL: the connection has the error. */
RowInsert *row_insert_new(sqlite3 *sql, const char *table, guint n_columns, gint key,
                          gint64 largest_key, RowTaken taken, gpointer user);
void row_insert_free(RowInsert *insert); /* NULL is fine */

/* Takes a row, its RowHead first, which must stay where it is until row_insert_rest. All of these
 * return SQLITE_OK or what failed. */
int row_insert_put(RowInsert *insert, const guint8 *row);
/* Puts in what still waits for others. */
int row_insert_rest(RowInsert *insert);
/* Puts a row in at once, under the next free key. */
int row_insert_late(RowInsert *insert, const guint8 *row);

#endif
