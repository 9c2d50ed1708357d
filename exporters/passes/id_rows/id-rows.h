/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps rows of equal size in the order of arrival. A row is found by its id, and the oldest rows
 * can be dropped. Rows are in pages and do not move. Successive ids share an entry of the index. */
#ifndef STROBE_PASSES_ID_ROWS_H
#define STROBE_PASSES_ID_ROWS_H

#include <glib.h>

typedef struct IdRows IdRows;

/* Every row begins with its id, a guint64. */
IdRows *id_rows_new(gsize row_size);
void id_rows_free(IdRows *rows);

guint id_rows_count(const IdRows *rows);
/* Returns the row at `place`; the oldest row has place 0. */
gpointer id_rows_at(const IdRows *rows, guint place);
/* Returns the row of the id; NULL: there is none. */
gpointer id_rows_find(const IdRows *rows, guint64 id);
/* Adds a row for a new id and returns the row. All bytes of the row after the id are zero. */
gpointer id_rows_add(IdRows *rows, guint64 id);
/* Drops the `n` oldest rows. */
void id_rows_forget(IdRows *rows, guint n);

/* Returns the number of slots with other ids that are passed if each entry of the index is looked
 * up once. */
guint64 id_rows_steps(const IdRows *rows);

#endif
