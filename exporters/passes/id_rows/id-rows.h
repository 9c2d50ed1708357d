/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of equal size, each found by its id, in the order of arrival; the oldest are dropped.
 * They are in pages and do not move; consecutive ids share an index entry. */
#ifndef STROBE_PASSES_ID_ROWS_H
#define STROBE_PASSES_ID_ROWS_H

#include <glib.h>

typedef struct IdRows IdRows;

/* Every row begins with its id, a guint64. */
IdRows *id_rows_new(gsize row_size);
void id_rows_free(IdRows *rows);

guint id_rows_count(const IdRows *rows);
/* The row at a place; the oldest row has place 0. */
gpointer id_rows_at(const IdRows *rows, guint place);
/* The row of an id; NULL: none. */
gpointer id_rows_find(const IdRows *rows, guint64 id);
/* Adds a row for a new id; everything except the id is zero. */
gpointer id_rows_add(IdRows *rows, guint64 id);
/* Drops the `n` oldest rows. */
void id_rows_forget(IdRows *rows, guint n);

/* Number of occupied slots that are passed over if each index entry is looked up once. */
guint64 id_rows_steps(const IdRows *rows);

#endif
