/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that wait for something that is known at the end only: in a scratch file, each with a head
 * of the caller's. */
#ifndef STROBE_DB_HELD_ROWS_H
#define STROBE_DB_HELD_ROWS_H

#include <strobe/exporter.h>

#include "row-buffer.h"

typedef struct HeldRows HeldRows;

/* `scratch` is a folder, lent; so many bytes are kept in memory until there is a file. */
HeldRows *held_rows_new(int scratch, gsize memory_bytes, gsize head_bytes);
void held_rows_free(HeldRows *held); /* NULL is fine */

/* A row between begin and end, into the buffer that begin returns. The head may be set until end.
 */
RowBuffer *held_rows_begin(HeldRows *held, OutTable *table);
void held_rows_end(HeldRows *held, const void *head);
/* A row that is made already, its RowHead first; of rows without a head of the caller's. */
void held_rows_add(HeldRows *held, const guint8 *row);
guint32 held_rows_n(const HeldRows *held);

/* The rows in order; FALSE at the end, or on an error. Head and row are valid until the next call.
 */
gboolean held_rows_next(HeldRows *held, const void **head, guint8 **row, guint32 *bytes);
/* errno of what could not be kept or read, 0: nothing. */
int held_rows_error(const HeldRows *held);
/* Says what could not be kept or read, if anything: the exporter has failed then. `what` are they
 * rows of? */
void held_rows_report(const HeldRows *held, const StrobeConsumerHost *host, StrobeInstance *self,
                      const char *what);

#endif
