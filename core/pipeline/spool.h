/* SPDX-License-Identifier: Apache-2.0 */
/* Derived records between a pass and those who want them: in memory, beyond a limit in an unlinked
 * temporary file, and with nobody to wait for handed on as they come. */
#ifndef STROBE_CORE_SPOOL_H
#define STROBE_CORE_SPOOL_H

#include <glib.h>
#include <strobe/exporter.h>
#include "spooled-differences.h"

typedef struct StrobeSpool StrobeSpool;

StrobeSpool *strobe_spool_new(void);
void strobe_spool_free(StrobeSpool *spool);

/* Appends a record and returns its zeroed fields, valid until the next call; NULL when it cannot be
 * kept (disk full). */
void *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record);
/* Adds flags to the record appended last; nothing if there is none, or it cannot be kept. */
void strobe_spool_flag(StrobeSpool *spool, guint16 flags);

/* Takes a piece of the stream, whole records; no bytes: none that it has taken is needed any more.
 * How long a piece is valid is said where it is handed over. */
typedef void (*StrobeSpoolTake)(gpointer user, const char *piece, gsize bytes);

/* Bytes of the largest piece. */
#define STROBE_SPOOL_PIECE ((gsize)1 << 20)
/* Within `take` of what is handed on: the piece stays where it is and is the taker's, who gives
 * memory for STROBE_SPOOL_PIECE bytes for it (g_malloc, NULL: none). Returns the piece. */
char *strobe_spool_swap(StrobeSpool *spool, char *other);

/* Records of the kinds that are marked, by index, are not kept from now on: each is given to `take`
 * when the next one comes, by who adds, for its flags may come until then; valid until it returns.
 */
void strobe_spool_leave_out(StrobeSpool *spool, const gboolean *kinds, StrobeSpoolTake take,
                            gpointer user);
/* What is added from now on is handed on whenever there is a piece of it, behind what is kept: such
 * a piece is valid until it returns. */
void strobe_spool_hand_on(StrobeSpool *spool, StrobeSpoolTake take, gpointer user);
/* Reads what is kept, in memory and in the file, whoever adds meanwhile to what is handed on, and
 * keeps nothing of it any more. A piece is valid until the next one has been taken. FALSE with the
 * error set: it cannot be read. */
gboolean strobe_spool_read(StrobeSpool *spool, StrobeSpoolTake take, gpointer user, GError **error);
/* Nothing is added any more: hands on what is left. */
void strobe_spool_finish(StrobeSpool *spool);

#endif
