/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and lengths of the rows that were written already, so that they can be put in order after
 * all. Eight bytes a row, in a scratch file when they are many. */
#ifndef STROBE_CSV_ROW_LOG_H
#define STROBE_CSV_ROW_LOG_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/row-sorter.h>

typedef struct RowLog RowLog;

typedef struct LoggedRow {
    StrobeRowKey key;
    guint32 length, n_cells;
} LoggedRow;

/* `directory` is that for scratch files. */
RowLog *row_log_new(int directory);
void row_log_free(RowLog *log);
/* 0 or an errno value. */
int row_log_add(RowLog *log, const LoggedRow *row);
/* Calls for all rows in the order in which they came, until a call returns an errno value. */
int row_log_each(RowLog *log, int (*call)(void *user, const LoggedRow *row), void *user);

#endif
