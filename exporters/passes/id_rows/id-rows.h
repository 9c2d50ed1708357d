/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one size, each found by its id: first seen first, and the oldest are forgotten. They lie
 * in pages and stay where they are; ids that count up share what finds them. */
#ifndef STROBE_PASSES_ID_ROWS_H
#define STROBE_PASSES_ID_ROWS_H

#include <glib.h>

typedef struct IdRows IdRows;

/* A row begins with its id, a guint64. */
IdRows *id_rows_new(gsize row_size);
void id_rows_free(IdRows *rows);

guint id_rows_count(const IdRows *rows);
/* The oldest is 0. */
gpointer id_rows_at(const IdRows *rows, guint place);
/* NULL: it is not there. */
gpointer id_rows_find(const IdRows *rows, guint64 id);
/* For an id that is not there: all but the id is zero. */
gpointer id_rows_add(IdRows *rows, guint64 id);
/* The oldest ones. */
void id_rows_forget(IdRows *rows, guint n);

/* How much is looked at in vain where each of them, but neighbours together, is found once. */
guint64 id_rows_steps(const IdRows *rows);

#endif
