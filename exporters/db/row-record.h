/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as the records of a database: "Record Format", sqlite.org/fileformat2.html. One thread. */
#ifndef STROBE_DB_ROW_RECORD_H
#define STROBE_DB_ROW_RECORD_H

#include "column-affinity.h"
#include "row-buffer.h"

/* A table's columns. */
typedef struct RowShape {
    guint n_columns;
    gint key; /* the column that is the primary key, -1: none */
    Affinity *affinities;
} RowShape;

/* The record under way, of any table. */
typedef struct RowRecord RowRecord;

RowRecord *row_record_new(void);
void row_record_free(RowRecord *record); /* NULL is fine */

/* Makes a record of a row, its RowHead first. *bytes live until the next call; *key is set if the
 * row has one. Returns 0 or an errno value: EFBIG, SQLite does not take so much. */
int row_record_make(RowRecord *record, const RowShape *shape, const guint8 *row,
                    const guint8 **bytes, gsize *n, gint64 *key, gboolean *has_key);

#endif
