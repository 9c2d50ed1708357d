/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as the records of a database: "Record Format", sqlite.org/fileformat2.html. One thread. */
#ifndef STROBE_DB_ROW_RECORD_H
#define STROBE_DB_ROW_RECORD_H

#include "column-affinity.h"
#include "row-buffer.h"

typedef struct RowRecord RowRecord;

/* `key`: the column that is the primary key, -1: none; `affinities` are copied. */
RowRecord *row_record_new(guint n_columns, const Affinity *affinities, gint key);
void row_record_free(RowRecord *record); /* NULL is fine */

/* Makes a record of a row, its RowHead first. *bytes live until the next call; *key is set if the
 * row has one. Returns 0 or an errno value: EFBIG, SQLite does not take so much. */
int row_record_make(RowRecord *record, const guint8 *row, const guint8 **bytes, gsize *n,
                    gint64 *key, gboolean *has_key);

#endif
